// Pieces of SPO are walked side by side, each into a collector of its own. What the subjects of
// the sets left out have is the difference between the totals and what was kept: nothing needs to
// be remembered of them.
#include "sources/store/characteristic_sets.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/env.h"
#include "base/executor.h"
#include "sources/store/characteristic_set_collector.h"

namespace helve::store {

namespace {

using Collector = CharacteristicSetCollector;

// The subjects with codes [first, last), walked in the order of SPO.
class SubjectWalk {
 public:
  SubjectWalk(const Indexes& indexes, std::uint64_t hash_start, Collector& collector)
      : spo_(indexes[Order::Spo]),
        has_repeats_(indexes.repeated_triples > 0),
        hash_start_(hash_start),
        collector_(collector) {}

  Result<void> run(Code first, Code last, const OpContext& context) {
    for (Code subject = first; subject < last; ++subject) {
      const RowRange rows = spo_.rows_of(subject);
      if (rows.empty()) continue;
      hash_ = hash_start_;
      predicates_.clear();
      triples_.clear();
      for (std::uint64_t row = rows.first; row < rows.last;) {
        if (row >= buffered_.last) {
          HELVE_TRY(context.check());
          fill({row, std::min(row + kBufferRows, spo_.rows())});
        }
        const std::uint64_t end = std::min(rows.last, buffered_.last);
        while (row < end) take(static_cast<std::size_t>(row++ - buffered_.first));
      }
      HELVE_TRY(collector_.add(predicates_, triples_, hash_, 1));
    }
    return {};
  }

 private:
  static constexpr std::size_t kBufferRows = 4'096;

  void fill(RowRange rows) {
    buffered_ = rows;
    spo_.read(rows, 1, predicate_column_.data());
    if (has_repeats_) spo_.read(rows, 2, object_column_.data());
  }

  void take(std::size_t at) {
    const Code predicate = predicate_column_[at];
    if (predicates_.empty() || predicates_.back() != predicate) {
      predicates_.push_back(predicate);
      triples_.push_back(1);
      hash_ = Collector::hash_step(hash_, predicate);
    } else if (!has_repeats_ || object_column_[at] != object_) {
      ++triples_.back();
    }
    object_ = object_column_[at];
  }

  const Permutation& spo_;
  const bool has_repeats_;  // the same triple in another graph is the next row
  const std::uint64_t hash_start_;
  Collector& collector_;
  RowRange buffered_;
  std::array<Code, kBufferRows> predicate_column_;
  std::array<Code, kBufferRows> object_column_{};
  std::uint64_t hash_ = 0;
  Code object_ = 0;
  std::vector<Code> predicates_;  // of the current subject
  std::vector<std::uint32_t> triples_;
};

// Boundaries of pieces with about as many rows each: codes, one more than pieces. The number of
// pieces does not depend on the machine, and so neither do the results.
std::vector<Code> cut_subjects(const Permutation& spo) {
  constexpr std::uint64_t kPieceRows = 131'072;
  constexpr std::uint64_t kPiecesMax = 16;
  const std::uint64_t pieces = std::clamp<std::uint64_t>(spo.rows() / kPieceRows, 1, kPiecesMax);
  std::vector<Code> bounds;
  for (std::uint64_t i = 0; i < pieces; ++i) {
    bounds.push_back(i == 0 ? spo.leading_codes().first : spo.leading(spo.rows() / pieces * i));
  }
  bounds.push_back(spo.leading_codes().second);
  return bounds;
}

Result<Collector> collect(const Indexes& indexes, const OpContext& context) {
  const std::vector<Code> bounds = cut_subjects(indexes[Order::Spo]);
  const std::uint64_t hash_start = real_env().random().next_u64();  // no result depends on it
  std::vector<Collector> pieces;
  for (std::size_t i = 1; i < bounds.size(); ++i) pieces.emplace_back(*context.memory);
  HELVE_TRY(parallel_for(pieces.size(), context, [&](std::size_t i) {
    return SubjectWalk(indexes, hash_start, pieces[i]).run(bounds[i], bounds[i + 1], context);
  }));
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    HELVE_TRY(context.check());
    HELVE_TRY(pieces[0].add_all(pieces[i]));
  }
  return std::move(pieces[0]);
}

// The most frequent sets that fit, in that order.
std::vector<std::uint32_t> choose(const Collector& collector) {
  std::vector<std::uint32_t> order = collector.by_frequency();
  std::size_t members = 0;
  std::size_t kept = 0;
  while (kept < std::min(order.size(), CharacteristicSets::kSetsMax)) {
    members += collector.predicates(order[kept]).size();
    if (members > CharacteristicSets::kMembersMax) break;
    ++kept;
  }
  order.resize(kept);
  return order;
}

// Turns sets with predicates into predicates with sets.
class Inversion {
 public:
  Inversion(const Collector& collector, std::span<const PredicateTotal> totals)
      : collector_(collector), totals_(totals), order_(choose(collector)) {}

