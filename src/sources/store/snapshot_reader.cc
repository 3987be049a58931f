// Opening a snapshot: columns are views of the mapped file behind guards. Sizes and small parts are
// checked here, everything else by the guards when it is used.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "sources/store/byte_stream.h"
#include "sources/store/section_reader.h"
#include "sources/store/section_writer.h"
#include "sources/store/snapshot_file.h"
#include "sources/store/snapshot_layout.h"
#include "sources/store/snapshot_table.h"
#include "sources/store/statistics_codec.h"

namespace helve::store {

namespace {

class SnapshotReader {
 public:
  SnapshotReader(SnapshotTable table, const OpContext& context)
      : sections_(std::move(table)),
        table_(sections_.table()),
        charge_(*context.memory, "the opened index") {}

  Result<std::shared_ptr<const Snapshot>> run() {
    for (const SectionEntry& entry : table_.sections) {
      if (entry.kind == SectionKind::Plain) HELVE_TRY(charge_.add(4 * entry.bytes));
    }
    HELVE_TRY(read_numbers());
    HELVE_ASSIGN(Dictionary dictionary, read_dictionary());
    if (dictionary.size() != code_count_) return table_.damaged("terms are missing");
    HELVE_ASSIGN(Indexes indexes, read_indexes());
    HELVE_ASSIGN(Statistics statistics, read_statistics(dictionary));
    HELVE_ASSIGN(auto prefixes, read_prefixes());
    return std::make_shared<const Snapshot>(
        std::move(dictionary), std::move(indexes), std::move(statistics), std::move(prefixes),
        std::move(charge_), sections_.damage(), content_checksum(table_.sections, kOriginSection));
  }

 private:
  Result<void> read_numbers() {
    HELVE_ASSIGN(ByteReader in, sections_.plain(kNumbersSection));
    code_count_ = in.number();
    const std::uint64_t has_named_graphs = in.number();
    indexes_.has_named_graphs = has_named_graphs == 1;
    indexes_.repeated_triples = in.number();
    bool are_codes = true;
    for (Code& first : first_codes_) {
      const std::uint64_t code = in.number();
      are_codes = are_codes && code <= code_count_;
      first = static_cast<Code>(code);
    }
    if (!in.is_done() || has_named_graphs > 1 || !are_codes ||
        code_count_ >= std::numeric_limits<Code>::max()) {
      return sections_.senseless(kNumbersSection);
    }
    indexes_.default_graph = static_cast<Code>(code_count_);
    return {};
  }

  Result<std::vector<std::string>> read_qualifiers() const {
    HELVE_ASSIGN(ByteReader in, sections_.plain(kQualifiersSection));
    std::vector<std::string> names(in.count(sizeof(std::uint64_t)));
    for (auto& name : names) name = in.text();
    if (!in.is_done()) return sections_.senseless(kQualifiersSection);
    return names;
  }

  Result<Dictionary> read_dictionary() {
    HELVE_ASSIGN(std::vector<std::string> qualifiers, read_qualifiers());
    std::array<DictionarySection, Dictionary::kSections> sections;
    for (std::size_t i = 0; i < sections.size(); ++i) {
      HELVE_ASSIGN(sections[i], read_strings(static_cast<Tag>(i + 1), qualifiers.size()));
    }
    HELVE_ASSIGN(const std::uint64_t inlined,
                 sections_.count_of(kInlinedSection, SectionKind::Numbers));
    HELVE_ASSIGN(auto column, sections_.column<std::uint64_t>(kInlinedSection, inlined,
                                                              {.is_valid = &is_inlined_id}));
    return Dictionary(std::move(sections), std::move(qualifiers), std::move(column.owned));
  }

  Result<DictionarySection> read_strings(Tag tag, std::size_t qualifiers) {
    const std::string name = strings_section(tag, "text");
    HELVE_ASSIGN(FrontCoded strings, sections_.strings(name, strings_section(tag, "blocks")));
    const bool is_qualified = tag == Tag::LangString || tag == Tag::TypedLiteral;
    if (is_qualified && strings.size() > 0 && qualifiers == 0) return sections_.senseless(name);
    const auto last_qualifier = static_cast<std::uint32_t>(qualifiers == 0 ? 0 : qualifiers - 1);
    HELVE_ASSIGN(auto qualifier_column,
                 sections_.column<std::uint32_t>(strings_section(tag, "qualifiers"),
                                                 is_qualified ? strings.size() : 0,
                                                 {.most = last_qualifier}));
    return DictionarySection{std::move(strings), std::move(qualifier_column.owned)};
  }

  // The codes of a part that its columns hold places of.
  Result<std::array<Column<Code>, 4>> read_names() const {
    HELVE_ASSIGN(ByteReader in, sections_.plain(kNamesSection));
    std::array<Column<Code>, 4> names;
    for (const Part part : {Part::Predicate, Part::Graph}) {
      const std::string_view bytes = in.bytes();
      std::vector<Code> codes(bytes.size() / sizeof(Code));
      if (!codes.empty()) std::memcpy(codes.data(), bytes.data(), codes.size() * sizeof(Code));
      const std::uint64_t end = code_count_ + (part == Part::Graph ? 1 : 0);
      if (!std::is_sorted(codes.begin(), codes.end()) || (!codes.empty() && codes.back() >= end)) {
        return sections_.senseless(kNamesSection);
      }
      names[static_cast<std::size_t>(part)] = Column<Code>::own(std::move(codes));
    }
    if (!in.is_done()) return sections_.senseless(kNamesSection);
    return names;
  }

