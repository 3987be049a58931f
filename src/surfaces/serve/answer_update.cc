// Updates of the SPARQL 1.1 Protocol; answer_graph.cc has those of whole graphs.
#include "sources/sparql/algebra/parser.h"
#include "surfaces/serve/answer.h"
#include "surfaces/serve/answer_parts.h"

namespace helve::serve {

namespace {

Result<sparql::Update> parse(const UpdateCall& call, const ServedGraph& graph,
                             const OpContext& op) {
  sparql::ParseOptions options;
  options.text_name = "update";
  options.is_strict = graph.is_strict;
  options.base_iri = call.base_iri;
  options.known_prefixes = graph.data->prefixes();
  options.limits = op.limits;
  HELVE_ASSIGN(sparql::ParsedUpdate parsed, sparql::parse_update(call.text, options));
  return std::move(parsed.update);
}

}  // namespace

Answered answer_update(const UpdateCall& call, const ServedGraph& graph, const AnswerWishes& wishes,
                       const OpContext& op, AnswerOut& out) {
  const auto update = parse(call, graph, op);
  if (!update) return refused(write_refusal_of(update.error(), op));
  const auto pass = graph.writer->gate().enter(WriteGate::Kind::Shared, op);
  if (!pass) return refused(write_refusal_of(pass.error(), op));
  const UpdateSettings settings{graph.is_union, call.using_graphs};
  const auto report = graph.writer->update(*update, settings, op);
  if (report) return answer_write(*report, 200, {}, wishes, out);
  Refusal refusal = write_refusal_of(report.error(), op);
  // The address is there; what an operation wants may not be.
  if (refusal.status == 404) refusal.status = 400;
  return refused(std::move(refusal));
}

}  // namespace helve::serve
