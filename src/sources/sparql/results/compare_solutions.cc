// Comparing results. A result is made a set of statements, one node for each row: then isomorphism
// of datasets, with its refinement and its bounds, is the comparison.
#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "sources/rdf/isomorphism.h"
#include "sources/rdf/quad_set.h"
#include "sources/sparql/results/solutions.h"

namespace helve::sparql {

namespace {

using rdf::TermView;

using Row = std::vector<std::optional<rdf::Term>>;

constexpr std::string_view kRow = "urn:helve:row";

// Unlike any text of a term, so that rows with the same key are the same.
void append_key(std::string& out, std::string_view text) {
  out += std::to_string(text.size());
  out += ':';
  out += text;
}

std::string key_of(const Row& row) {
  std::string key;
  for (const auto& term : row) {
    if (!term) {
      key += '-';
      continue;
    }
    key += static_cast<char>('0' + static_cast<int>(term->kind));
    key += static_cast<char>('0' + static_cast<int>(term->direction));
    append_key(key, term->value);
    append_key(key, term->datatype);
    append_key(key, term->language);
  }
  return key;
}

// Row r of the column `name` says: (row r) (column) (term). Ordered rows are named by their number;
// others are blank nodes, which may be matched in any order but not two with one.
class RowStatements {
 public:
  RowStatements(const SolutionTable& table, const CompareOptions& options, const OpContext& context)
      : table_(table), options_(options), context_(context), set_(context) {}

  Result<rdf::QuadSet> take() {
    std::unordered_set<std::string> met;
    for (std::size_t i = 0; i < table_.rows.size(); ++i) {
      if (i % 1'024 == 0) HELVE_TRY(context_.check());
      if (options_.ignores_counts && !met.insert(key_of(table_.rows[i])).second) continue;
      HELVE_TRY(add(table_.rows[i], i));
    }
    return std::move(set_);
  }

 private:
  Result<void> add(const Row& row, std::size_t number) {
    const std::string label = "row " + std::to_string(number);  // no label of a data node
    const std::string iri = std::string(kRow) + ":" + std::to_string(number);
    const bool has_place = options_.is_ordered && !options_.ignores_counts;
    const TermView node = has_place ? TermView::iri(iri) : TermView::blank(label);
    HELVE_TRY(set_.statement({node, TermView::iri(kRow), TermView::literal("row"), {}}));
    for (std::size_t column = 0; column < row.size(); ++column) {
      if (!row[column]) continue;
      const std::string predicate = std::string(kRow) + ":?" + table_.names[column];
      std::string scratch;
      HELVE_TRY(set_.statement(
          {node, TermView::iri(predicate), distinguished(*row[column], scratch), {}}));
    }
    return {};
  }

  // Blank nodes of the data cannot take the label of a row.
  static TermView distinguished(const rdf::Term& term, std::string& scratch) {
    if (term.kind != rdf::TermKind::BlankNode) return term.view();
    scratch = "data " + term.value;
    return TermView::blank(scratch);
  }

  const SolutionTable& table_;
  const CompareOptions& options_;
  const OpContext& context_;
  rdf::QuadSet set_;
};

bool has_blank_nodes(const SolutionTable& table) {
  return std::any_of(table.rows.begin(), table.rows.end(), [](const Row& row) {
    return std::any_of(row.begin(), row.end(), [](const auto& term) {
      return term && term->kind == rdf::TermKind::BlankNode;
    });
  });
}

// The columns of `b` in the order of `a`; an empty vector when the names differ.
std::vector<std::size_t> matching_columns(const SolutionTable& a, const SolutionTable& b) {
  std::vector<std::size_t> columns;
  for (const std::string& name : a.names) {
    const auto found = std::find(b.names.begin(), b.names.end(), name);
    if (found == b.names.end()) return {};
    columns.push_back(static_cast<std::size_t>(found - b.names.begin()));
  }
  return columns;
}

std::vector<std::string> keys_of(const SolutionTable& table,
                                 const std::vector<std::size_t>& columns,
                                 const CompareOptions& options) {
  std::vector<std::string> keys;
  keys.reserve(table.rows.size());
  Row row;
  for (const Row& original : table.rows) {
    row.clear();
    for (const std::size_t column : columns) row.push_back(original[column]);
    keys.push_back(key_of(row));
  }
  if (!options.is_ordered || options.ignores_counts) std::sort(keys.begin(), keys.end());
  if (options.ignores_counts) keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace

Result<bool> are_same_solutions(const SolutionTable& a, const SolutionTable& b,
                                const CompareOptions& options, const OpContext& context) {
  if (a.answer || b.answer) return a.answer == b.answer;
  if (a.names.size() != b.names.size()) return false;
  const std::vector<std::size_t> columns = matching_columns(a, b);
  if (columns.size() != a.names.size()) return false;
  if (!options.ignores_counts && a.rows.size() != b.rows.size()) return false;
  if (!has_blank_nodes(a) && !has_blank_nodes(b)) {
    std::vector<std::size_t> own(columns.size());
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = i;
    return keys_of(a, own, options) == keys_of(b, columns, options);
  }
  HELVE_ASSIGN(const rdf::QuadSet left, RowStatements(a, options, context).take());
  HELVE_ASSIGN(const rdf::QuadSet right, RowStatements(b, options, context).take());
  return rdf::are_isomorphic(left, right, context);
}

}  // namespace helve::sparql
