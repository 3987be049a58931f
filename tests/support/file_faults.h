// FileFaults: what goes wrong on demand in file systems that are in memory. FakeFiles and
// FakeSharedFiles are made with it.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>

#include "base/errno_error.h"
#include "base/result.h"

namespace helve {

class FileFaults {
 public:
  std::uint64_t operations() const {
    const std::lock_guard lock(mutex_);
    return operations_;
  }
  // The k-th operation from now (1: the next) fails with Unavailable.
  void fail_operation(std::uint64_t k) {
    const std::lock_guard lock(mutex_);
    fail_at_ = operations_ + k;
  }
  // That one and all after it: the machine has stopped. Undone by a crash.
  void fail_from_operation(std::uint64_t k) {
    const std::lock_guard lock(mutex_);
    fail_from_ = operations_ + k;
  }
  // Writes that files grow by more than so many bytes from now on fail half-way, as a full disk
  // does.
  void disk_full_after(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    disk_bytes_left_ = bytes;
  }
  void unlimited_disk() {
    const std::lock_guard lock(mutex_);
    disk_bytes_left_.reset();
  }

 protected:
  FileFaults() = default;
  ~FileFaults() = default;

  // All of these REQUIRE the lock. Counts the operation, and fails it where it is to.
  Result<void> begin(const std::filesystem::path& path) {
    ++operations_;
    const bool fails = operations_ == fail_at_ || (fail_from_ != 0 && operations_ >= fail_from_);
    if (fails) return error_from_errno(EIO, "use", path.native());
    if (denied_.contains(path)) return error_from_errno(EACCES, "use", path.native());
    return {};
  }
  // How many of so many bytes the disk has room for.
  std::uint64_t grant_bytes(std::uint64_t wanted) {
    if (!disk_bytes_left_) return wanted;
    const std::uint64_t granted = std::min(wanted, *disk_bytes_left_);
    *disk_bytes_left_ -= granted;
    return granted;
  }
  // What is open is dead, and no fault goes on.
  void begin_life() {
    ++lives_;
    fail_at_ = fail_from_ = 0;
  }

  mutable std::mutex mutex_;
  std::set<std::filesystem::path> denied_;
  std::uint64_t lives_ = 0;  // crashes so far

 private:
  std::uint64_t operations_ = 0;
  std::uint64_t fail_at_ = 0;    // 0: never
  std::uint64_t fail_from_ = 0;  // 0: never
  std::optional<std::uint64_t> disk_bytes_left_;
};

}  // namespace helve
