// Which column of one result is which of the other: found by what is in them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agent/judge/coded_table.h"
#include "agent/judge/row_match.h"

namespace helve::agent {

struct MatchedColumns {
  std::optional<ColumnMatching> columns;  // none: some column has nothing in common with any
  RowMatch rows;                          // as they are then
  bool is_complete = true;                // false: there were more matchings than were tried
};

struct MatchSearch {
  bool is_bag = false;
  bool is_ordered = false;
  std::uint64_t matchings_max = 1'000;    // that are tried with all rows
  std::uint64_t cells_max = 400'000'000;  // that are read for that, about; one is always tried
};

// The best of all injective matchings: by F1, then by the order of the rows, then by the names of
// the columns and their places. Those that cannot be right are not tried as long as one can be.
// REQUIRES: at least as many columns in the candidate, and rows in both.
Result<MatchedColumns> match_columns(const CodedTable& reference, const CodedTable& candidate,
                                     const MatchSearch& search, const OpContext& context);

// For each column of the reference the most similar one that is left, if any has anything in common
// with it: for telling which are missing.
std::vector<std::optional<std::size_t>> similar_columns(const CodedTable& reference,
                                                        const CodedTable& candidate);

}  // namespace helve::agent
