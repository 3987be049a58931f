// The RDF files of a folder and of all folders in it, in bounded work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"

namespace helve::toolkit {

struct WalkLimits {
  std::size_t files_max = 20'000;
  std::size_t entries_max = 100'000;  // of all folders, whatever they are
  std::size_t depth_max = 16;         // folders in folders
};

struct WalkedFiles {
  std::filesystem::path root;      // without links; of a single file, its folder
  std::vector<std::string> files;  // relative to it, "a/b.ttl", by name
  std::uint64_t links = 0;         // passed over: a link may lead anywhere, or in a circle
  std::uint64_t unread = 0;        // folders that cannot be listed
  std::string incomplete;          // why not all are there; empty: they are
};

// Of a folder, all files whose names end as those of RDF do, but for compressed ones; of a file,
// the file alone, whatever its name. What begins with a dot is passed over. NotFound where there is
// nothing.
//
// It looks at the disk itself and not through Env, whose files follow links.
Result<WalkedFiles> walk_rdf_files(const std::filesystem::path& path, const WalkLimits& limits,
                                   const OpContext& context);

}  // namespace helve::toolkit
