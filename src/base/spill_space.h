// SpillSpace: room on disk for what an operation holds beyond its memory. Its files have no names:
// nothing stays of them, however the process ends.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/env.h"
#include "base/result.h"

namespace helve {

class SpillSpace;

// Blocks of bytes that are appended, and read again as they were: a damaged one is an error
// (Unavailable). Its bytes are given back to the space on destruction. Not thread-safe.
class SpillFile {
 public:
  // What every block begins with; append() fills it in.
  static constexpr std::size_t kHeaderBytes = sizeof(std::uint64_t);

  SpillFile(SpillSpace& space, std::unique_ptr<ScratchFile> file, std::string_view what)
      : space_(space), file_(std::move(file)), what_(what) {}
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;
  ~SpillFile();

  // Where the block is. REQUIRES: kHeaderBytes before what is to be kept. Errors: LimitExceeded
  // (the space is used up), Unavailable (the disk).
  Result<std::uint64_t> append(std::span<char> block);
  // REQUIRES: append() gave the place for a block of this size.
  Result<void> read(std::uint64_t place, std::span<char> block) const;
  std::uint64_t bytes() const { return bytes_; }

 private:
  SpillSpace& space_;
  std::unique_ptr<ScratchFile> file_;
  std::string what_;
  std::uint64_t bytes_ = 0;
};

// Thread-safe. Outlives its files.
class SpillSpace {
 public:
  SpillSpace(Files& files, Files::Path folder, std::uint64_t bytes_max)
      : files_(files), folder_(std::move(folder)), bytes_max_(bytes_max) {}
  SpillSpace(const SpillSpace&) = delete;
  SpillSpace& operator=(const SpillSpace&) = delete;

  // `what` names the operation in errors.
  Result<std::unique_ptr<SpillFile>> make_file(std::string_view what);

  std::uint64_t bytes_used() const { return used_.load(std::memory_order_relaxed); }
  // Written to files that are there or were.
  std::uint64_t bytes_written() const { return written_.load(std::memory_order_relaxed); }
  std::uint64_t bytes_max() const { return bytes_max_; }

 private:
  friend class SpillFile;

  Result<void> reserve(std::uint64_t bytes, std::string_view what);
  void release(std::uint64_t bytes) noexcept { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  Error failed(Error error, std::string_view what) const;

  Files& files_;
  const Files::Path folder_;
  const std::uint64_t bytes_max_;
  std::atomic<std::uint64_t> used_{0};
  std::atomic<std::uint64_t> written_{0};
};

}  // namespace helve
