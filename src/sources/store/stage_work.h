// StageWork: how much of one stage of a long operation is done, for a display on another thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace helve::store {

struct StageWork {
  void start(std::uint64_t units) {
    done.store(0, std::memory_order_relaxed);
    total.store(units, std::memory_order_relaxed);
  }

  std::atomic<std::uint64_t> total{0};  // 0: unknown
  std::atomic<std::uint64_t> done{0};
};

}  // namespace helve::store
