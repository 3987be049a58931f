// PlanNode: one step of a plan as people see it: what it does, what was expected of it and, after a
// measured run, what it did. Operators are made beside it; make_measured() watches one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "sources/sparql/engine/operator.h"

namespace helve::sparql {

struct PlanNode {
  std::string name;    // "index join"
  std::string detail;  // the pattern, the condition, the variables
  std::string order;   // of the index: "pso"; empty: none is used
  double estimated_rows = 0;
  double cost = 0;  // of this step and those below it, in nanoseconds of a machine of its time
  std::vector<PlanNode*> inputs;
  bool is_per_row = false;         // run for rows of another node: estimates are for one of them
  const PlanNode* seed = nullptr;  // gives it those rows; null: one for each start

  // Of a measured run.
  std::uint64_t rows = 0;
  std::uint64_t starts = 0;
  std::uint64_t ends = 0;           // starts whose rows were taken to the last one
  Duration time{};                  // with what is below it
  std::ptrdiff_t bytes = 0;         // charged by this step now
  std::ptrdiff_t peak_bytes = 0;    // and at most
  std::uint64_t spilled_bytes = 0;  // written to temporary files
};

// True for the step that gives a plan the rows of another one, or the one empty row. Nothing is to
// be estimated there.
bool is_seed(const PlanNode& node);

// The root and all below it run for rows of another step.
void set_per_row(PlanNode& root);

// The node must outlive it.
OperatorPtr make_measured(OperatorPtr made, PlanNode& node, RunState& run);

}  // namespace helve::sparql
