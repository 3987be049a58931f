#include "surfaces/serve/service_description.h"

#include <fmt/format.h>

#include "base/text.h"
#include "sources/rdf/vocabulary.h"

namespace helve::serve {

namespace {

using Node = Description::Node;
using sparql::GraphChoice;

constexpr std::string_view kResultFormats[] = {"SPARQL_Results_JSON",
                                               "SPARQL_Results_XML",
                                               "SPARQL_Results_CSV",
                                               "SPARQL_Results_TSV",
                                               "Turtle",
                                               "N-Triples",
                                               "RDF_XML",
                                               "TriG",
                                               "N-Quads"};

// What graphs are written in (graph_store_protocol.h).
constexpr std::string_view kInputFormats[] = {"Turtle", "N-Triples", "RDF_XML", "TriG", "N-Quads"};

Node sd(std::string_view name) { return Description::iri(kSd, name); }

std::uint64_t count_of(const sparql::Snapshot& data, GraphChoice graph) {
  return data.count({{}, {}, {}, graph}).n;
}

Node add_graph(Description& description, std::uint64_t triples) {
  Node graph = description.blank();
  description.add_type(graph, sd("Graph"));
  description.add_count(graph, Description::iri(kVoid, "triples"), triples);
  return graph;
}

void add_named_graphs(Description& description, const Node& dataset, const sparql::Snapshot& data) {
  const std::vector<sparql::Id> graphs = data.named_graphs();
  std::string scratch;
  for (std::size_t i = 0; i < std::min(graphs.size(), kGraphsListedMax); ++i) {
    const rdf::TermView name = data.term(graphs[i], scratch);
    if (!name.is_iri()) continue;  // a blank node has no name for others
    const Node named = description.blank();
    description.add(dataset, sd("namedGraph"), named);
    description.add_type(named, sd("NamedGraph"));
    description.add(named, sd("name"), Node(name));
    description.add(named, sd("graph"),
                    add_graph(description, count_of(data, {GraphChoice::Kind::One, graphs[i]})));
  }
  if (graphs.size() <= kGraphsListedMax) return;
  description.add_text(
      dataset, Description::iri(rdf::kRdfs, "comment"),
      fmt::format("{} of {} named graphs are listed", kGraphsListedMax, graphs.size()));
}

}  // namespace

Description describe_service(const ServiceFacts& facts, const sparql::Snapshot& data) {
  Description description;
  const Node service = description.blank();
  description.add_type(service, sd("Service"));
  description.add(service, sd("endpoint"), Description::iri(facts.endpoint));
  description.add(service, sd("supportedLanguage"), sd("SPARQL11Query"));
  for (const std::string_view format : kResultFormats) {
    description.add(service, sd("resultFormat"), Description::iri(kFormats, format));
  }
  if (facts.is_writable) {
    description.add(service, sd("supportedLanguage"), sd("SPARQL11Update"));
    description.add(service, sd("feature"), sd("EmptyGraphs"));
    for (const std::string_view format : kInputFormats) {
      description.add(service, sd("inputFormat"), Description::iri(kFormats, format));
    }
  }
  if (facts.is_union) description.add(service, sd("feature"), sd("UnionDefaultGraph"));
  const Node dataset = description.blank();
  description.add(service, sd("defaultDataset"), dataset);
  description.add_type(dataset, sd("Dataset"));
  const auto kind = facts.is_union ? GraphChoice::Kind::Union : GraphChoice::Kind::Default;
  description.add(dataset, sd("defaultGraph"), add_graph(description, count_of(data, {kind, {}})));
  add_named_graphs(description, dataset, data);
  return description;
}

}  // namespace helve::serve
