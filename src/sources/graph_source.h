// GraphSource: the seam between tools and any graph, local or remote. Tools ask questions in the
// algebra; what a graph knows about itself (schema, names, estimates) comes as plain values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/reader.h"
#include "sources/rdf/term.h"
#include "sources/row_sink.h"
#include "sources/source.h"
#include "sources/sparql/algebra/query.h"

namespace helve {

// How a run ended. Rows that were found before an error have been delivered: they are good.
struct GraphRun {
  std::optional<Error> error;
  bool has_more = false;           // than the `rows_max` that were delivered
  std::optional<bool> boolean;     // of ASK
  std::uint64_t rows = 0;          // delivered
  std::string busiest;             // after a time-out: the pattern that took longest, if known
  std::vector<std::string> notes;  // warnings of the engine
  // Of an endpoint: why rows may be missing though nothing failed; empty: none are.
  std::string incomplete;
  std::string cause;       // of the error, in one word: "too_heavy", "down"; may be empty
  bool may_retry = false;  // what failed may go well later
};

struct GraphCount {
  std::uint64_t n = 0;
  bool is_exact = true;  // false: there are more
};

// How a query would be run, without running it.
struct GraphPlan {
  std::string text;  // an indented tree
  JsonValue tree;    // the same: operator, pattern, estimated_rows, cost, inputs
  double estimated_rows = 0;
  double cost_ns = 0;  // of the whole
};

struct ClassInfo {
  std::string iri;
  std::string label;  // may be empty
  std::uint64_t instances = 0;
  bool is_declared = false;  // owl:Class or rdfs:Class
};

enum class PropertyKind : std::uint8_t { Unknown, Object, Datatype, Mixed, Annotation };

struct PropertyInfo {
  std::string iri;
  std::string label;
  PropertyKind kind = PropertyKind::Unknown;
  std::uint64_t triples = 0;
  std::uint64_t subjects = 0;
  std::uint64_t objects = 0;
  bool is_declared = false;
  std::vector<std::string> domains;  // declared, or else the commonest classes of its subjects
  std::vector<std::string> ranges;   // declared, or else classes or datatypes of its objects
};

struct NamespaceInfo {
  std::string prefix;  // empty: none is known
  std::string iri;
  std::uint64_t terms = 0;  // different IRIs of it in the data
};

// What is in a graph, largest first. Complete unless it says otherwise.
struct GraphSchema {
  std::uint64_t triples = 0;
  std::uint64_t subjects = 0;
  std::uint64_t objects = 0;
  std::vector<ClassInfo> classes;        // with instances or declared
  std::vector<PropertyInfo> properties;  // used or declared
  std::vector<NamespaceInfo> namespaces;
  std::vector<std::pair<std::string, std::uint64_t>> graphs;  // named ones, statements
  bool is_complete = true;
  std::string origin;  // of an endpoint: where this comes from and how old it is; empty: counted

