// A plan as people and programs read it: an indented tree of its steps, or JSON. plan_node.h has
// what is shown.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "sources/sparql/engine/plan_node.h"

namespace helve::sparql {

struct PlanView {
  bool is_measured = false;  // the plan ran (Explain::Measured), to its end or not
  std::vector<std::pair<std::string, std::string>> prefixes;  // IRIs are shortened by these
};

// The estimate of a measured step against what came, both at least one row: 1 is right. That of a
// step that runs for rows of another is for all of them. 0 where it cannot be told: the step never
// ran, or not to its end, or is_seed().
double q_error(const PlanNode& node);

// A header and a line for each step, a step above those it takes its rows from: what was expected
// of it, what it did, its name and its pattern. Harmless on a terminal, whatever the query has.
std::string plan_to_text(const PlanNode& root, const PlanView& view);

// One object: operator, pattern, order (where they are), is_per_row, estimated_rows, cost; where
// measured also rows, starts, seconds, peak_bytes, spilled_bytes (where there are some), q_error,
// is_cut_short; and inputs, objects like it. Of a step that runs for rows of another, rows are
// those of one of them on average, as the estimate is. Numbers are finite.
void write_plan(JsonWriter& json, const PlanNode& root, const PlanView& view);

}  // namespace helve::sparql
