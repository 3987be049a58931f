// GraphWriter: who changes the data behind a writable endpoint, and gives the newest state of it.
// LiveGraph (live_graph.h) is one; tests have another.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/graph_source.h"
#include "sources/rdf/document.h"
#include "sources/sparql/algebra/update.h"
#include "sources/sparql/engine/dataset.h"
#include "surfaces/serve/write_gate.h"

namespace helve::serve {

// The data of one moment. It stays as it is, whatever is written later.
struct GraphState {
  std::shared_ptr<const sparql::Snapshot> data;
  std::shared_ptr<const GraphSource> source;  // the same, for its schema
  std::uint64_t version = 0;
  std::string fingerprint;  // another one after every change; letters and digits
};

// Gives the newest, within the context.
using StateReader = std::function<GraphState(const OpContext& context)>;

struct WriteReport {
  std::uint64_t added = 0;    // statements
  std::uint64_t removed = 0;  // the same
  std::uint64_t version = 0;
  bool was_there = false;  // of one graph: before
};

// How an update of the protocol is run.
struct UpdateSettings {
  bool is_union = false;                           // what WHERE sees is all graphs as one
  std::vector<sparql::DatasetGraph> using_graphs;  // those of the protocol
};

// Thread-safe. Every write is one transaction: visible and durable as a whole, or without any
// effect where an error is returned.
class GraphWriter {
 public:
  virtual ~GraphWriter() = default;

  virtual GraphState state() const = 0;
  // InvalidInput, among others: graphs of the protocol beside USING or WITH.
  virtual Result<WriteReport> update(const sparql::Update& update, const UpdateSettings& settings,
                                     const OpContext& op) = 0;
  // Of one graph; an empty IRI is the default graph.
  enum class Mode : std::uint8_t { Replace, Merge };
  virtual Result<WriteReport> write_graph(const std::string& graph, Mode mode,
                                          rdf::Document& document, const std::string& base_iri,
                                          const OpContext& op) = 0;
  // NotFound: there is no such graph.
  virtual Result<WriteReport> drop_graph(const std::string& graph, const OpContext& op) = 0;

  // All who write pass it.
  WriteGate& gate() { return gate_; }

 private:
  WriteGate gate_;
};

}  // namespace helve::serve
