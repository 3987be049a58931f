// What a query passes before it runs: the guard, and before it goes to an endpoint the cost gate.
// query_answer.h runs it then; or its plan is shown instead.
#pragma once

#include <memory>
#include <optional>

#include "sources/graph_source.h"
#include "toolkit/guard/cost_gate.h"
#include "toolkit/tools/reply.h"
#include "toolkit/tools/tool_call.h"

namespace helve::toolkit {

// Puts a lighter query into the details of an error.
void suggest(sparql::Query lighter, const sparql::Query& query, ToolError& error);
// What is known of the sizes of a graph; null where nothing is.
std::shared_ptr<const GraphProfile> known_profile(const GraphSource& graph, ToolCall& call);

// One query of one call. Everything it is given must outlive it.
class QueryGate {
 public:
  // `is_validated` false: refusals become warnings.
  QueryGate(const sparql::Query& query, const GraphSource& graph, bool is_validated,
            ToolCall& call);

  // Refuses, or warns. An endpoint may be asked some small questions for it.
  std::optional<ToolError> check(Reply& reply);
  // After check(): the plan, with nothing run.
  ToolAnswer explained(Reply reply) const;
  // After check(): a pattern that must match and does not, so that the query need not be sent.
  std::optional<ProbeCandidate> unmatched() const;

 private:
  GuardRequest request() const;
  std::optional<ToolError> tell(const GuardVerdict& verdict, Reply& reply) const;
  void show_own_plan(Reply& reply) const;

  const sparql::Query& query_;
  const GraphSource& graph_;
  bool is_validated_;
  ToolCall& call_;
  std::optional<GateVerdict> weighed_;  // of an endpoint
};

}  // namespace helve::toolkit
