// ParallelRows: several copies of a pipeline that share its scan, each on a core of its own. Rows
// come in any order, so it stands only where no one can tell.
#pragma once

#include <memory>
#include <vector>

#include "sources/sparql/engine/index_scan.h"
#include "sources/sparql/engine/operator.h"

namespace helve::sparql {

// A copy with everything that its operators use alone.
struct PipelineCopy {
  std::unique_ptr<TermTable> terms;  // null for the one that uses the query's own
  std::unique_ptr<EvaluationContext> expressions;
  std::unique_ptr<RunState> run;
  OperatorPtr root;
};
// With terms and expressions of its own, like those of `run`.
PipelineCopy make_copy(const RunState& run);

// The copies take their parts from `parts`. The first one runs on the caller's thread; the others
// join on the executor once that has had some work, and never keep the caller waiting for a thread.
// REQUIRES: context.executor, two or more copies, all with the same schema.
OperatorPtr make_parallel(std::unique_ptr<ScanParts> parts, std::vector<PipelineCopy> copies,
                          const RunState& run);

}  // namespace helve::sparql
