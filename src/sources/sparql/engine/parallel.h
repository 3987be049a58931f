// ParallelRows: several copies of a pipeline, each on a core of its own, that share the parts of
// its scan. Rows come in the order in which one of them alone would give them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "sources/sparql/engine/index_scan.h"
#include "sources/sparql/engine/operator.h"

namespace helve::sparql {

// A copy with everything that its operators use alone.
struct PipelineCopy {
  // Null in the one that uses the query's own.
  std::unique_ptr<OpContext> op;  // with a token that is cancelled when no more rows are wanted
  std::unique_ptr<TermTable> terms;
  std::unique_ptr<EvaluationContext> expressions;
  std::unique_ptr<RunState> run;
  std::unique_ptr<ScanPart> part;  // that its scan gives after a restart
  OperatorPtr root;
};
// For the caller's thread, and for others: with terms and expressions like those of `run`.
PipelineCopy make_own_copy(const RunState& run);
PipelineCopy make_copy(const RunState& run);

// The first copy runs on the caller's thread; the others join on the executor once that has had
// some work, and never keep the caller waiting for a thread.
// REQUIRES: context.executor, two or more copies, all with the same schema and at part 0.
OperatorPtr make_parallel(std::vector<PipelineCopy> copies, const RunState& run);

// The copies of such rows, to be made into more; none of any other operator. It must not be used
// any more.
std::vector<PipelineCopy> release_copies(Operator& rows);
std::string cores_text(std::size_t copies);

// Batches that may wait for their turn at once.
std::size_t waiting_batches_max(std::size_t copies);

}  // namespace helve::sparql
