// ChunkGuard: stands between readers and a mapped file: a stretch of it, a chunk, is checked when
// it is first used. Columns in memory have none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace helve::store {

// Thread-safe: a check has no effect but its outcome, so that two threads may both make it.
class ChunkGuard {
 public:
  explicit ChunkGuard(std::size_t chunks) : good_((chunks + 63) / 64), bad_((chunks + 63) / 64) {}
  ChunkGuard(const ChunkGuard&) = delete;
  ChunkGuard& operator=(const ChunkGuard&) = delete;
  virtual ~ChunkGuard() = default;

  // False: damaged, and nothing of the chunk may be read. REQUIRES: a chunk there is.
  bool is_good(std::size_t chunk) const {
    if (has(good_, chunk)) [[likely]]
      return true;
    return examine(chunk);
  }

 protected:
  // Reads the whole chunk; whatever it holds, what is read after success stays within bounds.
  // Reports what it finds to whom it concerns.
  virtual bool check(std::size_t chunk) const = 0;

 private:
  using Flags = std::vector<std::atomic<std::uint64_t>>;

  static bool has(const Flags& flags, std::size_t chunk) {
    return (flags[chunk / 64].load(std::memory_order_relaxed) >> (chunk % 64) & 1) != 0;
  }
  bool examine(std::size_t chunk) const;

  mutable Flags good_;
  mutable Flags bad_;
};

}  // namespace helve::store
