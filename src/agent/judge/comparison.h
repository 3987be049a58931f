// Comparing two results: what a query brought with what it should have brought. Column names do not
// count; columns are matched by what is in them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "toolkit/handles/row_table.h"
#include "toolkit/learning/extract.h"

namespace helve::agent {

struct ComparisonOptions {
  bool is_ordered = false;          // rows in this order
  bool is_bag = false;              // rows as often as there; false: as a set
  bool allows_more_columns = true;  // beside those of the reference: labels help readers
  std::size_t columns_max = 64;
  std::uint64_t rows_max = 1'000'000;  // of each
};

struct Comparison {
  // Correct: nothing is missing, and nothing is too much. Partial: some rows are common. Never
  // None.
  learning::Verdict verdict = learning::Verdict::Incorrect;
  double precision = 0;
  double recall = 0;
  double f1 = 0;
  std::uint64_t reference_rows = 0;  // that were compared: different ones for a set
  std::uint64_t rows = 0;
  std::uint64_t common = 0;
  std::vector<std::optional<std::size_t>> columns;  // for each of the reference: which one it is
  std::size_t more_columns = 0;
  std::size_t missing_columns = 0;  // then no rows were compared
  bool is_order_wrong = false;      // the same rows otherwise
  std::string says;                 // why, in a sentence with figures, without values of the data
};

// Two results without rows are Correct by definition, with precision and recall 1. Order is that of
// the reference, for rows that are tied too.
// Numbers are equal by value whatever their type and form; texts with and without a language tag
// are (different tags are not); blank nodes by where they stand alone. The best of all matchings of
// columns counts; where there are too many, a good one, and `says` tells. LimitExceeded beyond
// the limits.
Result<Comparison> compare_results(const toolkit::RowTable& reference,
                                   const toolkit::RowTable& candidate,
                                   const ComparisonOptions& options, const OpContext& context);

}  // namespace helve::agent
