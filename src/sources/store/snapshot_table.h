// The header and the table of sections of a snapshot on disk: read, and checked as far as it can be
// without reading the sections. snapshot_reader.cc makes a Snapshot of them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/result.h"
#include "sources/store/snapshot_layout.h"

namespace helve::store {

// A mapped file and what its table says. Everything in it lies within the file.
struct SnapshotTable {
  std::string name;  // of the file
  std::shared_ptr<const void> owner;
  std::string_view bytes;
  std::uint32_t format = 0;
  std::vector<SectionEntry> sections;

  // The bytes of a section of this kind. Unavailable when there is none.
  Result<SectionEntry> find(std::string_view section, SectionKind kind) const;
  std::string_view bytes_of_section(const SectionEntry& entry) const {
    return bytes.substr(entry.offset, entry.bytes);
  }
  Error damaged(const std::string& what) const;
};

// Maps a file of this format. Checks the header, the table, that sections follow each other with
// nothing but zeroes between them, plain sections and the checksums of chunks.
Result<SnapshotTable> open_table(const std::filesystem::path& path, const FileFormat& format,
                                 Env& env);
// The snapshot of the folder.
Result<SnapshotTable> open_snapshot_table(const std::filesystem::path& folder, Env& env);

}  // namespace helve::store
