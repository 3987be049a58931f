#include "agent/judge/row_match.h"

#include <algorithm>

#include "agent/judge/keyed_rows.h"
#include "agent/judge/language_pairs.h"
#include "base/paced_check.h"

namespace helve::agent {

namespace {

Result<KeyedRows> keyed(const CodedTable& table, const ColumnMatching& columns,
                        const std::vector<bool>& is_rough, bool has_beside, PacedCheck& pace) {
  KeyedRows rows;
  const std::uint64_t count = table.table->rows();
  rows.values = columns.size();
  rows.width = columns.size() * (has_beside ? 2 : 1);
  rows.cells.resize(count * rows.width);
  for (std::uint64_t row = 0; row < count; ++row) {
    HELVE_TRY(pace.add(rows.width * sizeof(std::uint32_t)));
    std::uint32_t* const cells = rows.cells.data() + row * rows.width;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const CellCode& code = table.at(row, columns[i]);
      cells[i] = is_rough[i] ? code.rough : code.exact;
      if (has_beside) cells[columns.size() + i] = code.blank != 0 ? code.blank : code.language;
    }
  }
  return rows;
}

Result<void> keep_rows(KeyedRows& rows, std::uint64_t count, bool is_bag, PacedCheck& pace) {
  RowNumbers numbers(is_bag ? 0 : count);
  for (std::uint64_t row = 0; row < count; ++row) {
    HELVE_TRY(pace.add(0));
    const std::size_t before = numbers.count();
    if (is_bag || numbers.number(rows.row(row)) == before) rows.kept.push_back(row);
  }
  return {};
}

struct Groups {
  std::vector<std::uint32_t> reference;  // of each row that is kept
  std::vector<std::uint32_t> candidate;
  std::size_t count = 0;
};

Result<Groups> group(const KeyedRows& reference, const KeyedRows& candidate, PacedCheck& pace) {
  Groups groups;
  RowNumbers numbers(reference.kept.size() + candidate.kept.size());
  for (const auto& [rows, out] :
       {std::pair{&reference, &groups.reference}, std::pair{&candidate, &groups.candidate}}) {
    for (const std::uint64_t row : rows->kept) {
      HELVE_TRY(pace.add(0));
      out->push_back(numbers.number(rows->key(row)));
    }
  }
  groups.count = numbers.count();
  return groups;
}

// Without languages the values say all: as many are common as both have.
void count_plain(const Groups& groups, RowMatch& match) {
  std::vector<std::uint64_t> left(groups.count);
  std::vector<std::uint64_t> right(groups.count);
  for (const std::uint32_t one : groups.reference) ++left[one];
  for (const std::uint32_t one : groups.candidate) ++right[one];
  for (std::size_t i = 0; i < groups.count; ++i) match.found += std::min(left[i], right[i]);
  match.right = match.found;
}

Result<void> count_with_languages(const KeyedRows& reference, const KeyedRows& candidate,
                                  const Groups& groups, LanguagePairs& pairs, bool is_bag,
                                  PacedCheck& pace, RowMatch& match) {
  std::vector<RowGroup> left(groups.count);
  std::vector<RowGroup> right(groups.count);
  for (std::size_t i = 0; i < groups.reference.size(); ++i) {
    left[groups.reference[i]].push_back(reference.kept[i]);
  }
  for (std::size_t i = 0; i < groups.candidate.size(); ++i) {
    right[groups.candidate[i]].push_back(candidate.kept[i]);
  }
  for (std::size_t i = 0; i < groups.count; ++i) {
    HELVE_TRY(pace.add(0, left[i].size() + right[i].size()));
    HELVE_ASSIGN(const auto common, pairs.common(left[i], right[i], is_bag));
    match.found += common.found;
    match.right += common.right;
  }
  return {};
}

std::uint32_t blank_code(const CodedTable& table) {
  for (const CellCode& code : table.terms) {
    if (code.blank != 0) return code.exact;
  }
  return 0;
}

double share(std::uint64_t part, std::uint64_t whole, std::uint64_t other) {
  if (whole == 0) return other == 0 ? 1 : 0;
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

double RowMatch::precision() const { return share(right, rows, reference_rows); }
double RowMatch::recall() const { return share(found, reference_rows, rows); }
double RowMatch::f1() const {
  const double sum = precision() + recall();
  return sum == 0 ? 0 : 2 * precision() * recall() / sum;
}

Result<RowMatch> match_rows(const CodedTable& reference, const CodedTable& candidate,
                            const ColumnMatching& columns, bool is_bag, const OpContext& context) {
  PacedCheck pace(context);
  std::vector<bool> is_rough(columns.size());
  ColumnMatching own(columns.size());
  bool has_languages = false;
  bool has_beside = false;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const CodedColumn& left = reference.columns[i];
    const CodedColumn& right = candidate.columns[columns[i]];
    own[i] = i;
    is_rough[i] = left.is_approximate || right.is_approximate;
    has_languages |= left.has_languages || right.has_languages;
    has_beside |= left.has_blanks || right.has_blanks;
  }
  has_beside |= has_languages;
  const std::uint64_t rows = reference.table->rows() + candidate.table->rows();
  MemoryCharge charge(*context.memory, "comparing results");
  constexpr std::size_t kBytesPerRow = 64;  // numbers and slots
  HELVE_TRY(charge.add(rows * (columns.size() * 2 * sizeof(std::uint32_t) + kBytesPerRow)));
  HELVE_ASSIGN(KeyedRows left, keyed(reference, own, is_rough, has_beside, pace));
  HELVE_ASSIGN(KeyedRows right, keyed(candidate, columns, is_rough, has_beside, pace));
  HELVE_TRY(keep_rows(left, reference.table->rows(), is_bag, pace));
  HELVE_TRY(keep_rows(right, candidate.table->rows(), is_bag, pace));
  HELVE_ASSIGN(const Groups groups, group(left, right, pace));
  const std::uint32_t blanks = std::max(blank_code(reference), blank_code(candidate));
  LanguagePairs pairs(left, right, blanks);
  RowMatch match;
  match.reference_rows = left.kept.size();
  match.rows = right.kept.size();
  if (has_languages) {
    HELVE_TRY(count_with_languages(left, right, groups, pairs, is_bag, pace, match));
  } else {
    count_plain(groups, match);
  }
  match.is_same_order = groups.reference == groups.candidate;
  for (std::size_t i = 0; match.is_same_order && has_languages && i < left.kept.size(); ++i) {
    match.is_same_order = pairs.are_equal(left.kept[i], right.kept[i]);
  }
  return match;
}

}  // namespace helve::agent
