// Two cells, or two passes of one, by one figure: on the tasks that both have, drawn together.
#pragma once

#include <string>

#include "agent/experiment/figures.h"

namespace helve::agent {

// A pass of a cell.
struct PassOf {
  const CellResult& cell;
  std::size_t pass = 1;
};
std::string name_of(const PassOf& pass);  // "E9, pass 2"; of a cell with one pass its id

struct CellComparison {
  std::string left;
  std::string right;
  Measure measure = Measure::Success;
  // Of the tasks that both have: tasks that one could not be judged by count in neither.
  Estimate left_mean;
  Estimate right_mean;
  Estimate difference;  // left less right
  Estimate ratio;       // left in parts of right; no values where the right is zero

  bool is_measured() const { return difference.values > 0; }
  // By the means, beyond what adding up numbers may make of equal ones.
  bool is_more() const;
  bool is_less() const;
  // More of what is good, less of what costs.
  bool is_better() const;
};

CellComparison compare(const SetResult& set, const PassOf& left, const PassOf& right,
                       Measure measure, std::uint64_t seed);
// What each layer, and all of them, are worth: E2 to E6 against E1.
std::vector<CellComparison> compare_layers(const SetResult& set, std::uint64_t seed);

// "success 0.62 [0.51, 0.72] against 0.50 [0.40, 0.61], difference 0.12 [0.02, 0.21]"
std::string comparison_words(const CellComparison& comparison);
JsonValue to_json(const CellComparison& comparison);
JsonValue to_json(const Estimate& estimate);  // null: nothing was measured

// "0.62 [0.51, 0.72]"; numbers above 100 without decimals. "-": nothing was measured.
std::string estimate_words(const Estimate& estimate);
std::string number_words(double number);

}  // namespace helve::agent
