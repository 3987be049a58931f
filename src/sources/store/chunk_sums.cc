#include "sources/store/chunk_sums.h"

#include <algorithm>

#include "sources/store/snapshot_layout.h"

namespace helve::store {

namespace {

std::uint64_t page_checksum(std::span<const std::uint64_t> sums, std::uint64_t page) {
  const std::uint64_t first = page * ChunkSums::kPageSums;
  const std::uint64_t count = std::min<std::uint64_t>(ChunkSums::kPageSums, sums.size() - first);
  return checksum(bytes_of(sums.data() + first, count));
}

}  // namespace

std::vector<std::uint64_t> ChunkSums::with_pages(std::span<const std::uint64_t> sums) {
  std::vector<std::uint64_t> front;
  front.reserve(pages_of(sums.size()) + sums.size());
  for (std::uint64_t page = 0; page < pages_of(sums.size()); ++page) {
    front.push_back(page_checksum(sums, page));
  }
  front.insert(front.end(), sums.begin(), sums.end());
  return front;
}

bool ChunkSums::check(std::size_t page) const { return page_checksum(sums_, page) == pages_[page]; }

}  // namespace helve::store
