#include "sources/sparql/results/result_graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "sources/rdf/vocabulary.h"

namespace helve::sparql {

namespace {

using rdf::TermIndex;
using rdf::TermView;

constexpr std::string_view kResultSet =
    "http://www.w3.org/2001/sw/DataAccess/tests/result-set#ResultSet";

std::string rs(std::string_view name) {
  return "http://www.w3.org/2001/sw/DataAccess/tests/result-set#" + std::string(name);
}

Error invalid_result_graph(std::string message) {
  return {ErrorCode::InvalidInput, std::move(message),
          "see http://www.w3.org/2001/sw/DataAccess/tests/result-set"};
}

struct IndexedRow {
  std::uint64_t index = 0;
  std::vector<std::optional<rdf::Term>> terms;
};

class ResultGraph {
 public:
  explicit ResultGraph(const rdf::QuadSet& graph) : graph_(graph), quads_(graph.quads()) {
    std::stable_sort(quads_.begin(), quads_.end(),
                     [](const auto& a, const auto& b) { return key(a) < key(b); });
  }

  Result<SolutionTable> read(bool* is_ordered) {
    HELVE_ASSIGN(const TermIndex set, result_set());
    SolutionTable table;
    if (const auto answer = objects(set, "boolean"); !answer.empty()) {
      const std::string_view text = graph_.term(answer[0]).value;
      table.answer = text == "true" || text == "1";
      return table;
    }
    for (const TermIndex variable : objects(set, "resultVariable")) {
      table.names.emplace_back(graph_.term(variable).value);
    }
    std::sort(table.names.begin(), table.names.end());  // a graph has no order
    if (std::adjacent_find(table.names.begin(), table.names.end()) != table.names.end()) {
      return invalid_result_graph("a variable is listed twice");
    }
    HELVE_TRY(read_rows(set, table, is_ordered));
    return table;
  }

 private:
  static std::pair<TermIndex, TermIndex> key(const rdf::QuadIndexes& quad) {
    return {quad[0], quad[1]};
  }

  Result<TermIndex> result_set() const {
    std::optional<TermIndex> found;
    for (const auto& quad : quads_) {
      if (graph_.term(quad[1]).value != rdf::kRdfType) continue;
      if (graph_.term(quad[2]) != TermView::iri(kResultSet)) continue;
      if (found && *found != quad[0]) return invalid_result_graph("the graph has two rs:ResultSet");
      found = quad[0];
    }
    if (!found) return invalid_result_graph("the graph has no rs:ResultSet");
    return *found;
  }

  std::vector<TermIndex> objects(TermIndex subject, std::string_view name) const {
    const auto predicate = graph_.find(TermView::iri(rs(name)));
    if (!predicate) return {};
    const auto range =
        std::equal_range(quads_.begin(), quads_.end(), rdf::QuadIndexes{subject, *predicate, 0, 0},
                         [](const auto& a, const auto& b) { return key(a) < key(b); });
    std::vector<TermIndex> found;
    for (auto quad = range.first; quad != range.second; ++quad) found.push_back((*quad)[2]);
    return found;
  }

  Result<void> read_rows(TermIndex set, SolutionTable& table, bool* is_ordered) const {
    std::vector<IndexedRow> rows;
    bool all_have_index = true;
    for (const TermIndex solution : objects(set, "solution")) {
      IndexedRow& row = rows.emplace_back();
      row.terms.resize(table.names.size());
      HELVE_TRY(read_row(solution, table.names, row.terms));
      const auto index = objects(solution, "index");
      all_have_index = all_have_index && !index.empty();
      if (!index.empty()) {
        HELVE_ASSIGN(row.index, number(index[0]));
      }
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.index < b.index; });
    for (IndexedRow& row : rows) table.rows.push_back(std::move(row.terms));
    if (is_ordered != nullptr) *is_ordered = all_have_index && !table.rows.empty();
    return {};
  }

  Result<void> read_row(TermIndex solution, const std::vector<std::string>& names,
                        std::vector<std::optional<rdf::Term>>& row) const {
    for (const TermIndex binding : objects(solution, "binding")) {
      const auto variable = objects(binding, "variable");
      const auto value = objects(binding, "value");
      if (variable.size() != 1 || value.size() != 1) {
        return invalid_result_graph("an rs:binding needs one rs:variable and one rs:value");
      }
      const std::string_view name = graph_.term(variable[0]).value;
      const auto column = std::lower_bound(names.begin(), names.end(), name);
      if (column == names.end() || *column != name) {
        return invalid_result_graph(fmt::format("the variable {} is no rs:resultVariable", name));
      }
      auto& cell = row[static_cast<std::size_t>(column - names.begin())];
      if (cell)
        return invalid_result_graph(fmt::format("the variable {} is bound twice in a row", name));
      cell = rdf::Term(graph_.term(value[0]));
    }
    return {};
  }

  Result<std::uint64_t> number(TermIndex term) const {
    const std::string_view text = graph_.term(term).value;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      return invalid_result_graph(fmt::format("the rs:index \"{}\" is not a number", text));
    }
    return value;
  }

  const rdf::QuadSet& graph_;
  std::vector<rdf::QuadIndexes> quads_;  // by subject and predicate
};

}  // namespace

Result<SolutionTable> solutions_from_graph(const rdf::QuadSet& graph, bool* is_ordered) {
  if (is_ordered != nullptr) *is_ordered = false;
  return ResultGraph(graph).read(is_ordered);
}

}  // namespace helve::sparql
