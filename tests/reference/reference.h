// The reference evaluator: SPARQL's algebra computed from its definitions, bottom-up, on multisets
// of solutions held in memory. It knows no plans and no operators; optimised plans are compared
// with it. Scalar functions and aggregates are the engine's, which are tested elsewhere.
// https://www.w3.org/TR/sparql11-query/#sparqlAlgebra
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/env.h"
#include "base/result.h"
#include "sources/sparql/algebra/query.h"
#include "sources/sparql/engine/dataset.h"

namespace helve::reference {

struct ReferenceOptions {
  bool is_union_default = false;
  std::uint64_t steps_max = 300'000;
  std::size_t rows_max = 200'000;                // of any pattern, for all are held
  std::size_t bytes_max = std::size_t{1} << 26;  // of texts: terms that are made, keys, the answer
  Env* env = nullptr;                            // null: the real machine
};

// One solution or statement of an answer, its terms in N-Triples.
using Row = std::string;

// Rows that may stand in any order among themselves.
struct RowGroup {
  std::vector<Row> rows;
  std::size_t taken = 0;  // how many of them LIMIT and OFFSET leave; any of them will do
};

struct ReferenceAnswer {
  enum class Kind : std::uint8_t { Solutions, Boolean, Graph };
  Kind kind = Kind::Solutions;
  std::vector<std::string> names;  // Solutions
  std::vector<RowGroup> groups;    // in the order of ORDER BY; a single one without it
  bool is_true = false;            // Boolean
  bool is_ordered = false;

  std::size_t rows() const;  // that are taken
};

// Errors: LimitExceeded where it is too much work or takes too much memory; Unavailable where the
// specification leaves more than one answer that cannot be told by a RowGroup (a LIMIT in a
// sub-query without a total order). DESCRIBE, SERVICE and templates with blank nodes are
// InvalidInput.
Result<ReferenceAnswer> evaluate(const sparql::Query& query,
                                 const std::shared_ptr<const sparql::Snapshot>& snapshot,
                                 const ReferenceOptions& options = {});

// How a row of an answer is written: the terms in N-Triples, "-" where unbound.
void append_cell(Row& row, const std::optional<rdf::TermView>& term);

}  // namespace helve::reference
