#include "sources/store/section_writer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "sources/store/chunk_sums.h"

namespace helve::store {

namespace {

Result<void> fill_up(WritableFile& file, std::uint64_t written) {
  static constexpr std::array<char, kSectionAlignment> kZeroes{};
  return file.write({kZeroes.data(), align_section(written) - written});
}

}  // namespace

SectionWriter::Section& SectionWriter::add(std::string_view name, SectionKind kind,
                                           std::uint64_t count) {
  Section& section = sections_.emplace_back();
  std::copy(name.begin(), name.end(), section.entry.name.begin());
  section.entry.kind = kind;
  section.entry.count = count;
  return section;
}

void SectionWriter::add_part(Section& section, std::string_view part) {
  section.parts.push_back(part);
  section.entry.bytes += part.size();
}

void SectionWriter::add_plain(std::string_view name, std::string bytes) {
  const std::string& kept = texts_.emplace_back(std::move(bytes));
  Section& section = add(name, SectionKind::Plain, kept.size());
  section.entry.checksum = checksum(kept);
  add_part(section, kept);
}

// Checksums of chunks go to the front. That of their pages is the section's.
template <typename Chunked>
void SectionWriter::add_checksums(Section& section, const Chunked& chunked) {
  if (!chunked.is_sound()) return;
  const std::uint64_t chunks = chunks_of(section.entry.kind, section.entry.count);
  std::vector<std::uint64_t> sums;
  sums.reserve(chunks);
  for (std::uint64_t i = 0; i < chunks; ++i) sums.push_back(chunk_checksum(chunked, i));
  const std::vector<std::uint64_t>& front = sums_.emplace_back(ChunkSums::with_pages(sums));
  const std::string_view bytes = bytes_of(front.data(), front.size());
  section.entry.checksum = checksum(bytes.substr(0, ChunkSums::page_bytes(chunks)));
  add_part(section, bytes);
}

template <typename Value>
void SectionWriter::add_column(std::string_view name, const PackedColumn<Value>& column) {
  Section& section =
      add(name, sizeof(Value) == 4 ? SectionKind::Codes : SectionKind::Numbers, column.size());
  add_checksums(section, column);
  add_part(section, bytes_of(column.headers().data(), column.headers().size()));
  add_part(section, bytes_of(column.data().data(), column.data().size()));
}

template void SectionWriter::add_column(std::string_view, const PackedColumn<std::uint32_t>&);
template void SectionWriter::add_column(std::string_view, const PackedColumn<std::uint64_t>&);

void SectionWriter::add_strings(std::string_view text_name, std::string_view blocks_name,
                                const FrontCoded& strings) {
  Section& text = add(text_name, SectionKind::Strings, strings.size());
  add_checksums(text, strings);
  add_part(text, bytes_of(strings.bytes().data(), strings.bytes().size()));
  add_column(blocks_name, strings.blocks());
}

std::uint64_t SectionWriter::content_checksum(std::string_view but) const {
  std::vector<SectionEntry> entries;
  entries.reserve(sections_.size());
  for (const Section& section : sections_) entries.push_back(section.entry);
  return store::content_checksum(entries, but);
}

Result<void> SectionWriter::write(WritableFile& file, const FileFormat& format,
                                  const OpContext& context) const {
  const std::uint64_t table_end = sizeof(SnapshotHeader) + sections_.size() * sizeof(SectionEntry);
  std::uint64_t end = table_end;
  std::vector<SectionEntry> table;
  for (const Section& section : sections_) {
    SectionEntry& entry = table.emplace_back(section.entry);
    entry.offset = align_section(end);
    end = entry.offset + entry.bytes;
  }
  SnapshotHeader header;
  header.magic = format.magic;
  header.format = format.version;
  header.file_bytes = align_section(end);
  header.sections = table.size();
  header.table_checksum = checksum(bytes_of(table.data(), table.size()));
  header.checksum = checksum(bytes_of(&header, 1).substr(0, offsetof(SnapshotHeader, checksum)));
  HELVE_TRY(file.write(bytes_of(&header, 1)));
  HELVE_TRY(file.write(bytes_of(table.data(), table.size())));
  HELVE_TRY(fill_up(file, table_end));
  for (const Section& section : sections_) {
    HELVE_TRY(context.check());
    for (const std::string_view part : section.parts) HELVE_TRY(file.write(part));
    HELVE_TRY(fill_up(file, section.entry.bytes));
  }
  return {};
}

Result<void> SectionWriter::write_durably(Files& files, const std::filesystem::path& path,
                                          const FileFormat& format,
                                          const OpContext& context) const {
  HELVE_ASSIGN(const auto file, files.open_write(path, WriteMode::Truncate));
  HELVE_TRY(write(*file, format, context));
  HELVE_TRY(file->sync());
  return file->close();
}

std::uint64_t content_checksum(const std::vector<SectionEntry>& sections, std::string_view but) {
  std::uint64_t sum = 0;
  for (SectionEntry entry : sections) {
    if (entry.name_view() == but) continue;
    entry.offset = 0;
    sum = checksum(bytes_of(&entry, 1), sum);
  }
  return sum;
}

}  // namespace helve::store
