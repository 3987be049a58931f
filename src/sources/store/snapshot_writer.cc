// Writing a snapshot: sections are gathered as views of what is in memory, laid out, and written in
// one go. snapshot_reader.cc reads them.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "sources/store/byte_stream.h"
#include "sources/store/snapshot_file.h"
#include "sources/store/snapshot_layout.h"
#include "sources/store/statistics_codec.h"

namespace helve::store {

namespace {

struct Section {
  SectionEntry entry;
  std::vector<std::string_view> parts;
};

class SnapshotWriter {
 public:
  SnapshotWriter(const Snapshot& snapshot, const SnapshotOrigin& origin)
      : snapshot_(snapshot), origin_(origin) {}

  Result<void> gather(const OpContext& context) {
    add_numbers();
    add_texts();
    add_names();
    add_plain(kStatisticsSection, encode_statistics(snapshot_.statistics()));
    add_plain(kSetsSection, encode_characteristic_sets(snapshot_.statistics().characteristic_sets));
    for (std::size_t tag = 1; tag <= Dictionary::kSections; ++tag) {
      HELVE_TRY(context.check());
      add_dictionary(static_cast<Tag>(tag));
    }
    add_column(kInlinedSection, SectionKind::Numbers, snapshot_.dictionary().inlined());
    for (const Part part : {Part::Subject, Part::Predicate, Part::Object, Part::Graph}) {
      add_column(directory_section(part), SectionKind::Codes,
                 snapshot_.indexes()[directory_order(part)].starts());
    }
    for (std::size_t i = 0; i < kOrders; ++i) {
      for (std::size_t depth = 1; depth <= 3; ++depth) {
        HELVE_TRY(context.check());
        add_column(column_section(static_cast<Order>(i), depth), SectionKind::Codes,
                   snapshot_.indexes().orders[i].column(depth).values());
      }
    }
    // What was read from a damaged file must not get a right checksum.
    if (auto failure = snapshot_.failure()) return *std::move(failure);
    return {};
  }

