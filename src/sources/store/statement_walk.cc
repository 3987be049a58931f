#include "sources/store/statement_walk.h"

#include <array>
#include <string>
#include <vector>

namespace helve::store {

namespace {

using sparql::GraphChoice;
using sparql::Part;
using sparql::QuadBatch;

Result<void> send_graph(const sparql::Snapshot& data, rdf::Id graph, rdf::StatementSink& sink,
                        const OpContext& context) {
  using Kind = GraphChoice::Kind;
  std::array<std::string, 4> scratch;
  rdf::StatementView statement;
  if (graph.is_defined()) statement.graph = data.term(graph, scratch[3]);
  const GraphChoice choice{graph.is_defined() ? Kind::One : Kind::Default, graph};
  const auto scan = data.scan({.graph = choice}, sparql::Order::Spo);
  QuadBatch batch;
  while (scan->next(batch, QuadBatch::kRows)) {
    HELVE_TRY(context.check());
    if (auto failure = data.failure()) return *std::move(failure);
    for (std::size_t row = 0; row < batch.rows; ++row) {
      statement.subject = data.term(batch[Part::Subject][row], scratch[0]);
      statement.predicate = data.term(batch[Part::Predicate][row], scratch[1]);
      statement.object = data.term(batch[Part::Object][row], scratch[2]);
      HELVE_TRY(sink.statement(statement));
    }
  }
  if (auto failure = data.failure()) return *std::move(failure);
  return {};
}

}  // namespace

Result<void> send_statements(const sparql::Snapshot& data, rdf::StatementSink& sink,
                             const OpContext& context) {
  for (const auto& [name, iri] : data.prefixes()) sink.prefix(name, iri);
  for (const rdf::Id graph : data.named_graphs()) {
    HELVE_TRY(send_graph(data, graph, sink, context));
  }
  return send_graph(data, rdf::Id(), sink, context);
}

}  // namespace helve::store
