// Each running task borrows a Gatherer, so that there are as many of them as threads that worked.
#include "sources/store/text_index_builder.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>
#include <utility>

#include "base/env.h"
#include "base/executor.h"
#include "base/paced_check.h"
#include "sources/store/local_declarations.h"
#include "sources/store/packed_column_builder.h"
#include "sources/store/string_sort.h"
#include "sources/store/text_index_gatherer.h"

namespace helve::store {

namespace {

constexpr std::uint64_t kTaskRows = 65'536;
constexpr std::size_t kBatchRows = 4'096;

// IRIs, or the rows of a label predicate.
struct IndexTask {
  RowRange rows;
  std::optional<LabelPredicate> predicate;
};

class TextIndexBuilder {
 public:
  TextIndexBuilder(const Snapshot& snapshot, const OpContext& context)
      : snapshot_(snapshot),
        dictionary_(snapshot.dictionary()),
        context_(context),
        charge_(*context.memory, "the index of names") {}

  Result<std::shared_ptr<const TextIndex>> run() {
    const std::uint64_t iris = dictionary_.section_size(Tag::Iri);
    if (iris > kNamesMax) {
      return Error{ErrorCode::LimitExceeded, "the graph has too many IRIs for an index of names",
                   "look for names with a query instead"};
    }
    HELVE_TRY(charge_.resize(iris * 3 * sizeof(Code)));
    HELVE_TRY(rank_names());
    index_->labels = find_label_predicates(snapshot_);
    plan();
    HELVE_TRY(parallel_for(tasks_.size(), context_, [this](std::size_t i) { return gather(i); }));
    HELVE_TRY(merge_words());
    HELVE_TRY(merge_postings());
    HELVE_TRY(merge_wholes());
    if (auto failure = snapshot_.failure()) return *std::move(failure);
    index_->charge = MemoryCharge(process_memory(), "the index of names");
    HELVE_TRY(index_->charge.resize(index_->memory_bytes()));
    return std::shared_ptr<const TextIndex>(std::move(index_));
  }

 private:
  // By kind, then by how much is said about them, then by code.
  Result<void> rank_names() {
    const Code last = dictionary_.codes_of(Tag::Iri).second;  // the first is zero
    HELVE_ASSIGN(const std::vector<NameKind> kinds, find_kinds(last));
    constexpr std::uint32_t kDegrees = 64 * 8;
    const auto key_of = [&](Code code) {
      const NameKind kind = kinds[code];
      const std::uint32_t degree = degree_of(count_of(snapshot_, code, kind));
      return (static_cast<std::uint32_t>(kind) - 1) * kDegrees + kDegrees - 1 -
             std::min(degree, kDegrees - 1);
    };
    std::vector<std::uint32_t> keys(last);
    std::array<std::uint32_t, 3 * kDegrees + 1> starts{};
    for (Code code = 0; code < last; ++code) {
      if (code % kTaskRows == 0) HELVE_TRY(context_.check());
      keys[code] = key_of(code);
      ++starts[keys[code] + 1];
    }
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    index_->classes_end = starts[kDegrees];
    index_->properties_end = starts[std::size_t{2} * kDegrees];
    names_.resize(keys.size());
    std::vector<Code> codes(keys.size());
    for (Code code = 0; code < last; ++code) {
      const Name name = starts[keys[code]]++;
      names_[code] = name;
      codes[name] = code;
    }
    index_->codes = pack_column<Code>(codes);
    index_->names = pack_column<Name>(names_);
    return {};
  }

  Result<std::vector<NameKind>> find_kinds(std::size_t iris) {
    HELVE_ASSIGN(const DeclaredTerms declared, find_declared_terms(snapshot_, context_));
    HELVE_ASSIGN(const HierarchyTerms hierarchies, find_hierarchy_terms(snapshot_, context_));
    std::vector<NameKind> kinds(iris, NameKind::Instance);
    const auto mark = [&kinds](Code code, NameKind kind) {
      if (code < kinds.size()) kinds[code] = kind;
    };
    for (const Code code : hierarchies.property_like) mark(code, NameKind::Property);
    for (const Code code : declared.properties()) mark(code, NameKind::Property);
    for (const auto& predicate : snapshot_.statistics().predicates) {
      if (const auto code = dictionary_.code_of(predicate.predicate)) {
        mark(*code, NameKind::Property);
      }
    }
    for (const Code code : hierarchies.class_like) mark(code, NameKind::Class);
    for (const Code code : declared.classes()) mark(code, NameKind::Class);
    for (const auto& type : snapshot_.statistics().classes) {
      if (const auto code = dictionary_.code_of(type.type)) mark(*code, NameKind::Class);
    }
    return kinds;
  }

