// ChunkSums: the checksums of a section's chunks, which stand at its front. There are many: a chunk
// is small, so that a look-up that is the first to use one checks little. So pages of them have
// checksums of their own, which stand before them. Only those are checked when a file is opened; a
// page is when it is first used.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sources/store/chunk_guard.h"

namespace helve::store {

// Thread-safe.
class ChunkSums final : public ChunkGuard {
 public:
  static constexpr std::uint64_t kPageSums = 512;

  static constexpr std::uint64_t pages_of(std::uint64_t chunks) {
    return (chunks + kPageSums - 1) / kPageSums;
  }
  // Of the checksums of pages, which come first, and of all.
  static constexpr std::uint64_t page_bytes(std::uint64_t chunks) {
    return pages_of(chunks) * sizeof(std::uint64_t);
  }
  static constexpr std::uint64_t all_bytes(std::uint64_t chunks) {
    return page_bytes(chunks) + chunks * sizeof(std::uint64_t);
  }
  // As it stands at the front of a section.
  static std::vector<std::uint64_t> with_pages(std::span<const std::uint64_t> sums);

  // `front` has all_bytes(chunks), and must outlive it.
  ChunkSums(const std::uint64_t* front, std::uint64_t chunks)
      : ChunkGuard(pages_of(chunks)),
        pages_(front),
        sums_(front + pages_of(chunks), front + pages_of(chunks) + chunks) {}

  // nullopt: it is damaged itself.
  std::optional<std::uint64_t> at(std::uint64_t chunk) const {
    return is_good(chunk / kPageSums) ? std::optional(sums_[chunk]) : std::nullopt;
  }

 protected:
  bool check(std::size_t page) const override;

 private:
  const std::uint64_t* pages_;
  std::span<const std::uint64_t> sums_;
};

}  // namespace helve::store
