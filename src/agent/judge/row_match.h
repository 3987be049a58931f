// Rows of two tables beside each other, once it is settled which column is which (column_match.h).
#pragma once

#include <cstdint>
#include <vector>

#include "agent/judge/coded_table.h"

namespace helve::agent {

// For each column of the reference the one of the candidate.
using ColumnMatching = std::vector<std::size_t>;

struct RowMatch {
  std::uint64_t reference_rows = 0;  // different ones, unless they are compared as bags
  std::uint64_t rows = 0;
  std::uint64_t found = 0;  // rows of the reference that the candidate has
  std::uint64_t right = 0;  // rows of the candidate that the reference has
  bool is_same_order = true;

  bool is_same() const { return found == reference_rows && right == rows; }
  double precision() const;
  double recall() const;
  double f1() const;
};

// Languages count where both texts have one. Blank nodes are counted, not told apart: two rows that
// differ in them alone are two rows, and each is equal to any such row of the other table.
Result<RowMatch> match_rows(const CodedTable& reference, const CodedTable& candidate,
                            const ColumnMatching& columns, bool is_bag, const OpContext& context);

}  // namespace helve::agent
