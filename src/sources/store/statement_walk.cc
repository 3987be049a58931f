#include "sources/store/statement_walk.h"

#include <array>
#include <string>

namespace helve::store {

namespace {

Result<void> send_graph(const Snapshot& snapshot, Id graph, rdf::StatementSink& sink,
                        const OpContext& context) {
  using Kind = GraphChoice::Kind;
  const Dictionary& dictionary = snapshot.dictionary();
  std::array<std::string, 4> scratch;
  rdf::StatementView statement;
  if (graph.is_defined()) statement.graph = dictionary.term(graph, scratch[3]);
  const GraphChoice choice{graph.is_defined() ? Kind::One : Kind::Default, graph};
  Scan scan = snapshot.scan({.graph = choice});
  QuadBatch batch;
  while (scan.next(batch)) {
    HELVE_TRY(context.check());
    if (auto failure = snapshot.failure()) return *std::move(failure);
    for (std::size_t row = 0; row < batch.rows; ++row) {
      statement.subject = dictionary.term(batch[Part::Subject][row], scratch[0]);
      statement.predicate = dictionary.term(batch[Part::Predicate][row], scratch[1]);
      statement.object = dictionary.term(batch[Part::Object][row], scratch[2]);
      HELVE_TRY(sink.statement(statement));
    }
  }
  if (auto failure = snapshot.failure()) return *std::move(failure);
  return {};
}

}  // namespace

Result<void> send_statements(const Snapshot& snapshot, rdf::StatementSink& sink,
                             const OpContext& context) {
  for (const auto& [name, iri] : snapshot.prefixes()) sink.prefix(name, iri);
  for (const GraphStatistics& graph : snapshot.statistics().graphs) {
    HELVE_TRY(send_graph(snapshot, graph.graph, sink, context));
  }
  return {};
}

}  // namespace helve::store
