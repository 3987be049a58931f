// What a query gives, what a test expects of it, and whether that is the same.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>

#include "base/result.h"
#include "sources/rdf/quad_set.h"
#include "sources/sparql/algebra/query.h"
#include "sources/sparql/engine/dataset.h"
#include "sources/sparql/engine/passes.h"
#include "sources/sparql/engine/service.h"
#include "sources/sparql/results/result_format.h"
#include "tests/conformance/sparql_data.h"

namespace helve::conformance {

// Solutions (or a boolean), or a graph.
using Answer = std::variant<sparql::SolutionTable, rdf::QuadSet>;

Result<Answer> answer_query(const sparql::Query& query, SnapshotPtr data,
                            sparql::ServiceResolver& services, sparql::PassSet passes);

struct ExpectedAnswer {
  Answer answer;
  std::optional<sparql::ResultFormat> format;  // none: written as a graph
  bool is_ordered = false;                     // the file has its rows in an order
};

// Reads a file of results: .srx .srj .csv .tsv, or RDF, which is the answer itself for a query
// that gives a graph and a description of the solutions for others.
Result<ExpectedAnswer> read_expected(const std::filesystem::path& path, const std::string& base_iri,
                                     const sparql::Query& query);

// An error that shows the difference when they are not the same. Solutions are written and read in
// the format of the expected file first. `is_lax`: a solution may come more or less often.
Result<void> check_answer(const Answer& answer, const ExpectedAnswer& expected,
                          const sparql::Query& query, bool is_lax);

}  // namespace helve::conformance