  Result<Indexes> read_indexes() {
    HELVE_ASSIGN(rows_, sections_.count_of(column_section(Order::Spo, 1), SectionKind::Codes));
    if (rows_ > std::numeric_limits<std::uint32_t>::max() || (rows_ > 0 && code_count_ == 0)) {
      return table_.damaged("there are too many statements");
    }
    HELVE_ASSIGN(names_, read_names());
    for (const Part part : {Part::Subject, Part::Predicate, Part::Object, Part::Graph}) {
      HELVE_ASSIGN(directories_[static_cast<std::size_t>(part)], read_directory(part));
    }
    for (std::size_t i = 0; i < kOrders; ++i) {
      HELVE_ASSIGN(indexes_.orders[i], read_order(static_cast<Order>(i)));
    }
    return std::move(indexes_);
  }

  Result<PackedColumn<std::uint32_t>> read_directory(Part part) {
    const std::string name = directory_section(part);
    HELVE_ASSIGN(const std::uint64_t size, sections_.count_of(name, SectionKind::Codes));
    const bool is_used = rows_ > 0 && (part != Part::Graph || indexes_.has_named_graphs);
    const std::uint64_t end = code_count_ + (part == Part::Graph ? 1 : 0);
    const Code first = first_codes_[static_cast<std::size_t>(part)];
    if (is_used ? size < 2 || first + size - 1 > end : size != 0) return sections_.senseless(name);
    HELVE_ASSIGN(auto starts, sections_.column<std::uint32_t>(
                                  name, size, {.most = static_cast<std::uint32_t>(rows_)}));
    return std::move(starts.owned);
  }

  Result<Permutation> read_order(Order order) {
    const auto parts = order_parts(order);
    const bool is_used = order < Order::Gspo || indexes_.has_named_graphs;
    std::array<CodeColumn, 3> columns;
    for (std::size_t depth = 1; depth <= 3; ++depth) {
      const bool is_there = is_used && (depth < 3 || indexes_.has_named_graphs);
      const Column<Code>& names = names_[static_cast<std::size_t>(parts[depth])];
      const std::uint64_t values =
          names.empty() ? code_count_ + (parts[depth] == Part::Graph ? 1 : 0) : names.size();
      const auto most = static_cast<Code>(values == 0 ? 0 : values - 1);
      HELVE_ASSIGN(auto values_column,
                   sections_.column<Code>(column_section(order, depth), is_there ? rows_ : 0,
                                          {.most = most}));
      columns[depth - 1] = CodeColumn(std::move(values_column.owned), names);
    }
    const auto leading = static_cast<std::size_t>(parts[0]);
    if (!is_used) return Permutation();
    return Permutation(first_codes_[leading], directories_[leading], std::move(columns));
  }

  Result<Statistics> read_statistics(const Dictionary& dictionary) const {
    HELVE_ASSIGN(const SectionEntry entry, table_.find(kStatisticsSection, SectionKind::Plain));
    auto statistics = decode_statistics(table_.bytes_of_section(entry), dictionary);
    if (!statistics) return sections_.senseless(kStatisticsSection);
    HELVE_ASSIGN(const SectionEntry sets_entry, table_.find(kSetsSection, SectionKind::Plain));
    auto sets = decode_characteristic_sets(table_.bytes_of_section(sets_entry));
    if (!sets) return sections_.senseless(kSetsSection);
    statistics->characteristic_sets = *std::move(sets);
    return *std::move(statistics);
  }

  Result<std::vector<std::pair<std::string, std::string>>> read_prefixes() const {
    HELVE_ASSIGN(ByteReader in, sections_.plain(kPrefixesSection));
    std::vector<std::pair<std::string, std::string>> prefixes(in.count(2 * sizeof(std::uint64_t)));
    for (auto& [name, iri] : prefixes) {
      name = in.text();
      iri = in.text();
    }
    if (!in.is_done()) return sections_.senseless(kPrefixesSection);
    return prefixes;
  }

  SectionReader sections_;
  const SnapshotTable& table_;
  MemoryCharge charge_;
  std::uint64_t code_count_ = 0;
  std::uint64_t rows_ = 0;
  std::array<Code, 4> first_codes_{};
  std::array<Column<Code>, 4> names_;
  std::array<PackedColumn<std::uint32_t>, 4> directories_;
  Indexes indexes_;
};

}  // namespace

Result<std::shared_ptr<const Snapshot>> open_snapshot(const std::filesystem::path& folder,
                                                      const OpContext& context, Env& env) {
  HELVE_ASSIGN(SnapshotTable table, open_snapshot_table(folder, env));
  return SnapshotReader(std::move(table), context).run();
}

Result<SnapshotInfo> read_snapshot_info(const std::filesystem::path& folder,
                                        const OpContext& context, Env& env) {
  HELVE_TRY(context.check());
  HELVE_ASSIGN(const SnapshotTable table, open_snapshot_table(folder, env));
  SnapshotInfo info;
  info.format = table.format;
  info.bytes = table.bytes.size();
  for (const SectionEntry& entry : table.sections) {
    info.sections.push_back({std::string(entry.name_view()), entry.bytes});
  }
  HELVE_ASSIGN(const SectionEntry entry, table.find(kOriginSection, SectionKind::Plain));
  ByteReader in(table.bytes_of_section(entry));
  info.origin.created_by = in.text();
  info.origin.key = in.text();
  info.origin.documents.resize(in.count(sizeof(std::uint64_t)));
  for (auto& document : info.origin.documents) document = in.text();
  if (!in.is_done()) return table.damaged("section 'origin' makes no sense");
  return info;
}

}  // namespace helve::store
