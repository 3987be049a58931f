#include "agent/judge/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "agent/judge/column_match.h"
#include "base/text.h"
#include "toolkit/handles/value_key.h"

namespace helve::agent {

namespace {

using learning::Verdict;

Result<void> check_size(const toolkit::RowTable& table, const ComparisonOptions& options,
                        std::string_view which) {
  const std::size_t columns_max = std::min(options.columns_max, kCodedColumnsMax);
  if (table.columns().size() > columns_max) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("{} has {} columns, and {} can be compared", which,
                             table.columns().size(), columns_max),
                 "ask for the columns that matter"};
  }
  if (table.rows() > options.rows_max) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("{} has {} rows, and {} can be compared", which,
                             format_count(table.rows()), format_count(options.rows_max)),
                 "ask for less, or count"};
  }
  return {};
}

std::string rows_of(std::uint64_t count) {
  return fmt::format("{} row{}", format_count(count), count == 1 ? "" : "s");
}

std::string columns_of(std::size_t count) {
  return fmt::format("{} column{}", count, count == 1 ? "" : "s");
}

void take_rows(const RowMatch& rows, Comparison& comparison) {
  comparison.reference_rows = rows.reference_rows;
  comparison.rows = rows.rows;
  comparison.common = std::min(rows.found, rows.right);
  comparison.precision = rows.precision();
  comparison.recall = rows.recall();
  comparison.f1 = rows.f1();
}

std::string figures_of(const Comparison& comparison) {
  if (comparison.common == 0) {
    return fmt::format("nothing of {} is among {}", rows_of(comparison.reference_rows),
                       rows_of(comparison.rows));
  }
  return fmt::format(
      "{} of {} are there, and {} that should not be (precision {:.2f}, recall "
      "{:.2f})",
      format_count(comparison.common), rows_of(comparison.reference_rows),
      format_count(comparison.rows - std::min(comparison.rows, comparison.common)),
      comparison.precision, comparison.recall);
}

// What a cell could be the answer as: numbers, truths, IRIs, texts, moments ...
char kind_of(const toolkit::ValueKey& key) { return key.exact.front(); }

// Columns of the only row that could be the answer as well as those that were matched: of the same
// kind, with other values. Whoever gives every number has given the right one. Other things than
// numbers and truths are often told beside, a few of them.
std::size_t count_guesses(const toolkit::RowTable& candidate, const ColumnMatching& columns) {
  constexpr std::size_t kThingsBeside = 3;
  std::size_t guesses = 0;
  std::set<char> kinds;
  std::map<char, std::set<std::string>> values;
  for (std::size_t column = 0; column < candidate.columns().size(); ++column) {
    const auto cell = candidate.cell(0, column);
    if (!cell) continue;
    const toolkit::ValueKey key = toolkit::value_key(*cell);
    const bool is_matched = std::find(columns.begin(), columns.end(), column) != columns.end();
    if (is_matched) kinds.insert(kind_of(key));
    values[kind_of(key)].insert(key.exact);
  }
  for (const char kind : kinds) {
    std::set<std::string>& others = values[kind];
    for (const std::size_t column : columns) {
      if (const auto cell = candidate.cell(0, column))
        others.erase(toolkit::value_key(*cell).exact);
    }
    const bool is_plain = kind == 'n' || kind == 'o';
    if (is_plain || others.size() > kThingsBeside) guesses += others.size();
  }
  return guesses;
}

void take_guesses(std::size_t guesses, Comparison& comparison) {
  if (guesses == 0) return;
  comparison.verdict = Verdict::Partial;
  comparison.precision /= static_cast<double>(guesses + 1);
  comparison.f1 =
      2 * comparison.precision * comparison.recall / (comparison.precision + comparison.recall);
  comparison.says =
      fmt::format("the row is there, but {} more could be the answer as well", columns_of(guesses));
}

