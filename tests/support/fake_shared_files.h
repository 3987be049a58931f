// FakeSharedFiles: files in memory for base/shared_file.h, with faults on demand. What was not
// synced is lost in a crash.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "base/shared_file.h"

namespace helve {

// Thread-safe. Every path has its folder, but for those below "absent".
class FakeSharedFiles final : public SharedFiles {
 public:
  using Path = std::filesystem::path;

  Result<std::unique_ptr<SharedFile>> open(const Path& path, SharedFileMode mode) override;

  // For tests: puts a file there, durable; reads one, or nullopt.
  void put(const Path& path, std::string content);
  std::optional<std::string> content(const Path& path) const;
  void rename(const Path& from, const Path& to);
  void remove(const Path& path);

  std::uint64_t operations() const;
  std::uint64_t syncs() const;
  // The k-th operation from now (1: the next) fails with Unavailable; a write is half done then.
  void fail_operation(std::uint64_t k);
  // That one and all after it, until crash().
  void fail_from_operation(std::uint64_t k);
  void disk_full_after(std::uint64_t bytes);  // that files grow by
  void unlimited_disk();
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

  Result<void> begin(const Path& path);

  mutable std::mutex mutex_;
  std::map<Path, std::shared_ptr<Inode>> names_;
  std::set<Path> denied_;
  std::uint64_t operations_ = 0;
  std::uint64_t syncs_ = 0;
  std::uint64_t fail_at_ = 0;    // 0: never
  std::uint64_t fail_from_ = 0;  // 0: never
  std::optional<std::uint64_t> disk_bytes_left_;
  std::uint64_t lives_ = 0;
};

}  // namespace helve
