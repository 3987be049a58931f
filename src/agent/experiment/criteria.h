// What an experiment was to show: each with its figures, whatever they are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/experiment/figures.h"

namespace helve::agent {

enum class Outcome : std::uint8_t { Yes, No, NotMeasured };
std::string_view name_of(Outcome outcome);  // "not measured"

struct Criterion {
  std::string cells;  // "E7"
  std::string claim;  // "handle tools return less than half as many large replies as naive ones"
  Outcome outcome = Outcome::NotMeasured;
  std::string figures;  // in words; of what is not measured, why
};

// Of cells that were not run nothing is said. A claim holds by the means; the interval of what it
// rests on is told.
std::vector<Criterion> criteria_of(const SetResult& set, std::uint64_t seed);

// "0.62 [0.51, 0.72]"; numbers above 100 without decimals. "-": nothing was measured.
std::string estimate_words(const Estimate& estimate);
std::string number_words(double number);

}  // namespace helve::agent