  Result<void> write(WritableFile& file, const OpContext& context) {
    const std::uint64_t table_end =
        sizeof(SnapshotHeader) + sections_.size() * sizeof(SectionEntry);
    std::uint64_t end = table_end;
    std::vector<SectionEntry> table;
    for (Section& section : sections_) {
      section.entry.offset = align_section(end);
      end = section.entry.offset + section.entry.bytes;
      table.push_back(section.entry);
    }
    SnapshotHeader header;
    header.format = kSnapshotFormat;
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

 private:
  static Result<void> fill_up(WritableFile& file, std::uint64_t written) {
    static constexpr std::array<char, kSectionAlignment> kZeroes{};
    return file.write({kZeroes.data(), align_section(written) - written});
  }

  Section& add(std::string_view name, SectionKind kind, std::uint64_t count) {
    Section& section = sections_.emplace_back();
    std::copy(name.begin(), name.end(), section.entry.name.begin());
    section.entry.kind = kind;
    section.entry.count = count;
    return section;
  }

  void add_part(Section& section, std::string_view part) {
    section.parts.push_back(part);
    section.entry.bytes += part.size();
  }

  void add_plain(std::string_view name, std::string bytes) {
    const std::string& kept = texts_.emplace_back(std::move(bytes));
    Section& section = add(name, SectionKind::Plain, kept.size());
    section.entry.checksum = checksum(kept);
    add_part(section, kept);
  }

  // Checksums of chunks go to the front. Their own is the section's.
  template <typename Chunked>
  void add_checksums(Section& section, const Chunked& chunked) {
    std::vector<std::uint64_t>& sums = sums_.emplace_back();
    if (!chunked.is_sound()) return;
    const std::uint64_t chunks = chunks_of(section.entry.kind, section.entry.count);
    for (std::uint64_t i = 0; i < chunks; ++i) sums.push_back(chunk_checksum(chunked, i));
    section.entry.checksum = checksum(bytes_of(sums.data(), sums.size()));
    add_part(section, bytes_of(sums.data(), sums.size()));
  }

  template <typename Value>
  void add_column(std::string_view name, SectionKind kind, const PackedColumn<Value>& column) {
    Section& section = add(name, kind, column.size());
    add_checksums(section, column);
    add_part(section, bytes_of(column.headers().data(), column.headers().size()));
    add_part(section, bytes_of(column.data().data(), column.data().size()));
  }

  void add_dictionary(Tag tag) {
    const DictionarySection& from = snapshot_.dictionary().section(tag);
    Section& text = add(strings_section(tag, "text"), SectionKind::Strings, from.strings.size());
    add_checksums(text, from.strings);
    add_part(text, bytes_of(from.strings.bytes().data(), from.strings.bytes().size()));
    add_column(strings_section(tag, "blocks"), SectionKind::Numbers, from.strings.blocks());
    add_column(strings_section(tag, "qualifiers"), SectionKind::Codes, from.qualifiers);
  }

  void add_numbers() {
    const Indexes& indexes = snapshot_.indexes();
    ByteWriter out;
    out.number(snapshot_.dictionary().size());
    out.number(indexes.has_named_graphs ? 1 : 0);
    out.number(indexes.repeated_triples);
    for (const Part part : {Part::Subject, Part::Predicate, Part::Object, Part::Graph}) {
      out.number(indexes[directory_order(part)].leading_codes().first);
    }
    add_plain(kNumbersSection, out.take());
  }

  void add_texts() {
    ByteWriter qualifiers;
    qualifiers.number(snapshot_.dictionary().qualifier_names().size());
    for (const auto& name : snapshot_.dictionary().qualifier_names()) qualifiers.text(name);
    add_plain(kQualifiersSection, qualifiers.take());
    ByteWriter prefixes;
    prefixes.number(snapshot_.prefixes().size());
    for (const auto& [name, iri] : snapshot_.prefixes()) {
      prefixes.text(name);
      prefixes.text(iri);
    }
    add_plain(kPrefixesSection, prefixes.take());
    ByteWriter origin;
    origin.text(origin_.created_by);
    origin.text(origin_.key);
    origin.number(origin_.documents.size());
    for (const auto& document : origin_.documents) origin.text(document);
    add_plain(kOriginSection, origin.take());
  }

  // Columns of one part all have the same list of names.
  void add_names() {
    ByteWriter out;
    const Permutation& spo = snapshot_.indexes()[Order::Spo];
    for (const std::size_t depth : {1U, 3U}) {  // predicate and graph
      const Column<Code>& names = spo.column(depth).names();
      out.bytes(bytes_of(names.data(), names.size()));
    }
    add_plain(kNamesSection, out.take());
  }

  const Snapshot& snapshot_;
  const SnapshotOrigin& origin_;
  std::deque<std::string> texts_;
  std::deque<std::vector<std::uint64_t>> sums_;
  std::deque<Section> sections_;
};

Result<void> write_durably(SnapshotWriter& writer, Files& files, const std::filesystem::path& path,
                           const OpContext& context) {
  HELVE_ASSIGN(const auto file, files.open_write(path, WriteMode::Truncate));
  HELVE_TRY(writer.write(*file, context));
  HELVE_TRY(file->sync());
  return file->close();
}

Result<void> publish(Files& files, const std::filesystem::path& draft,
                     const std::filesystem::path& folder, IfPresent if_present) {
  const auto path = folder / kSnapshotFileName;
  if (if_present == IfPresent::Replace) return files.rename(draft, path);
  auto outcome = files.rename_new(draft, path);
  const bool is_late =
      !outcome && outcome.error().code == ErrorCode::InvalidInput && files.status(path);
  return is_late ? snapshot_is_there(folder) : outcome;
}

}  // namespace

Result<void> write_snapshot(const Snapshot& snapshot, const SnapshotOrigin& origin,
                            const std::filesystem::path& folder, const OpContext& context, Env& env,
                            IfPresent if_present) {
  Files& files = env.files();
  HELVE_TRY(check_snapshot_target(folder, if_present, env));
  HELVE_TRY(files.make_directories(folder));
  remove_dead_drafts(folder, env);
  SnapshotWriter writer(snapshot, origin);
  HELVE_TRY(writer.gather(context));
  const auto draft = new_snapshot_draft(folder, env);
  const auto lock = files.lock(draft);  // where the file system has none, drafts are kept
  auto outcome = write_durably(writer, files, draft, context);
  if (outcome) outcome = publish(files, draft, folder, if_present);
  if (!outcome) {
    (void)files.remove(draft);  // the first error is the one worth telling
    return outcome;
  }
  return files.sync_directory(folder);
}

}  // namespace helve::store
