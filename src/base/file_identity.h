// What tells one state of a file from another without reading it, and folders that are nobody
// else's. Beside Env, which knows only what every file system has.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/clock.h"
#include "base/result.h"

namespace helve {

// Writing to a file changes `modified`, which can be set back; whatever happens to it changes
// `changed`, which cannot. Both are as fine as the file system's clock: two changes within one tick
// look the same.
struct FileIdentity {
  bool is_regular = false;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::uint64_t owner = 0;
  WallTime modified;
  WallTime changed;

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

// Of what the path leads to. NotFound, Denied or Unavailable.
Result<FileIdentity> identify_file(const std::filesystem::path& path);

// Whether the permissions let this process write to it; false where it is not there.
bool may_write(const std::filesystem::path& path);

// A folder that only its owner may look into, with its parents. One that exists must be the
// caller's own, and is left as it is; Denied otherwise.
Result<void> make_private_folder(const std::filesystem::path& path);

// The same for a folder that is ours alone: one that others may look into is closed to them. Denied
// where that cannot be done, and for a link to somewhere else.
Result<void> make_owned_folder(const std::filesystem::path& path);

}  // namespace helve
