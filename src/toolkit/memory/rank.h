// Ranking of candidates for a question: BM25 of our own, and the plain word overlap that it is
// compared with. repository.h finds the candidates.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "toolkit/memory/repository.h"

namespace helve::memory {

// Fusion is BM25 and vectors together, which is for bank.h to put together; here it is BM25.
enum class Ranker : std::uint8_t { Bm25, WordOverlap, Fusion };

struct RankOptions {
  Ranker ranker = Ranker::Bm25;
  bool uses_history = true;  // counters and age, by a fifth at most
  WallTime now{};
};

struct Ranked {
  std::string id;
  double score = 0;
};

// The best `count` first; those with the same score by id. Candidates without any of the terms are
// left out.
std::vector<Ranked> rank(const Candidates& candidates, const std::vector<std::string>& terms,
                         const RankOptions& options, std::size_t count);

// The parts of BM25. A word of an item adds rarity * term_part(), which is below score_max().
// How much a word tells: the more, the fewer of the documents have it.
double term_rarity(std::uint64_t documents, std::uint64_t frequency);
inline constexpr double kSaturation = 1.2;  // k1
inline constexpr double kByLength = 0.75;   // b
inline double length_norm(double length, double average_length) {
  return kSaturation * (1 - kByLength + kByLength * length / average_length);
}
inline double term_part(std::uint32_t weight, double norm) {
  const double times = static_cast<double>(weight) / kWeightUnit;
  return times * (kSaturation + 1) / (times + norm);
}
double score_max(double rarity);

// What counters and age make of a score: between 0.8 and 1.1, never 0.
double history_factor(const Candidate& candidate, WallTime now);

}  // namespace helve::memory
