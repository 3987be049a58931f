// QueryRun: a query being evaluated. This is what surfaces, tools and tests call.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/reader.h"
#include "sources/sparql/algebra/query.h"
#include "sources/sparql/engine/batch.h"
#include "sources/sparql/engine/dataset.h"
#include "sources/sparql/engine/passes.h"
#include "sources/sparql/engine/plan_node.h"
#include "sources/sparql/engine/service.h"
#include "sources/sparql/results/solutions.h"

namespace helve::sparql {

struct RunOptions {
  // What the default graph is where the query has no FROM: that of the dataset, or all graphs.
  bool is_union_default = false;
  bool has_empty_graphs = false;        // FROM of a graph that is not there: an empty one, no error
  ServiceResolver* services = nullptr;  // null: SERVICE is refused
  Env* env = nullptr;                   // null: the real machine (NOW, RAND, UUID)
  PassSet passes = PassSet::all();      // of the optimizer
  Explain explain = Explain::None;
  // Estimated nanoseconds of a step from which several cores work on it.
  double parallel_cost_min = 1.5e6;
};

// Move-only; for one thread. The context must outlive it; the snapshot is kept.
// After an error, what was delivered before stays good.
class QueryRun {
 public:
  // Checks, plans and starts. Errors: Denied (SERVICE, FROM of a graph that the dataset does not
  // have, functions that do not exist here), InvalidInput, LimitExceeded.
  static Result<QueryRun> start(const Query& query, std::shared_ptr<const Snapshot> snapshot,
                                const RunOptions& options, const OpContext& context);
  QueryRun(QueryRun&&) noexcept;
  QueryRun& operator=(QueryRun&&) noexcept;
  ~QueryRun();

  enum class Kind : std::uint8_t { Solutions, Boolean, Graph };
  Kind kind() const;

  // The plan, where it was asked for; null otherwise. Lives as long as the run.
  const PlanNode* plan() const;
  // Written to temporary files so far.
  std::uint64_t spilled_bytes() const;

  // Solutions: the columns of SELECT, and the next rows; false at the end.
  const std::vector<std::string>& variables() const;
  Result<bool> next(Batch& batch);
  // The term of an id in a batch; `scratch` may hold its text.
  rdf::TermView term(Id id, std::string& scratch) const;

  // Sends all solutions, or the boolean, to the sink; at most `rows_max` rows. True when there was
  // more. `before_more`, if any, is called when rows were sent and it may take a while to find the
  // next.
  Result<bool> send(SolutionSink& sink, std::uint64_t rows_max = UINT64_MAX,
                    const std::function<Result<void>()>& before_more = {});
  // Graph: sends the statements, each once; at most `rows_max`. True when there was more.
  Result<bool> send(rdf::StatementSink& sink, std::uint64_t rows_max = UINT64_MAX);

 private:
  struct State;
  explicit QueryRun(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// How many solutions a pattern has, counted no further than `cap`. For tools that ask why a query
// is empty or slow: the pattern may be any part of a query (analysis.h). `dataset` is its FROM.
struct CappedCount {
  std::uint64_t n = 0;
  bool is_capped = false;  // there are more
};
Result<CappedCount> count_solutions(const Pattern& pattern,
                                    std::shared_ptr<const Snapshot> snapshot, std::uint64_t cap,
                                    const RunOptions& options, const OpContext& context,
                                    const std::vector<DatasetGraph>& dataset = {});

}  // namespace helve::sparql