  CharacteristicSets run(std::uint64_t subjects_total) {
    std::vector<Code> predicates;
    for (const PredicateTotal& total : totals_) predicates.push_back(total.predicate);
    std::vector<std::uint32_t> starts(totals_.size() + 1, 0);
    for_each_member([&](std::size_t at, std::size_t, std::uint32_t) { ++starts[at + 1]; });
    for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
    std::vector<std::uint32_t> next(starts.begin(), starts.end() - 1);
    std::vector<std::uint32_t> sets(starts.back());
    std::vector<std::uint32_t> triples(starts.back());
    for_each_member([&](std::size_t at, std::size_t set, std::uint32_t count) {
      sets[next[at]] = static_cast<std::uint32_t>(set);
      triples[next[at]++] = count;
    });
    std::vector<std::uint32_t> subjects;
    for (const std::uint32_t set : order_) subjects.push_back(collector_.subjects(set));
    CharacteristicSets out;
    out.other_subjects = subjects_total;
    for (const std::uint32_t count : subjects) out.other_subjects -= count;
    out.subjects = Column<std::uint32_t>::own(std::move(subjects));
    out.predicates = Column<Code>::own(std::move(predicates));
    out.starts = Column<std::uint32_t>::own(std::move(starts));
    out.sets = Column<std::uint32_t>::own(std::move(sets));
    out.triples = Column<std::uint32_t>::own(std::move(triples));
    if (out.other_subjects > 0) add_others(out);
    return out;
  }

 private:
  template <typename Visit>
  void for_each_member(Visit&& visit) const {
    for (std::size_t set = 0; set < order_.size(); ++set) {
      const auto predicates = collector_.predicates(order_[set]);
      const auto triples = collector_.triples(order_[set]);
      for (std::size_t i = 0; i < predicates.size(); ++i)
        visit(place(predicates[i]), set, triples[i]);
    }
  }

  std::size_t place(Code predicate) const {
    const auto found = std::lower_bound(
        totals_.begin(), totals_.end(), predicate,
        [](const PredicateTotal& total, Code code) { return total.predicate < code; });
    return static_cast<std::size_t>(found - totals_.begin());
  }

  void add_others(CharacteristicSets& out) const {
    std::vector<std::uint32_t> with;
    std::vector<std::uint32_t> triples;
    for (std::size_t at = 0; at < totals_.size(); ++at) {
      std::uint64_t subjects_left = totals_[at].subjects;
      std::uint64_t triples_left = totals_[at].triples;
      for (std::uint32_t i = out.starts[at]; i < out.starts[at + 1]; ++i) {
        subjects_left -= out.subjects[out.sets[i]];
        triples_left -= out.triples[i];
      }
      with.push_back(static_cast<std::uint32_t>(subjects_left));
      triples.push_back(static_cast<std::uint32_t>(triples_left));
    }
    out.other_subjects_with = Column<std::uint32_t>::own(std::move(with));
    out.other_triples = Column<std::uint32_t>::own(std::move(triples));
  }

  const Collector& collector_;
  std::span<const PredicateTotal> totals_;
  std::vector<std::uint32_t> order_;
};

}  // namespace

std::size_t CharacteristicSets::memory_bytes() const {
  return subjects.bytes() + predicates.bytes() + starts.bytes() + sets.bytes() + triples.bytes() +
         other_subjects_with.bytes() + other_triples.bytes();
}

Result<CharacteristicSets> compute_characteristic_sets(const Indexes& indexes,
                                                       std::span<const PredicateTotal> totals,
                                                       std::uint64_t subjects,
                                                       const OpContext& context) {
  if (totals.empty()) return CharacteristicSets{};
  HELVE_ASSIGN(const Collector collector, collect(indexes, context));
  return Inversion(collector, totals).run(subjects);
}

}  // namespace helve::store
