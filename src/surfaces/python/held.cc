#include "surfaces/python/held.h"

#include <pthread.h>

#include <atomic>

namespace helve::python {

namespace {
std::atomic<std::uint64_t> generation{0};
}  // namespace

std::uint64_t fork_generation() noexcept { return generation.load(std::memory_order_relaxed); }

void watch_forks() {
  static const int watched = ::pthread_atfork(nullptr, nullptr, [] { ++generation; });
  static_cast<void>(watched);
}

}  // namespace helve::python
