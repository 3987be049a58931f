// GraphResult: the statements that CONSTRUCT and DESCRIBE give, each once.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/paced_check.h"
#include "sources/rdf/reader.h"
#include "sources/sparql/algebra/query.h"
#include "sources/sparql/engine/distinct_set.h"
#include "sources/sparql/engine/operator.h"
#include "sources/sparql/engine/row_table.h"
#include "sources/sparql/engine/triple_scan.h"

namespace helve::sparql {

// For one query. Both return true when there was more than `rows_max`.
class GraphResult {
 public:
  GraphResult(RunState& run, rdf::StatementSink& sink, std::uint64_t rows_max);

  // https://www.w3.org/TR/sparql11-query/#construct
  Result<bool> construct(const std::vector<TriplePattern>& triples, Operator& solutions);
  // The statements about each resource, and about blank nodes that they lead to
  // (https://www.w3.org/Submission/CBD/).
  Result<bool> describe(const Describe& describe, Operator& solutions, const GraphScope& scope);

 private:
  struct Place;  // a position of the template
  Result<void> instantiate(const std::vector<Place>& places, const Batch& batch, std::size_t row);
  Result<Id> value_of(const Place& place, const Batch& batch, std::size_t row);
  Result<void> add_target(Id id);
  Result<void> collect_targets(const Describe& describe, Operator& solutions);
  void add(Id subject, Id predicate, Id object);
  // Gives those that were added since; they may be more than are wanted.
  Result<void> send_added();
  // Gives those that found no room in memory.
  Result<void> send_held();
  Result<void> send(const Batch& statements, std::size_t row);
  bool is_full() const { return has_more_; }

  RunState& run_;
  rdf::StatementSink& sink_;
  std::uint64_t rows_max_;
  PacedCheck pace_;
  Batch added_;
  DistinctSet seen_;
  std::uint64_t sent_ = 0;
  RowSet targets_;
  bool has_more_ = false;
  std::vector<Id> blanks_;  // of one solution, by number
  std::vector<std::uint32_t> fresh_;
};

}  // namespace helve::sparql
