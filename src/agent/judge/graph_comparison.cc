#include "agent/judge/graph_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "agent/judge/row_match.h"
#include "base/text.h"
#include "toolkit/handles/graph_rows.h"

namespace helve::agent {

namespace {

using learning::Verdict;

constexpr std::size_t kParts = 3;

bool has_blanks(const CodedTable& table) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [](const CodedColumn& column) { return column.has_blanks; });
}

std::uint64_t rows_without_blanks(const CodedTable& table) {
  std::uint64_t count = 0;
  for (std::uint64_t row = 0; row < table.table->rows(); ++row) {
    bool has_one = false;
    for (std::size_t part = 0; part < kParts; ++part) has_one |= table.at(row, part).blank != 0;
    count += has_one ? 0U : 1U;
  }
  return count;
}

// Values by their codes, as rows are matched: rough where doubles are about on either side, and
// languages only of texts that have one wherever they stand. The tables outlive it.
toolkit::ValueName names_of(const CodedTable& table, const CodedTable& other) {
  std::set<std::uint32_t> plain;
  for (const CodedTable* const one : {&table, &other}) {
    for (const CellCode& code : one->terms) {
      if (code.language == 0) plain.insert(code.exact);
    }
  }
  return [&table, &other, plain = std::move(plain)](std::uint64_t row, std::size_t part) {
    const CellCode& code = table.at(row, part);
    const bool is_rough = table.columns[part].is_approximate || other.columns[part].is_approximate;
    return fmt::format("{} {}", is_rough ? code.rough : code.exact,
                       plain.contains(code.exact) ? 0 : code.language);
  };
}

void take_matched_rows(const RowMatch& rows, Comparison& comparison) {
  comparison.reference_rows = rows.reference_rows;
  comparison.rows = rows.rows;
  comparison.common = std::min(rows.found, rows.right);
  comparison.precision = rows.precision();
  comparison.recall = rows.recall();
  comparison.f1 = rows.f1();
}

Result<void> check_graph_size(const toolkit::RowTable& table, const ComparisonOptions& options) {
  if (table.rows() <= options.rows_max) return {};
  return Error{ErrorCode::LimitExceeded,
               fmt::format("a graph of {} statements is too large to be compared, {} are allowed",
                           format_count(table.rows()), format_count(options.rows_max)),
               "ask for less"};
}

}  // namespace

Result<Comparison> compare_graphs(const toolkit::RowTable& reference,
                                  const toolkit::RowTable& candidate,
                                  const ComparisonOptions& options, const OpContext& context) {
  HELVE_TRY(check_graph_size(reference, options));
  HELVE_TRY(check_graph_size(candidate, options));
  ValueCodes codes(context);
  HELVE_ASSIGN(const CodedTables coded, codes.encode(reference, candidate));
  const CodedTable& left = coded.reference;
  const CodedTable& right = coded.candidate;
  HELVE_ASSIGN(RowMatch rows, match_rows(left, right, {0, 1, 2}, false, context));
  bool is_same = rows.is_same();
  bool is_connected_otherwise = false;
  if (is_same && has_blanks(left)) {
    HELVE_ASSIGN(is_same, toolkit::are_same_graphs(reference, names_of(left, right), candidate,
                                                   names_of(right, left), context));
    is_connected_otherwise = !is_same;
    if (!is_same) rows.found = rows.right = rows_without_blanks(left);
  }
  Comparison comparison;
  comparison.columns = {0, 1, 2};
  take_matched_rows(rows, comparison);
  if (is_same) {
    comparison.verdict = Verdict::Correct;
    comparison.says = fmt::format("the same graph of {} statement{}", format_count(rows.rows),
                                  rows.rows == 1 ? "" : "s");
    return comparison;
  }
  if (comparison.common > 0) comparison.verdict = Verdict::Partial;
  comparison.says =
      is_connected_otherwise
          ? std::string("the statements are alike, but blank nodes are connected otherwise")
          : fmt::format(
                "{} of {} statements are there, and {} that should not be",
                format_count(comparison.common), format_count(comparison.reference_rows),
                format_count(comparison.rows - std::min(comparison.rows, comparison.common)));
  return comparison;
}

}  // namespace helve::agent