  // Null where there is none. Linear.
  const ClassInfo* find_class(std::string_view iri) const;
  const PropertyInfo* find_property(std::string_view iri) const;
};

enum class NameKind : std::uint8_t { Any, Class, Property, Instance };

struct FindRequest {
  std::string text;
  NameKind kind = NameKind::Any;
  std::size_t hits_max = 20;
  bool is_fuzzy = true;  // misspelt words match too, after those that match as written
};

struct NameHit {
  std::string iri;
  std::string label;     // the text that matched, or the preferred label; may be empty
  std::string language;  // of the label
  NameKind kind = NameKind::Instance;
  std::uint64_t count =
      0;             // instances of a class, triples of a property, triples about an instance
  double score = 0;  // higher is better; comes down the list
};

// What is known of a remote engine beside its data, for judging queries before they are sent.
struct EndpointTraits {
  std::string engine;          // recognised; empty: not
  std::string text_search;     // the SPARQL in which its text index is asked; empty: none is known
  Duration query_time_max{0};  // that it gives a query; 0: not known
  std::uint64_t rows_max = 0;  // that it gives of a result; 0: no cap is known
  double rows_per_second = 0;  // that it walks through; 0: not known
  std::optional<WallTime> known_since;  // when it was last asked about itself; nullopt: never
  std::vector<std::string> notes;       // one line each, for who writes queries
};

// How queries of one shape went at an endpoint.
struct ShapeRecord {
  std::string shape;           // of the structure, without its names: "by class, join, path"
  std::uint64_t answered = 0;  // in time
  std::uint64_t too_heavy = 0;
  double typical_seconds = 0;  // of those answered
  double slowest_seconds = 0;
  std::optional<WallTime> last_too_heavy;
};

using PrefixList = std::vector<std::pair<std::string, std::string>>;  // name, IRI
using QueryDataset = std::vector<sparql::DatasetGraph>;               // FROM and FROM NAMED

// Why what a source serves is not the newest there is.
struct Staleness {
  Error reason;
  WallTime read_at;  // when what is served was the newest
  WallTime since;    // when it was first found not to be
};

// Thread-safe. Where a query has no FROM, its default graph is the union of all graphs. Every call
// honours the deadline, the cancellation and the memory of its context.
class GraphSource : public Source {
 public:
  // SELECT and ASK. Rows go to the sink, at most `rows_max`.
  virtual GraphRun run(const sparql::Query& query, std::uint64_t rows_max, RowSink& sink,
                       const OpContext& context) const = 0;
  // CONSTRUCT and DESCRIBE: statements, each once.
  virtual GraphRun run(const sparql::Query& query, std::uint64_t statements_max,
                       rdf::StatementSink& sink, const OpContext& context) const = 0;
  // How many solutions a pattern has, counted no further than `cap`. `dataset` empty: all graphs.
  virtual Result<GraphCount> count_upto(const sparql::Pattern& pattern, const QueryDataset& dataset,
                                        std::uint64_t cap, const OpContext& context) const = 0;
  virtual Result<GraphPlan> explain(const sparql::Query& query, const OpContext& context) const = 0;

  // Whether any statement has the term.
  virtual Result<bool> has_term(const rdf::TermView& term, const OpContext& context) const = 0;
  // From an index of labels, synonyms and local names; best first. Unavailable where there is none.
  virtual Result<std::vector<NameHit>> find(const FindRequest& request,
                                            const OpContext& context) const = 0;
  // Made at the first call, then kept.
  virtual Result<std::shared_ptr<const GraphSchema>> schema(const OpContext& context) const = 0;
  // Declared by the data, in its order.
  virtual PrefixList prefixes() const = 0;

  // The graph as it is now, for calls that belong together; null where it is always the same, or
  // somebody else's. Finding that out may take half of the time that the context leaves; where that
  // is not enough, or fails, it is the last state that was read.
  struct Moment {
    std::shared_ptr<const GraphSource> graph;
    std::optional<Staleness> staleness;
  };
  virtual Moment at_this_moment(const OpContext& /*context*/) const { return {}; }
  // As it was found when last asked for.
  virtual std::optional<Staleness> staleness() const { return std::nullopt; }

  // Of an endpoint; nullopt: a graph of our own engine. Asks nothing.
  virtual std::optional<EndpointTraits> traits() const { return std::nullopt; }
  // Of queries like this one; nullopt: none was sent yet.
  virtual std::optional<ShapeRecord> experience(const sparql::Query& /*query*/) const {
    return std::nullopt;
  }
};

// Makes graphs of files and statements; given to the tools by who knows the databases.
class GraphFactory {
 public:
  virtual ~GraphFactory() = default;
  // Reads a file of any known syntax, compressed or not, or opens an index folder.
  virtual Result<std::shared_ptr<const GraphSource>> open(const std::string& path,
                                                          const std::string& name,
                                                          const OpContext& context) = 0;
  // The builder takes statements; finish() makes the graph.
  class Builder {
   public:
    virtual ~Builder() = default;
    virtual rdf::StatementSink& sink() = 0;
    virtual std::uint64_t statements() const = 0;
    virtual Result<std::shared_ptr<const GraphSource>> finish(const std::string& name,
                                                              const OpContext& context) = 0;
  };
  virtual Result<std::unique_ptr<Builder>> build(const OpContext& context) = 0;
  // Writes a graph that this factory made into a folder of its own, for open() to read.
  virtual Result<void> save(const GraphSource& graph, const std::string& folder,
                            const OpContext& context) = 0;
};

}  // namespace helve
