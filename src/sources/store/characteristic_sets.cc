// Pieces of SPO are walked side by side, each into a collector of its own. What the subjects of
// the sets left out have is the difference between the totals and what was kept: nothing needs to
// be remembered of them.
#include "sources/store/characteristic_sets.h"

#include <algorithm>
#include <array>
#include <cmath>
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
std::vector<Code> cut(const Permutation& spo) {
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
  const std::vector<Code> bounds = cut(indexes[Order::Spo]);
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

// A predicate's list of sets, read from the front.
struct Postings {
  std::size_t predicate = 0;
  std::uint32_t at = 0;
  std::uint32_t end = 0;

  std::uint32_t size() const { return end - at; }

  // True when `set` is in the list; what is before it is passed over in growing steps.
  bool reach(const Column<std::uint32_t>& sets, std::uint32_t set) {
    constexpr std::uint32_t kNear = 4;
    for (const std::uint32_t near = std::min(at + kNear, end); at < near; ++at) {
      if (sets[at] >= set) return sets[at] == set;
    }
    std::uint32_t behind = at;
    for (std::uint32_t step = 1; behind < end && sets[behind] < set; step *= 2) {
      at = behind + 1;
      behind = step < end - behind ? behind + step : end;
    }
    const auto* const found = std::lower_bound(sets.begin() + at, sets.begin() + behind, set);
    at = static_cast<std::uint32_t>(found - sets.begin());
    return at < end && sets[at] == set;
  }
};

// The subjects left out, of which only single predicates are known. Predicates of one subject are
// rarely independent: each further one, the rarest first, counts with half the weight in the
// exponent of that before, which lies between independence and the rarest alone.
sparql::StarCounts estimate_others(const CharacteristicSets& sets,
                                   std::span<const Postings> wanted) {
  if (sets.other_subjects == 0) return {};
  const auto all = static_cast<double>(sets.other_subjects);
  std::vector<double> fractions;
  double rows_for_each = 1;
  for (const Postings& postings : wanted) {
    const double with = sets.other_subjects_with[postings.predicate];
    if (with == 0) return {};
    fractions.push_back(with / all);
    rows_for_each *= sets.other_triples[postings.predicate] / with;
  }
  std::sort(fractions.begin(), fractions.end());
  double subjects = all;
  double weight = 1;
  for (const double fraction : fractions) {
    subjects *= std::pow(fraction, weight);
    weight /= 2;
  }
  return {subjects, subjects * rows_for_each};
}

}  // namespace

sparql::StarCounts CharacteristicSets::star_counts(std::span<const Code> wanted) const {
  std::vector<Postings> lists;
  for (const Code code : wanted) {
    const auto* const found = std::lower_bound(predicates.begin(), predicates.end(), code);
    if (found == predicates.end() || *found != code) return {};
    const auto place = static_cast<std::size_t>(found - predicates.begin());
    lists.push_back({place, starts[place], starts[place + 1]});
  }
  sparql::StarCounts counts = estimate_others(*this, lists);
  if (lists.empty()) {
    for (const std::uint32_t count : subjects) counts.subjects += count;
    counts.rows = counts.subjects;
    return counts;
  }
  std::sort(lists.begin(), lists.end(),
            [](const Postings& a, const Postings& b) { return a.size() < b.size(); });
  for (Postings& shortest = lists[0]; shortest.at < shortest.end; ++shortest.at) {
    const std::uint32_t set = sets[shortest.at];
    const std::uint32_t count = subjects[set];
    double rows = triples[shortest.at];
    bool has_all = true;
    for (std::size_t i = 1; i < lists.size() && has_all; ++i) {
      has_all = lists[i].reach(sets, set);
      if (has_all && triples[lists[i].at] != count)
        rows *= triples[lists[i].at] / static_cast<double>(count);
    }
    if (!has_all) continue;
    counts.subjects += count;
    counts.rows += rows;
  }
  return counts;
}

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
