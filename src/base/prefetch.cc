#include "base/prefetch.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace helve {

void prefetch(std::string_view mapped) noexcept {
  if (mapped.empty()) return;
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t into_page = reinterpret_cast<std::uintptr_t>(mapped.data()) % page;
  // madvise() takes what may be written, and writes nothing.
  char* const first = const_cast<char*>(mapped.data()) - into_page;
  (void)::madvise(first, into_page + mapped.size(), MADV_WILLNEED);
}

}  // namespace helve
