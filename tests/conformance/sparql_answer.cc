#include "tests/conformance/sparql_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/iri.h"
#include "sources/rdf/format.h"
#include "sources/rdf/isomorphism.h"
#include "sources/sparql/engine/query_run.h"
#include "sources/sparql/results/result_graph.h"
#include "tests/conformance/manifest.h"
#include "tests/conformance/sparql_normal_form.h"

namespace helve::conformance {

namespace {

constexpr std::size_t kRowsShown = 5;

bool gives_graph(const sparql::Query& query) {
  return std::holds_alternative<sparql::Construct>(query.form) ||
         std::holds_alternative<sparql::Describe>(query.form);
}

Result<sparql::SolutionTable> read_table(sparql::ResultFormat format, std::string_view text) {
  sparql::SolutionTable table;
  HELVE_TRY(sparql::read_solutions(format, text, {}, table));
  return table;
}

// There and back again, so that the writer and the reader of the format are tested as well.
Result<sparql::SolutionTable> through_format(const sparql::SolutionTable& table,
                                             sparql::ResultFormat format) {
  StringSink text;
  const auto writer = sparql::make_solution_writer(format, text);
  HELVE_TRY(table.send(*writer));
  HELVE_TRY(writer->finish());
  return read_table(format, text.text());
}

std::string show_row(const sparql::SolutionTable& table, std::size_t row) {
  std::string out = "(";
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    const auto& term = table.rows[row][i];
    out += fmt::format("{}?{} = ", i == 0 ? "" : ", ", table.names[i]);
    if (!term) {
      out += "unbound";
    } else {
      out += term->kind == rdf::TermKind::BlankNode ? "_:" : rdf::to_ntriples(term->view());
    }
  }
  return out + ")";
}

// Without the rows that the other has too, as far as blank nodes let see.
std::string show_difference(const sparql::SolutionTable& table,
                            const sparql::SolutionTable& other) {
  if (table.answer) return *table.answer ? "true" : "false";
  std::multiset<std::string> known;
  for (std::size_t row = 0; row < other.rows.size(); ++row) known.insert(show_row(other, row));
  std::string out = fmt::format("{} rows", table.rows.size());
  std::size_t shown = 0;
  for (std::size_t row = 0; row < table.rows.size() && shown < kRowsShown; ++row) {
    const std::string text = show_row(table, row);
    if (const auto same = known.find(text); same != known.end()) {
      known.erase(same);
    } else {
      out += (shown++ == 0 ? " with " : ", ") + text;
    }
  }
  return out;
}

std::string show(const rdf::QuadSet& graph) {
  std::string out = fmt::format("{} statements:", graph.quads().size());
  for (std::size_t i = 0; i < std::min(graph.quads().size(), kRowsShown); ++i) {
    const rdf::StatementView statement = graph.view(graph.quads()[i]);
    for (const rdf::TermView& term : {statement.subject, statement.predicate, statement.object}) {
      out += ' ';
      rdf::append_ntriples(out, term);
    }
    out += " .";
  }
  return out;
}

bool has_order(const sparql::Query& query) { return !query.body().order_by.empty(); }

Result<void> check_solutions(sparql::SolutionTable found, const ExpectedAnswer& expected,
                             const sparql::Query& query, bool is_lax) {
  auto wanted = std::get<sparql::SolutionTable>(expected.answer);
  // TSV files abbreviate numbers, and write them anew when they do.
  const bool has_computed = computes_values(query) || expected.format == sparql::ResultFormat::Tsv;
  normalize(found, has_computed);
  normalize(wanted, has_computed);
  sparql::CompareOptions options;
  options.ignores_counts = is_lax;
  options.is_ordered = expected.is_ordered && has_order(query);
  HELVE_ASSIGN(const bool is_same, sparql::are_same_solutions(found, wanted, options));
  if (is_same) return {};
  return Error{ErrorCode::InvalidInput,
               fmt::format("{}; expected{} {}", show_difference(found, wanted),
                           options.is_ordered ? " in order" : "", show_difference(wanted, found))};
}

}  // namespace

Result<Answer> answer_query(const sparql::Query& query, SnapshotPtr data,
                            sparql::ServiceResolver& services, sparql::PassSet passes) {
  const OpContext context;
  sparql::RunOptions options;
  options.services = &services;
  options.passes = passes;
  HELVE_ASSIGN(sparql::QueryRun run,
               sparql::QueryRun::start(query, std::move(data), options, context));
  if (run.kind() == sparql::QueryRun::Kind::Graph) {
    rdf::QuadSet graph;
    HELVE_TRY(run.send(graph));
    return Answer(std::move(graph));
  }
  sparql::SolutionTable table;
  HELVE_TRY(run.send(table));
  return Answer(std::move(table));
}

Result<ExpectedAnswer> read_expected(const std::filesystem::path& path, const std::string& base_iri,
                                     const sparql::Query& query) {
  HELVE_ASSIGN(const std::string text, read_file(path));
  ExpectedAnswer expected;
  if (const auto format = sparql::result_format_by_file_name(path.string())) {
    expected.format = format;
    expected.is_ordered = true;
    HELVE_ASSIGN(expected.answer, read_table(*format, text));
    return expected;
  }
  const auto format = rdf::format_of_path(path.string());
  if (!format) {
    return Error{ErrorCode::InvalidInput, fmt::format("{} has no known format", path.string())};
  }
  rdf::ReadOptions options;
  options.base_iri = base_iri;
  options.document_name = path.string();
  rdf::QuadSet graph;
  HELVE_TRY(rdf::read_document(*format, text, options, {}, graph));
  if (gives_graph(query)) {
    expected.answer = std::move(graph);
    return expected;
  }
  HELVE_ASSIGN(expected.answer, sparql::solutions_from_graph(graph, &expected.is_ordered));
  return expected;
}

Result<void> check_answer(const Answer& answer, const ExpectedAnswer& expected,
                          const sparql::Query& query, bool is_lax) {
  if (answer.index() != expected.answer.index()) {
    return Error{ErrorCode::InvalidInput, "the expected result is of another kind"};
  }
  if (const auto* table = std::get_if<sparql::SolutionTable>(&answer)) {
    if (!expected.format) return check_solutions(*table, expected, query, is_lax);
    HELVE_ASSIGN(auto read, through_format(*table, *expected.format));
    return check_solutions(std::move(read), expected, query, is_lax);
  }
  const auto& found = std::get<rdf::QuadSet>(answer);
  const auto& wanted = std::get<rdf::QuadSet>(expected.answer);
  HELVE_ASSIGN(const bool is_same, rdf::are_isomorphic(found, wanted));
  if (is_same) return {};
  return Error{ErrorCode::InvalidInput, fmt::format("{}; expected {}", show(found), show(wanted))};
}

}  // namespace helve::conformance
