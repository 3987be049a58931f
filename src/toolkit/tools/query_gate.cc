#include "toolkit/tools/query_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "sources/sparql/algebra/printer.h"
#include "toolkit/guard/endpoint_plan.h"
#include "toolkit/guard/words.h"
#include "toolkit/tools/graph_access.h"

namespace helve::toolkit {

namespace {

ToolError refusal(const Finding& finding, const sparql::Query& query) {
  ToolError error(Error{ErrorCode::LimitExceeded, finding.reason, finding.suggestion});
  error.details.emplace_back("finding", name_of(finding.kind));
  error.details.emplace_back("pattern", finding.pattern);
  if (finding.rewritten) suggest(*finding.rewritten, query, error);
  error.details.emplace_back("override", "validate=false runs it anyway, within the time limit");
  return error;
}

void show_plan(GraphPlan plan, Reply& reply) {
  reply.set_quietly("estimated_rows", std::round(plan.estimated_rows));
  reply.set_quietly("cost", std::round(plan.cost_ns));
  reply.text("plan", std::move(plan.text));
}

std::string probes_words(std::uint64_t asked) {
  if (asked == 0) return "nothing was run";
  return fmt::format("nothing was run but {} probe{}", asked, asked == 1 ? "" : "s");
}

}  // namespace

void suggest(sparql::Query lighter, const sparql::Query& query, ToolError& error) {
  lighter.prefixes = query.prefixes;
  error.details.emplace_back("suggested_query", to_one_line(to_sparql(lighter)));
  error.error.hint += "; suggested_query is lighter";
}

std::shared_ptr<const GraphProfile> known_profile(const GraphSource& graph, ToolCall& call) {
  const auto profile =
      call.facts.get<GraphProfile>("profile " + graph.fingerprint(), [&]() -> Result<GraphProfile> {
        HELVE_ASSIGN(const auto schema, graph.schema(call.op));
        return profile_of(graph, *schema);
      });
  return profile ? *profile : nullptr;
}

QueryGate::QueryGate(const sparql::Query& query, const GraphSource& graph, bool is_validated,
                     ToolCall& call)
    : query_(query), graph_(graph), is_validated_(is_validated), call_(call) {}

GuardRequest QueryGate::request() const {
  GuardRequest request;
  request.deadline =
      call_.op.deadline.is_never() ? call_.policy.timeout_max : call_.op.deadline.remaining();
  request.is_validating = is_validated_;
  request.rows_max = call_.policy.rows_stored_max;
  return request;
}

std::optional<ToolError> QueryGate::tell(const GuardVerdict& verdict, Reply& reply) const {
  if (verdict.is_refused()) return refusal(verdict.findings.front(), query_);
  for (const Finding& finding : verdict.findings) {
    reply.warn(finding.suggestion.empty() ? finding.reason
                                          : finding.reason + ": " + finding.suggestion);
  }
  return std::nullopt;
}

std::optional<ToolError> QueryGate::check(Reply& reply) {
  const auto profile = known_profile(graph_, call_);
  // Who waited for what is known may have no time left to be judged by.
  if (auto goes_on = call_.op.check(); !goes_on) return ToolError(std::move(goes_on).error());
  if (!graph_.info().is_remote) {
    if (profile == nullptr) return std::nullopt;  // the limits of the run must do
    GuardRequest local = request();
    if (const auto plan = graph_.explain(query_, call_.op)) local.engine_cost_ns = plan->cost_ns;
    return tell(judge(query_, *profile, local), reply);
  }
  GateRequest gate;
  gate.guard = request();
  gate.op = call_.op;
  gate.clock = &call_.env.clock();
  gate.may_probe = profile != nullptr;  // else it does not answer, or not in time
  gate.keep = [this](const std::string& key, const auto& ask) -> Result<FoundSize> {
    HELVE_ASSIGN(const auto kept, call_.facts.get<FoundSize>(key, ask));
    return *kept;
  };
  weighed_ = weigh(query_, graph_, profile != nullptr ? *profile : GraphProfile(), gate);
  if (weighed_->unmatched) {
    reply.warn(fmt::format("nothing matches {} at {}: the query has no answer and was not sent",
                           weighed_->unmatched->text, graph_.info().name));
  }
  return tell(weighed_->guard, reply);
}

std::optional<ProbeCandidate> QueryGate::unmatched() const {
  return weighed_ ? weighed_->unmatched : std::nullopt;
}

ToolAnswer QueryGate::explained(Reply reply) const {
  auto plan = graph_.explain(query_, call_.op);
  if (!plan && weighed_ && plan.error().code == ErrorCode::Unavailable) {
    show_own_plan(reply);
    return reply;
  }
  if (!plan) return ToolError(std::move(plan).error());
  reply.say(fmt::format(
      "plan, nothing was run: about {} rows in {}",
      format_count(static_cast<std::uint64_t>(std::clamp(plan->estimated_rows, 0.0, 1e18))),
      format_duration(Duration(static_cast<std::int64_t>(std::clamp(plan->cost_ns, 0.0, 1e18))))));
  show_plan(*std::move(plan), reply);
  return reply;
}

void QueryGate::show_own_plan(Reply& reply) const {
  GraphPlan plan = plan_for_endpoint(query_, *weighed_, call_.policy.rows_stored_max);
  std::string line = fmt::format(
      "plan, {}: Helve's own estimate and order, not the plan of {}, which is not told; about {} "
      "rows, at least {}",
      probes_words(weighed_->asked), graph_.info().name, count_words(plan.estimated_rows),
      cost_words(plan.cost_ns));
  const auto& seen = weighed_->experience;
  if (seen && seen->answered > 0) {
    line += fmt::format("; queries of this shape ({}) took {} there, {} at most", seen->shape,
                        time_words(seen->typical_seconds), time_words(seen->slowest_seconds));
    reply.set_quietly("typical_seconds", seen->typical_seconds);
  }
  reply.say(std::move(line));
  reply.set_quietly("plan_by", "helve");
  reply.set_quietly("probes", weighed_->asked);
  show_plan(std::move(plan), reply);
}

}  // namespace helve::toolkit
