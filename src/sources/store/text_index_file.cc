#include "sources/store/text_index_file.h"

#include <fmt/format.h>

#include <utility>

#include "sources/store/byte_stream.h"
#include "sources/store/section_reader.h"
#include "sources/store/section_writer.h"
#include "sources/store/snapshot_file.h"
#include "sources/store/snapshot_table.h"

namespace helve::store {

namespace {

constexpr FileFormat kFormat{{'H', 'E', 'L', 'V', 'E', 'N', 'A', 'M'}, kNamesFormat};

constexpr std::string_view kNumbers = "numbers";
constexpr std::string_view kLabels = "labels";
constexpr std::string_view kWords = "words.text";
constexpr std::string_view kBlocks = "words.blocks";
constexpr std::string_view kStarts = "starts";
constexpr std::string_view kLists = "lists";
constexpr std::string_view kBests = "bests";
constexpr std::string_view kWholes = "wholes";
constexpr std::string_view kHolders = "holders";
constexpr std::string_view kCodes = "codes";
constexpr std::string_view kNames = "names";

SectionWriter gather(const TextIndex& index, std::uint64_t content_checksum) {
  SectionWriter out;
  ByteWriter numbers;
  numbers.number(content_checksum);
  numbers.number(index.classes_end);
  numbers.number(index.properties_end);
  out.add_plain(kNumbers, numbers.take());
  ByteWriter labels;
  labels.number(index.labels.size());
  for (const LabelPredicate& label : index.labels) {
    labels.number(label.predicate);
    labels.number(static_cast<std::uint64_t>(label.field));
  }
  out.add_plain(kLabels, labels.take());
  out.add_strings(kWords, kBlocks, index.words);
  out.add_column(kStarts, index.starts);
  out.add_column(kLists, index.lists);
  out.add_column(kBests, index.bests);
  out.add_column(kWholes, index.wholes);
  out.add_column(kHolders, index.holders);
  out.add_column(kCodes, index.codes);
  out.add_column(kNames, index.names);
  return out;
}

class TextIndexReader {
 public:
  TextIndexReader(SnapshotTable table, const Snapshot& snapshot)
      : sections_(std::move(table)), snapshot_(snapshot) {}

  Result<std::shared_ptr<const TextIndex>> run(std::uint64_t content_checksum) {
    HELVE_TRY(read_numbers(content_checksum));
    HELVE_TRY(read_labels());
    HELVE_ASSIGN(index_->words, sections_.strings(kWords, kBlocks));
    HELVE_TRY(read_lists());
    const Name iris = static_cast<Name>(snapshot_.dictionary().section_size(Tag::Iri));
    const Name last = iris == 0 ? 0 : iris - 1;
    HELVE_ASSIGN(index_->codes, read<std::uint32_t>(kCodes, iris, {.most = last}));
    HELVE_ASSIGN(index_->names, read<std::uint32_t>(kNames, iris, {.most = last}));
    index_->damage = sections_.damage();
    return std::shared_ptr<const TextIndex>(std::move(index_));
  }

 private:
  template <typename Value>
  Result<PackedColumn<Value>> read(std::string_view name, std::uint64_t size,
                                   ValueBounds<Value> bounds) {
    HELVE_ASSIGN(auto views, sections_.column<Value>(name, size, bounds));
    return std::move(views.owned);
  }

  Result<void> read_numbers(std::uint64_t content_checksum) {
    HELVE_ASSIGN(ByteReader in, sections_.plain(kNumbers));
    if (in.number() != content_checksum) {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("{} belongs to another index", sections_.table().name)};
    }
    const std::uint64_t classes_end = in.number();
    const std::uint64_t properties_end = in.number();
    const std::uint64_t iris = snapshot_.dictionary().section_size(Tag::Iri);
    if (!in.is_done() || classes_end > properties_end || properties_end > iris ||
        iris > kNamesMax) {
      return sections_.senseless(kNumbers);
    }
    index_->classes_end = static_cast<Name>(classes_end);
    index_->properties_end = static_cast<Name>(properties_end);
    return {};
  }

  Result<void> read_labels() {
    HELVE_ASSIGN(ByteReader in, sections_.plain(kLabels));
    index_->labels.resize(in.count(2 * sizeof(std::uint64_t)));
    bool is_sound = index_->labels.size() <= kLabelPredicatesMax;
    for (LabelPredicate& label : index_->labels) {
      const std::uint64_t predicate = in.number();
      const std::uint64_t field = in.number();
      is_sound = is_sound && predicate < snapshot_.dictionary().size() && field < kTextFields;
      label = {static_cast<Code>(predicate), static_cast<TextField>(field % kTextFields)};
    }
    return in.is_done() && is_sound ? Result<void>() : sections_.senseless(kLabels);
  }

  Result<void> read_lists() {
    const std::uint64_t words = index_->words.size();
    const Name iris = static_cast<Name>(snapshot_.dictionary().section_size(Tag::Iri));
    HELVE_ASSIGN(const std::uint64_t entries, sections_.count_of(kLists, SectionKind::Codes));
    HELVE_ASSIGN(const std::uint64_t wholes, sections_.count_of(kWholes, SectionKind::Codes));
    HELVE_ASSIGN(index_->starts,
                 read<std::uint64_t>(kStarts, words * kTextFields + 1, {.most = entries}));
    HELVE_ASSIGN(index_->lists,
                 read<std::uint32_t>(kLists, entries, {.most = iris == 0 ? 0 : iris - 1}));
    HELVE_ASSIGN(index_->bests,
                 read<std::uint32_t>(kBests, TextIndex::groups_of(words) * TextIndex::kKinds,
                                     {.most = iris}));
    HELVE_ASSIGN(index_->wholes, read<std::uint32_t>(kWholes, wholes, {}));
    HELVE_ASSIGN(index_->holders, read<std::uint32_t>(kHolders, wholes, {}));
    return {};
  }

  SectionReader sections_;
  const Snapshot& snapshot_;
  std::shared_ptr<TextIndex> index_ = std::make_shared<TextIndex>();
};

}  // namespace

Result<void> write_text_index(const TextIndex& index, const Snapshot& snapshot,
                              const std::filesystem::path& folder, const OpContext& context,
                              Env& env) {
  HELVE_ASSIGN(const std::uint64_t sum, compute_content_checksum(snapshot, context));
  const SectionWriter sections = gather(index, sum);
  if (auto failure = index.failure()) return *std::move(failure);
  Files& files = env.files();
  const auto draft = new_snapshot_draft(folder, env);
  const auto lock = files.lock(draft);
  auto outcome = sections.write_durably(files, draft, kFormat, context);
  if (outcome) outcome = files.rename(draft, folder / kNamesFileName);
  if (!outcome) (void)files.remove(draft);  // the first error is the one worth telling
  return outcome;
}

Result<std::shared_ptr<const TextIndex>> open_text_index(const Snapshot& snapshot,
                                                         const std::filesystem::path& folder,
                                                         const OpContext& context, Env& env) {
  HELVE_TRY(context.check());
  HELVE_ASSIGN(const std::uint64_t sum, compute_content_checksum(snapshot, context));
  HELVE_ASSIGN(SnapshotTable table, open_table(folder / kNamesFileName, kFormat, env));
  return TextIndexReader(std::move(table), snapshot).run(sum);
}

}  // namespace helve::store