void settle_verdict(const RowMatch& rows, const ComparisonOptions& options,
                    Comparison& comparison) {
  comparison.is_order_wrong = options.is_ordered && rows.is_same() && !rows.is_same_order;
  const bool has_too_many = !options.allows_more_columns && comparison.more_columns > 0;
  if (rows.is_same() && !comparison.is_order_wrong && !has_too_many) {
    comparison.verdict = Verdict::Correct;
    comparison.says = fmt::format(
        "{}, and no others",
        rows.rows == 1 ? "the only row is there" : "all " + rows_of(rows.rows) + " are there");
  } else {
    comparison.verdict = comparison.common > 0 ? Verdict::Partial : Verdict::Incorrect;
    comparison.says = comparison.is_order_wrong
                          ? fmt::format("the same {}, in another order", rows_of(comparison.rows))
                      : rows.is_same() ? fmt::format("the same {}", rows_of(comparison.rows))
                                       : figures_of(comparison);
  }
  if (comparison.more_columns > 0) {
    comparison.says += fmt::format("; {} more than asked for", columns_of(comparison.more_columns));
  }
}

// One of them has no rows: there is nothing to match columns by.
void compare_empty(std::uint64_t reference_rows, std::uint64_t rows, Comparison& comparison) {
  comparison.reference_rows = reference_rows;
  comparison.rows = rows;
  if (reference_rows == 0 && rows == 0) {
    comparison.verdict = Verdict::Correct;
    comparison.precision = comparison.recall = comparison.f1 = 1;
    comparison.says = "both have no rows";
  } else if (rows == 0) {
    comparison.says =
        fmt::format("there are no rows, and the reference has {}", format_count(reference_rows));
  } else {
    comparison.says = fmt::format("there are {}, and the reference has none", rows_of(rows));
  }
}

}  // namespace

Result<Comparison> compare_results(const toolkit::RowTable& reference,
                                   const toolkit::RowTable& candidate,
                                   const ComparisonOptions& options, const OpContext& context) {
  HELVE_TRY(check_size(reference, options, "the reference"));
  HELVE_TRY(check_size(candidate, options, "the result"));
  Comparison comparison;
  const std::size_t wanted = reference.columns().size();
  const std::size_t given = candidate.columns().size();
  comparison.columns.resize(wanted);
  comparison.more_columns = given > wanted ? given - wanted : 0;
  if (given >= wanted && (reference.rows() == 0 || candidate.rows() == 0)) {
    compare_empty(reference.rows(), candidate.rows(), comparison);
    return comparison;
  }
  ValueCodes codes(context);
  HELVE_ASSIGN(const CodedTables coded, codes.encode(reference, candidate));
  const CodedTable& left = coded.reference;
  const CodedTable& right = coded.candidate;
  if (given < wanted) {
    comparison.reference_rows = reference.rows();
    comparison.rows = candidate.rows();
    comparison.missing_columns = wanted - given;
    comparison.columns = similar_columns(left, right);
    comparison.says = fmt::format("the reference has {}, the result {}", columns_of(wanted), given);
    return comparison;
  }
  MatchSearch search;
  search.is_bag = options.is_bag;
  search.is_ordered = options.is_ordered;
  HELVE_ASSIGN(const MatchedColumns matched, match_columns(left, right, search, context));
  if (matched.columns) {
    std::copy(matched.columns->begin(), matched.columns->end(), comparison.columns.begin());
    take_rows(matched.rows, comparison);
    settle_verdict(matched.rows, options, comparison);
    if (comparison.verdict == Verdict::Correct && reference.rows() == 1) {
      take_guesses(count_guesses(candidate, *matched.columns), comparison);
    }
  } else {
    comparison.columns = similar_columns(left, right);
    comparison.reference_rows = reference.rows();
    comparison.rows = candidate.rows();
    comparison.says = figures_of(comparison) + ": no column has the values of one of the reference";
  }
  if (!matched.is_complete && comparison.verdict != Verdict::Correct) {
    comparison.says += "; there are too many ways to match the columns, and not all were tried";
  }
  return comparison;
}

}  // namespace helve::agent
