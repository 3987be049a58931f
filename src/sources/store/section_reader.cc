#include "sources/store/section_reader.h"

#include <span>

namespace helve::store {

Result<ByteReader> SectionReader::plain(std::string_view name) const {
  HELVE_ASSIGN(const SectionEntry entry, table_.find(name, SectionKind::Plain));
  return ByteReader(table_.bytes_of_section(entry));
}

Result<std::uint64_t> SectionReader::count_of(std::string_view name, SectionKind kind) const {
  HELVE_ASSIGN(const SectionEntry entry, table_.find(name, kind));
  return entry.count;
}

template <typename Value>
Result<Views<PackedColumn<Value>>> SectionReader::column(std::string_view name, std::uint64_t size,
                                                         ValueBounds<Value> bounds) {
  using Packed = PackedColumn<Value>;
  using Header = PackedHeader<Value>;
  HELVE_ASSIGN(const SectionEntry entry,
               table_.find(name, sizeof(Value) == 4 ? SectionKind::Codes : SectionKind::Numbers));
  const std::string_view bytes = table_.bytes_of_section(entry);
  if (entry.count != size) return senseless(name);
  if (size == 0) {
    if (!bytes.empty()) return senseless(name);
    return Views<Packed>{};
  }
  const std::uint64_t checksums = ChunkSums::all_bytes(Packed::chunks_of(size));
  const std::uint64_t headers = Packed::blocks_of(size) + 1;
  const std::uint64_t data = checksums + headers * sizeof(Header);
  if (data + Packed::kUnitBytes > bytes.size() || (bytes.size() - data) % Packed::kUnitBytes != 0) {
    return senseless(name);
  }
  const std::span<const Header> header_span(
      reinterpret_cast<const Header*>(bytes.data() + checksums), headers);
  const std::span<const char> data_span(bytes.data() + data, bytes.size() - data);
  const Packed unguarded({header_span, nullptr}, {data_span, nullptr}, size);
  const ChunkGuard* const guard = add_guard<ColumnGuard<Value>>(
      unguarded, reinterpret_cast<const std::uint64_t*>(bytes.data()), bounds, place(entry));
  return Views<Packed>{Packed({header_span, file_}, {data_span, file_}, size, guard),
                       Packed({header_span, nullptr}, {data_span, nullptr}, size, guard)};
}

template Result<Views<PackedColumn<std::uint32_t>>> SectionReader::column(
    std::string_view, std::uint64_t, ValueBounds<std::uint32_t>);
template Result<Views<PackedColumn<std::uint64_t>>> SectionReader::column(
    std::string_view, std::uint64_t, ValueBounds<std::uint64_t>);

Result<FrontCoded> SectionReader::strings(std::string_view text_name,
                                          std::string_view blocks_name) {
  HELVE_ASSIGN(const SectionEntry entry, table_.find(text_name, SectionKind::Strings));
  const std::string_view bytes = table_.bytes_of_section(entry);
  const std::uint64_t checksums = ChunkSums::all_bytes(FrontCoded::chunks_of(entry.count));
  if (checksums > bytes.size()) return senseless(text_name);
  const std::span<const char> text(bytes.data() + checksums, bytes.size() - checksums);
  if (entry.count == 0 && !text.empty()) return senseless(text_name);
  HELVE_ASSIGN(auto blocks, column<std::uint64_t>(blocks_name, FrontCoded::blocks_of(entry.count),
                                                  {.most = text.size()}));
  const ChunkGuard* const guard =
      add_guard<StringsGuard>(FrontCoded({text, nullptr}, std::move(blocks.bare), entry.count),
                              reinterpret_cast<const std::uint64_t*>(bytes.data()), place(entry));
  return FrontCoded({text, file_}, std::move(blocks.owned), entry.count, guard);
}

}  // namespace helve::store
