// WorkFolder: the one folder that a guest may write in. It is in a folder of this process, which is
// removed with the last of them, or by the next process that comes along after a crash.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/result.h"

namespace helve::sandbox {

struct FolderUse {
  std::uint64_t files = 0;  // and folders
  std::uint64_t bytes = 0;  // on the disk
};

// Removed with everything in it on destruction, in the process that made it. Move-only.
class WorkFolder {
 public:
  // `owner`: the user that it is for; -1: who runs this process. Unavailable where no temporary
  // folder can be used.
  static Result<WorkFolder> make(int owner);
  WorkFolder(WorkFolder&& other) noexcept
      : home_(std::move(other.home_)), path_(std::move(other.path_)), owner_(other.owner_) {
    other.path_.clear();
  }
  WorkFolder& operator=(WorkFolder&&) = delete;
  ~WorkFolder();

  const std::filesystem::path& path() const { return path_; }
  // Counts up to `files_max` and not further; that many too where it cannot be looked into.
  FolderUse measure(std::uint64_t files_max) const;

 private:
  WorkFolder(std::shared_ptr<const void> home, std::filesystem::path path);

  std::shared_ptr<const void> home_;
  std::filesystem::path path_;
  int owner_;  // the process
};

// The bytes of files that a process (its folder in /proc) holds and that have no name any more. Of
// those that it has mapped and not open the size is not seen: `mapped_bytes` each. nullopt where it
// cannot be looked at, or is too much to look at.
std::optional<std::uint64_t> bytes_of_removed(const std::filesystem::path& process,
                                              std::uint64_t mapped_bytes);

// Removes a folder of any depth and with any rights, without following links out of it and with a
// few descriptors only. False where something is left.
bool remove_tree(const std::filesystem::path& folder);

}  // namespace helve::sandbox
