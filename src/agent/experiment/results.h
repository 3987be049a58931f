// The results of an experiment as JSON, for programs, and as a text for terminals. report.h is the
// same for browsers.
#pragma once

#include <string>

#include "agent/experiment/criteria.h"
#include "agent/experiment/figures.h"

namespace helve::agent {

inline constexpr std::uint64_t kResultsVersion = 1;

// results.json: every run, the estimates of every cell, the criteria. No times: the same runs give
// the same bytes.
JsonValue to_json(const ExperimentResult& result);

// Tables of at most `width` columns, criteria, and what failed. Texts of others are made harmless.
std::string summary_text(const ExperimentResult& result, std::size_t width);

// One line of a table or plot: a cell, or one pass of a cell that has several.
struct ResultRow {
  const CellResult* cell = nullptr;
  std::size_t pass = 1;
  std::string name;  // "E9, pass 2"
};
std::vector<ResultRow> rows_of(const SetResult& set);

// Whether anything was paid for; otherwise tokens are what runs are compared by.
bool has_costs(const SetResult& set);

}  // namespace helve::agent
