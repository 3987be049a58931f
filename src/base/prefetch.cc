#include "base/prefetch.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace helve {

void prefetch(std::string_view mapped) noexcept {
  if (mapped.empty()) return;
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(mapped.data());
  const std::uintptr_t first = begin - begin % page;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): pages are counted in numbers
  (void)::madvise(reinterpret_cast<void*>(first), begin + mapped.size() - first, MADV_WILLNEED);
}

}  // namespace helve
