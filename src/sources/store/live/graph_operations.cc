#include "sources/store/live/graph_operations.h"

#include <fmt/format.h>

#include <string>
#include <unordered_map>

namespace helve::store {

namespace {

using Kind = GraphChoice::Kind;

GraphChoice choice_of(Id graph) { return {graph.is_defined() ? Kind::One : Kind::Default, graph}; }

template <typename Visit>
Result<void> for_each_statement(Id graph, Transaction& in, const Visit& visit) {
  // Kept while it is walked over: changes go into the next one.
  HELVE_ASSIGN(const auto snapshot, in.snapshot());
  const auto scan = snapshot->scan({{}, {}, {}, choice_of(graph)}, std::nullopt, sparql::kAllParts);
  QuadBatch batch;
  while (scan->next(batch, QuadBatch::kRows)) {
    HELVE_TRY(in.context().check());
    if (auto failure = snapshot->failure()) return *std::move(failure);
    for (std::size_t row = 0; row < batch.rows; ++row) {
      HELVE_TRY(visit(Quad{batch[Part::Subject][row], batch[Part::Predicate][row],
                           batch[Part::Object][row], graph}));
    }
  }
  if (auto failure = snapshot->failure()) return *std::move(failure);
  return {};
}

Error has_other_graphs(const rdf::StatementView& statement) {
  return {ErrorCode::InvalidInput,
          fmt::format("the document has statements of the graph {}, which cannot be put into "
                      "another",
                      rdf::to_ntriples(statement.graph)),
          "load it without INTO GRAPH, or a document without named graphs"};
}

class QuadCollector final : public rdf::StatementSink {
 public:
  QuadCollector(Transaction& to, Id graph)
      : to_(to),
        graph_(graph),
        charge_(*to.context().memory, "reading statements"),
        label_charge_(*to.context().memory, "reading blank nodes") {}

  Result<void> statement(const rdf::StatementView& statement) override {
    Quad quad;
    HELVE_ASSIGN(quad.subject, id_of(statement.subject));
    HELVE_ASSIGN(quad.predicate, id_of(statement.predicate));
    HELVE_ASSIGN(quad.object, id_of(statement.object));
    quad.graph = graph_;
    if (!statement.in_default_graph()) {
      if (graph_.is_defined()) return has_other_graphs(statement);
      HELVE_ASSIGN(quad.graph, id_of(statement.graph));
    }
    if (quads_.size() == quads_.capacity()) {
      const std::size_t capacity = std::max<std::size_t>(256, quads_.capacity() * 2);
      HELVE_TRY(charge_.resize(capacity * sizeof(Quad)));
      quads_.reserve(capacity);
    }
    quads_.push_back(quad);
    return {};
  }
  ReadStatements take() { return {std::move(quads_), std::move(charge_)}; }

 private:
  // Blank nodes get labels of our own: with what stood before, those that are read, written and
  // read again would become longer each time.
  Result<Id> id_of(const rdf::TermView& term) {
    if (!term.is_blank()) return to_.intern(term);
    label_.assign(term.value);
    if (const auto known = blanks_.find(label_); known != blanks_.end()) return known->second;
    constexpr std::size_t kEntryBytes = 96;  // and the label
    HELVE_TRY(label_charge_.add(kEntryBytes + label_.size()));
    HELVE_ASSIGN(const Id id, to_.new_blank());
    blanks_.emplace(label_, id);
    return id;
  }

  Transaction& to_;
  Id graph_;
  std::vector<Quad> quads_;
  MemoryCharge charge_;
  std::unordered_map<std::string, Id> blanks_;  // by label
  std::string label_;
  MemoryCharge label_charge_;
};

}  // namespace

Result<void> clear_graph(Id graph, Transaction& to) {
  return for_each_statement(graph, to, [&](const Quad& quad) { return to.remove(quad); });
}

Result<void> copy_graph(Id from, Id into, Transaction& to) {
  return for_each_statement(from, to, [&](Quad quad) {
    quad.graph = into;
    return to.add(quad);
  });
}

Result<bool> has_graph(Id graph, Transaction& in) {
  if (!graph.is_defined()) return true;
  HELVE_ASSIGN(const auto snapshot, in.snapshot());
  return snapshot->has_graph(graph);
}

Result<ReadStatements> read_for_graph(rdf::Document& document, const std::string& base_iri,
                                      Id graph, Transaction& to) {
  QuadCollector collector(to, graph);
  rdf::ReadOptions options;
  options.base_iri = base_iri;
  options.document_name = document.name();
  HELVE_TRY(document.read(options, to.context(), collector));
  return collector.take();
}

Result<void> load_into_graph(rdf::Document& document, const std::string& base_iri, Id graph,
                             Transaction& to) {
  HELVE_ASSIGN(const ReadStatements read, read_for_graph(document, base_iri, graph, to));
  return add_statements(read, to);
}

Result<void> add_statements(const ReadStatements& read, Transaction& to) {
  for (const Quad& quad : read.quads) HELVE_TRY(to.add(quad));
  return {};
}

}  // namespace helve::store
