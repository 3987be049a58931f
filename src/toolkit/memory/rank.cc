#include "toolkit/memory/rank.h"

#include <algorithm>
#include <cmath>

namespace helve::memory {

namespace {

struct RankTerm {
  std::uint32_t hash = 0;
  double rarity = 0;
};

std::vector<RankTerm> terms_with_rarity(const Candidates& candidates,
                                        const std::vector<std::string>& terms) {
  std::vector<RankTerm> out;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    out.push_back(
        {Bag::hash_of(terms[i]), term_rarity(candidates.documents, candidates.frequencies[i])});
  }
  return out;
}

double bm25(const Candidate& candidate, const std::vector<RankTerm>& terms, double average_length) {
  const double norm = length_norm(static_cast<double>(candidate.length), average_length);
  double score = 0;
  for (const RankTerm& term : terms) {
    const std::uint32_t weight = candidate.bag.weight_of_hash(term.hash);
    if (weight > 0) score += term.rarity * term_part(weight, norm);
  }
  return score;
}

// The share of the question's words that the item has.
double word_overlap(const Candidate& candidate, const std::vector<RankTerm>& terms) {
  const auto shared = std::count_if(terms.begin(), terms.end(), [&](const RankTerm& term) {
    return candidate.bag.weight_of_hash(term.hash) > 0;
  });
  return static_cast<double>(shared) / static_cast<double>(terms.size());
}

}  // namespace

double term_rarity(std::uint64_t documents, std::uint64_t frequency) {
  const auto all = static_cast<double>(documents);
  const auto have = static_cast<double>(std::min(frequency, documents));
  return std::log(1 + (all - have + 0.5) / (have + 0.5));
}

double score_max(double rarity) { return rarity * (kSaturation + 1); }

double history_factor(const Candidate& candidate, WallTime now) {
  constexpr double kUseMost = 0.1;
  constexpr double kAgeMost = 0.1;
  constexpr std::chrono::duration<double> kHalfLife = std::chrono::hours(24 * 180);
  const double helped = static_cast<double>(candidate.counters.helped);
  const double hurt = static_cast<double>(candidate.counters.hurt);
  // Towards one end with many judgements, at 0 with none.
  const double use = (helped - hurt) / (helped + hurt + 2);
  const WallTime last =
      std::max(candidate.created_at, candidate.last_used_at.value_or(candidate.created_at));
  const std::chrono::duration<double> age = std::max(now - last, WallTime::duration::zero());
  return 1 + kUseMost * use - kAgeMost * (1 - std::exp2(-age / kHalfLife));
}

std::vector<Ranked> rank(const Candidates& candidates, const std::vector<std::string>& terms,
                         const RankOptions& options, std::size_t count) {
  if (terms.empty() || candidates.documents == 0) return {};
  const std::vector<RankTerm> weighed = terms_with_rarity(candidates, terms);
  const double average = std::max(1.0, static_cast<double>(candidates.total_length) /
                                           static_cast<double>(candidates.documents));
  std::vector<Ranked> ranked;
  for (const Candidate& one : candidates.items) {
    double score = options.ranker == Ranker::WordOverlap ? word_overlap(one, weighed)
                                                         : bm25(one, weighed, average);
    if (score <= 0) continue;
    if (options.uses_history) score *= history_factor(one, options.now);
    ranked.push_back({one.id, score});
  }
  const auto is_better = [](const Ranked& left, const Ranked& right) {
    return left.score != right.score ? left.score > right.score : left.id < right.id;
  };
  count = std::min(count, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count),
                    ranked.end(), is_better);
  ranked.resize(count);
  return ranked;
}

}  // namespace helve::memory