  void plan() {
    const auto cut = [this](RowRange rows, std::optional<LabelPredicate> predicate) {
      while (!rows.empty()) {
        const std::uint64_t last = std::min(rows.last, rows.first + kTaskRows);
        tasks_.push_back({{rows.first, last}, predicate});
        rows.first = last;
      }
    };
    cut({0, dictionary_.section_size(Tag::Iri)}, std::nullopt);
    for (const LabelPredicate& label : index_->labels) {
      cut(snapshot_.indexes()[Order::Pos].rows_of(label.predicate), label);
    }
  }

  Result<void> gather(std::size_t i) {
    std::unique_ptr<Gatherer> gatherer = borrow();
    auto outcome = tasks_[i].predicate ? gather_labels(tasks_[i], *gatherer)
                                       : gather_local_names(tasks_[i], *gatherer);
    if (outcome) outcome = gatherer->account();
    const std::lock_guard lock(mutex_);
    gatherers_.push_back(std::move(gatherer));
    return outcome;
  }

  std::unique_ptr<Gatherer> borrow() {
    const std::lock_guard lock(mutex_);
    if (gatherers_.empty()) return std::make_unique<Gatherer>(*context_.memory, seed_);
    auto gatherer = std::move(gatherers_.back());
    gatherers_.pop_back();
    return gatherer;
  }

  Result<void> gather_local_names(const IndexTask& task, Gatherer& gatherer) {
    PacedCheck paced(context_);
    std::string scratch;
    for (std::uint64_t first = task.rows.first; first < task.rows.last; first += kBatchRows) {
      const std::uint64_t last = std::min(task.rows.last, first + kBatchRows);
      std::uint64_t bytes = 0;
      dictionary_.section(Tag::Iri).strings.for_each(
          first, last, [&](std::uint64_t code, std::string_view iri) {
            gatherer.set_text(local_name(iri, scratch));
            gatherer.add(names_[code], TextField::LocalName);
            bytes += iri.size();
          });
      HELVE_TRY(paced.add(bytes, last - first));
    }
    return {};
  }

  // In the order of the literals, so that each is cut into words once.
  Result<void> gather_labels(const IndexTask& task, Gatherer& gatherer) {
    PacedCheck paced(context_);
    const Permutation& pos = snapshot_.indexes()[Order::Pos];
    std::vector<Code> objects(kBatchRows);
    std::vector<Code> subjects(kBatchRows);
    std::string scratch;
    Code object = CodeReader::kNone;
    bool is_text = false;
    for (RowRange rows = task.rows; !rows.empty();) {
      const RowRange batch{rows.first, std::min(rows.last, rows.first + kBatchRows)};
      pos.read(batch, 1, objects.data());
      pos.read(batch, 2, subjects.data());
      for (std::size_t i = 0; i < batch.size(); ++i) {
        if (objects[i] != object) {
          object = objects[i];
          const Id id = dictionary_.id_of(object);
          is_text = id.tag() == Tag::String || id.tag() == Tag::LangString;
          if (is_text) gatherer.set_text(dictionary_.term(id, scratch).value);
          HELVE_TRY(paced.add(scratch.size()));
        }
        if (is_text && subjects[i] < names_.size()) {
          gatherer.add(names_[subjects[i]], task.predicate->field);
        }
      }
      HELVE_TRY(gatherer.account());
      HELVE_TRY(paced.add(0, batch.size()));
      rows.first = batch.last;
    }
    return {};
  }

  // Gives all words their places in the order of all.
  Result<void> merge_words() {
    std::vector<SortString> sorted;
    std::vector<std::uint32_t> first_of;  // where the words of each gatherer start
    for (const auto& gatherer : gatherers_) {
      first_of.push_back(static_cast<std::uint32_t>(sorted.size()));
      for (std::size_t i = 0; i < gatherer->words(); ++i) {
        sorted.push_back({gatherer->word(i), 0, static_cast<std::uint32_t>(sorted.size())});
      }
    }
    HELVE_TRY(charge_.add(sorted.capacity() * (sizeof(SortString) + sizeof(std::uint32_t))));
    HELVE_TRY(sort_strings(sorted, context_));
    std::vector<std::uint32_t> places(sorted.size());
    FrontCodedBuilder builder;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (i == 0 || sorted[i].text != sorted[i - 1].text) {
        builder.add(sorted[i].text);
        ++word_count_;
      }
      places[sorted[i].index] = static_cast<std::uint32_t>(word_count_ - 1);
    }
    index_->words = builder.finish();
    for (std::size_t i = 0; i < gatherers_.size(); ++i) {
      const auto from = places.begin() + first_of[i];
      places_.emplace_back(from, from + static_cast<std::ptrdiff_t>(gatherers_[i]->words()));
    }
    return {};
  }

