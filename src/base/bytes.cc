// Streams over memory.
#include "base/bytes.h"

#include <algorithm>

namespace helve {

Result<std::size_t> StringSource::read(std::span<char> into) {
  const std::size_t n = std::min(into.size(), rest_.size());
  std::copy_n(rest_.data(), n, into.data());  // n may be 0 and data() null, which memcpy forbids
  rest_.remove_prefix(n);
  return n;
}

}  // namespace helve
