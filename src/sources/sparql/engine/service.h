// ServiceResolver: who answers SERVICE. Without one, a query with SERVICE is refused before
// anything is run.
#pragma once

#include <string>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/sparql/algebra/pattern.h"
#include "sources/sparql/results/solutions.h"

namespace helve::sparql {

class ServiceResolver {
 public:
  virtual ~ServiceResolver() = default;
  // Asked for every endpoint that the query names, before it runs; Denied ends it, SILENT or not.
  virtual Result<void> check(const std::string& endpoint) = 0;
  // The solutions of the pattern at the endpoint. An error gives one empty solution if SILENT,
  // unless it is Denied or Cancelled.
  virtual Result<SolutionTable> ask(const std::string& endpoint, const Pattern& pattern,
                                    const OpContext& context) = 0;
};

}  // namespace helve::sparql
