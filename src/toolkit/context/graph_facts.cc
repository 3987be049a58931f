#include "toolkit/context/graph_facts.h"

namespace helve::context {

Result<GraphFacts> gather_facts(const GraphSource& graph, const OpContext& context) {
  HELVE_ASSIGN(const auto schema, graph.schema(context));
  GraphFacts facts;
  facts.name = graph.info().name;
  facts.triples = schema->triples;
  return facts;
}

}  // namespace helve::context
