// FakeGraphWriter: a list of quads that the tests of this folder write into. What updates do is not
// its matter: it keeps their texts.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sources/sparql/algebra/printer.h"
#include "surfaces/serve/served_graph_testing.h"
#include "tests/support/dataset/memory_dataset.h"

namespace helve::serve {

class FakeGraphWriter final : public GraphWriter {
 public:
  GraphState state() const override {
    const std::lock_guard lock(mutex_);
    return {std::make_shared<MemorySnapshot>(quads_), testing::graph_of(trig()), version_,
            "state" + std::to_string(version_)};
  }

  Result<WriteReport> update(const sparql::Update& update, const UpdateSettings& settings,
                             const OpContext& op) override {
    if (on_write) HELVE_TRY(on_write(op));
    const std::lock_guard lock(mutex_);
    updates.push_back(sparql::to_sparql(update));
    using_graphs = settings.using_graphs;
    return WriteReport{1, 2, ++version_, true};
  }

  Result<WriteReport> write_graph(const std::string& graph, Mode mode, rdf::Document& document,
                                  const std::string& base_iri, const OpContext& op) override {
    if (on_write) HELVE_TRY(on_write(op));
    Collector read;
    read.graph = rdf::Term(rdf::TermView::iri(graph));
    rdf::ReadOptions options;
    options.base_iri = base_iri;
    HELVE_TRY(document.read(options, op, read));
    const std::lock_guard lock(mutex_);
    WriteReport report;
    report.was_there = has(graph);
    report.added = read.quads.size();
    if (mode == Mode::Replace) report.removed = remove(graph);
    quads_.insert(quads_.end(), read.quads.begin(), read.quads.end());
    report.version = ++version_;
    return report;
  }

  Result<WriteReport> drop_graph(const std::string& graph, const OpContext& op) override {
    if (on_write) HELVE_TRY(on_write(op));
    const std::lock_guard lock(mutex_);
    if (!has(graph)) return Error{ErrorCode::NotFound, "no such graph"};
    WriteReport report;
    report.removed = remove(graph);
    report.version = ++version_;
    return report;
  }

  std::function<Result<void>(const OpContext& op)> on_write;
  std::vector<std::string> updates;
  std::vector<sparql::DatasetGraph> using_graphs;  // of the last one

 private:
  struct Collector final : rdf::StatementSink {
    Result<void> statement(const rdf::StatementView& statement) override {
      quads.push_back({rdf::Term(statement.subject), rdf::Term(statement.predicate),
                       rdf::Term(statement.object), graph});
      return {};
    }
    rdf::Term graph;
    std::vector<MemoryQuad> quads;
  };

  std::string trig() const {
    std::string text;
    for (const MemoryQuad& quad : quads_) {
      const bool is_named = !quad[3].value.empty();
      if (is_named) text += rdf::to_ntriples(quad[3].view()) + " { ";
      for (std::size_t i = 0; i < 3; ++i) text += rdf::to_ntriples(quad[i].view()) + " ";
      text += is_named ? "}\n" : ".\n";
    }
    return text;
  }

  bool has(const std::string& graph) const {
    return graph.empty() || std::any_of(quads_.begin(), quads_.end(), [&](const MemoryQuad& quad) {
             return quad[3].value == graph;
           });
  }
  std::uint64_t remove(const std::string& graph) {
    return std::erase_if(quads_, [&](const MemoryQuad& quad) { return quad[3].value == graph; });
  }

  mutable std::mutex mutex_;
  std::vector<MemoryQuad> quads_;
  std::uint64_t version_ = 0;
};

inline ServedGraph served_by(std::shared_ptr<GraphWriter> writer) {
  ServedGraph graph;
  graph.env = &real_env();
  graph.writer = std::move(writer);
  return graph.newest(OpContext());
}

}  // namespace helve::serve
