// The slow path: a chunk is met for the first time, or is known to be bad.
#include "sources/store/chunk_guard.h"

namespace helve::store {

bool ChunkGuard::examine(std::size_t chunk) const {
  if (has(bad_, chunk)) return false;
  const bool is_good = check(chunk);
  Flags& outcome = is_good ? good_ : bad_;
  outcome[chunk / 64].fetch_or(std::uint64_t{1} << (chunk % 64), std::memory_order_relaxed);
  return is_good;
}

}  // namespace helve::store