  // Puts each name into the list of its word and field; sorts the lists.
  Result<void> merge_postings() {
    std::vector<std::uint64_t> starts(word_count_ * kTextFields + 1);
    const auto list_of = [this](std::size_t gatherer, const Posting& posting) {
      return std::size_t{places_[gatherer][posting.word]} * kTextFields +
             static_cast<std::size_t>(posting.field);
    };
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < gatherers_.size(); ++i) {
      for (const Posting& posting : gatherers_[i]->postings()) ++starts[list_of(i, posting) + 1];
      total += gatherers_[i]->postings().size();
    }
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    HELVE_TRY(charge_.add(starts.size() * 2 * sizeof(std::uint64_t) + total * sizeof(Name)));
    std::vector<Name> lists(total);
    std::vector<std::uint64_t> ends(starts.begin(), starts.end() - 1);
    for (std::size_t i = 0; i < gatherers_.size(); ++i) {
      HELVE_TRY(context_.check());
      for (const Posting& posting : gatherers_[i]->postings()) {
        lists[ends[list_of(i, posting)]++] = posting.name;
      }
    }
    return pack_lists(lists, starts);
  }

  // Sorts each list and leaves out what repeats.
  Result<void> pack_lists(std::vector<Name>& lists, std::vector<std::uint64_t>& starts) {
    PacedCheck paced(context_);
    std::uint64_t kept = 0;
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      const auto begin = lists.begin() + static_cast<std::ptrdiff_t>(starts[i]);
      const auto end = lists.begin() + static_cast<std::ptrdiff_t>(starts[i + 1]);
      if (!std::is_sorted(begin, end)) std::sort(begin, end);
      const auto unique_end = std::unique(begin, end);
      starts[i] = kept;
      std::copy(begin, unique_end, lists.begin() + static_cast<std::ptrdiff_t>(kept));
      kept += static_cast<std::uint64_t>(unique_end - begin);
      HELVE_TRY(paced.add(static_cast<std::uint64_t>(end - begin) * 16));
    }
    starts.back() = kept;
    index_->lists = pack_column<Name>(std::span<const Name>(lists.data(), kept));
    index_->starts = pack_column<std::uint64_t>(starts);
    find_bests(lists, starts);
    return {};
  }

  // So that the best of very many words are found without looking at each.
  void find_bests(const std::vector<Name>& lists, const std::vector<std::uint64_t>& starts) {
    constexpr std::uint64_t kKinds = TextIndex::kKinds;
    const auto none = static_cast<Name>(index_->size());
    std::vector<Name> bests(TextIndex::groups_of(word_count_) * kKinds, none);
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      const auto begin = lists.begin() + static_cast<std::ptrdiff_t>(starts[i]);
      const auto end = lists.begin() + static_cast<std::ptrdiff_t>(starts[i + 1]);
      const std::uint64_t group = i / kTextFields / TextIndex::kGroupWords;
      for (std::uint64_t kind = 0; kind < kKinds; ++kind) {
        const auto names = index_->names_of(static_cast<NameKind>(kind + 1));
        const auto first = std::lower_bound(begin, end, names.first);
        if (first == end || *first >= names.second) continue;
        Name& best = bests[group * kKinds + kind];
        best = std::min(best, *first);
      }
    }
    index_->bests = pack_column<Name>(bests);
  }

  Result<void> merge_wholes() {
    std::vector<WholeText> wholes;
    for (const auto& gatherer : gatherers_) {
      wholes.insert(wholes.end(), gatherer->wholes().begin(), gatherer->wholes().end());
      gatherer->forget_postings();
    }
    HELVE_TRY(charge_.add(wholes.capacity() * sizeof(WholeText)));
    std::sort(wholes.begin(), wholes.end());
    wholes.erase(std::unique(wholes.begin(), wholes.end()), wholes.end());
    HELVE_TRY(context_.check());
    index_->wholes = pack_column<std::uint32_t>(
        wholes.size(), [&](std::uint64_t i) { return wholes[i].checksum; });
    index_->holders = pack_column<std::uint32_t>(wholes.size(),
                                                 [&](std::uint64_t i) { return wholes[i].holder; });
    return {};
  }

  const Snapshot& snapshot_;
  const Dictionary& dictionary_;
  const OpContext& context_;
  const std::uint64_t seed_ = real_env().random().next_u64();
  MemoryCharge charge_;
  std::shared_ptr<TextIndex> index_ = std::make_shared<TextIndex>();
  std::vector<Name> names_;  // by code
  std::vector<IndexTask> tasks_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Gatherer>> gatherers_;
  std::vector<std::vector<std::uint32_t>> places_;  // by gatherer and word
  std::uint64_t word_count_ = 0;
};

}  // namespace

Result<std::shared_ptr<const TextIndex>> build_text_index(const Snapshot& snapshot,
                                                          const OpContext& context) {
  return TextIndexBuilder(snapshot, context).run();
}

}  // namespace helve::store
