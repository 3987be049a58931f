// What an experiment was to show: each with its figures, whatever they are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/experiment/cell_comparison.h"

namespace helve::agent {

enum class Outcome : std::uint8_t { Yes, No, NotMeasured };
std::string_view name_of(Outcome outcome);  // "not measured"

struct Criterion {
  std::string cells;  // "E7"
  std::string claim;  // "handle tools return less than half as many large replies as naive ones"
  Outcome outcome = Outcome::NotMeasured;
  std::string figures;                      // in words; of what is not measured, why
  std::vector<CellComparison> comparisons;  // the same as numbers, what the outcome rests on first
};

// Of cells that were not run nothing is said; where nothing could have refuted a claim, it is not
// measured. A claim holds by the means of the tasks that both have; the interval of the difference
// is told.
std::vector<Criterion> criteria_of(const SetResult& set, std::uint64_t seed);

}  // namespace helve::agent
