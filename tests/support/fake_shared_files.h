// FakeSharedFiles: files in memory for base/shared_file.h, with faults on demand. What was not
// synced is lost in a crash.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/shared_file.h"
#include "tests/support/file_faults.h"

namespace helve {

// Thread-safe. Every path has its folder, but for those below "absent".
class FakeSharedFiles final : public SharedFiles, public FileFaults {
 public:
  using Path = std::filesystem::path;

  Result<std::unique_ptr<SharedFile>> open(const Path& path, SharedFileMode mode) override;

  // For tests: puts a file there, durable; reads one, or nullopt.
  void put(const Path& path, std::string content);
  std::optional<std::string> content(const Path& path) const;
  void rename(const Path& from, const Path& to);
  void remove(const Path& path);

  // Of FileFaults: a write that fails is half done.
  std::uint64_t syncs() const;
  void deny(const Path& path);
  // Power loss: back to what was synced; open files and locks are dead.
  void crash();

 private:
  friend class FakeSharedFile;

  struct Inode {
    std::string content;
    std::string synced;
    const void* holder = nullptr;
  };

  std::map<Path, std::shared_ptr<Inode>> names_;
  std::uint64_t syncs_ = 0;
};

}  // namespace helve
