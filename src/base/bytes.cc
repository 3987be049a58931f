// Streams over memory.
#include "base/bytes.h"

#include <algorithm>
#include <cstring>

namespace helve {

Result<std::size_t> StringSource::read(std::span<char> into) {
  const std::size_t n = std::min(into.size(), rest_.size());
  std::memcpy(into.data(), rest_.data(), n);
  rest_.remove_prefix(n);
  return n;
}

}  // namespace helve
