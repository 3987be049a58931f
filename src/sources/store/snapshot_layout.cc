// Checksums and names.
#include "sources/store/snapshot_layout.h"

#include <fmt/format.h>

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace helve::store {

namespace {

std::string_view part_name(Part part) {
  constexpr std::array<std::string_view, 4> kNames = {"subject", "predicate", "object", "graph"};
  return kNames[static_cast<std::size_t>(part)];
}

}  // namespace

std::uint64_t chunks_of(SectionKind kind, std::uint64_t count) {
  switch (kind) {
    case SectionKind::Codes:
    case SectionKind::Numbers:
      return PackedColumn<std::uint64_t>::chunks_of(count);
    case SectionKind::Strings:
      return FrontCoded::chunks_of(count);
    case SectionKind::Plain:
      break;
  }
  return 0;
}

std::uint64_t checksum(std::string_view bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

template <typename Value>
std::uint64_t chunk_checksum(const PackedColumn<Value>& column, std::uint64_t chunk) {
  using Packed = PackedColumn<Value>;
  const std::uint64_t blocks = Packed::blocks_of(column.size());
  const std::uint64_t first = chunk * Packed::kChunkBlocks;
  const std::uint64_t last = std::min(first + Packed::kChunkBlocks, blocks);
  const auto* const headers = column.headers().data();
  const std::uint64_t from = headers[first].place * Packed::kUnitBytes;
  const std::uint64_t to =
      last == blocks ? column.data().size() : headers[last].place * Packed::kUnitBytes;
  return checksum({column.data().data() + from, to - from},
                  checksum(bytes_of(headers + first, last - first + 1)));
}

template std::uint64_t chunk_checksum(const PackedColumn<std::uint32_t>&, std::uint64_t);
template std::uint64_t chunk_checksum(const PackedColumn<std::uint64_t>&, std::uint64_t);

std::string_view chunk_text(const FrontCoded& strings, std::uint64_t chunk) {
  const std::uint64_t first = chunk * FrontCoded::kChunkBlocks;
  const std::uint64_t last = first + FrontCoded::kChunkBlocks;
  const std::uint64_t from = strings.blocks()[first];
  const std::uint64_t to =
      last < strings.blocks().size() ? strings.blocks()[last] : strings.bytes().size();
  return {strings.bytes().data() + from, to - from};
}

std::uint64_t chunk_checksum(const FrontCoded& strings, std::uint64_t chunk) {
  return checksum(chunk_text(strings, chunk));
}

std::string column_section(Order order, std::size_t depth) {
  const auto parts = order_parts(order);
  std::string name;
  for (std::size_t i = 0; i < (order < Order::Gspo ? 3U : 4U); ++i) {
    name += part_name(parts[i])[0];
  }
  return fmt::format("{}.{}", name, part_name(parts[depth]));
}

std::string directory_section(Part part) { return fmt::format("{}.rows", part_name(part)); }

std::string strings_section(Tag tag, std::string_view what) {
  constexpr std::array<std::string_view, Dictionary::kSections> kNames = {"iri", "blank", "string",
                                                                          "lang", "typed"};
  return fmt::format("{}.{}", kNames[static_cast<std::size_t>(tag) - 1], what);
}

}  // namespace helve::store
