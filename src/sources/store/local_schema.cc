#include "sources/store/local_schema.h"

#include <fmt/format.h>

#include "sources/store/snapshot_file.h"
#include "sources/store/summary.h"

namespace helve::store {

namespace {

std::string prefix_of(const Snapshot& snapshot, const std::string& space) {
  for (const auto& [name, iri] : snapshot.prefixes()) {
    if (iri == space) return name;
  }
  return {};
}

}  // namespace

Result<GraphSchema> make_schema(const Snapshot& snapshot, const OpContext& context) {
  HELVE_ASSIGN(const Summary summary, summarize(snapshot, context));
  const Statistics& statistics = snapshot.statistics();
  GraphSchema schema;
  schema.triples = statistics.triples;
  schema.subjects = statistics.distinct_subjects;
  schema.objects = statistics.distinct_objects;
  for (const NamedCount& type : summary.classes) {
    schema.classes.push_back({type.name, {}, type.count, false});
  }
  for (const PropertySummary& property : summary.properties) {
    PropertyInfo info;
    info.iri = property.iri;
    info.triples = property.triples;
    info.subjects = property.distinct_subjects;
    info.objects = property.distinct_objects;
    schema.properties.push_back(std::move(info));
  }
  for (const NamedCount& space : summary.namespaces) {
    schema.namespaces.push_back({prefix_of(snapshot, space.name), space.name, space.count});
  }
  for (const NamedCount& graph : summary.graphs) {
    if (!graph.name.empty()) schema.graphs.emplace_back(graph.name, graph.count);
  }
  return schema;
}

std::string fingerprint_of(const Snapshot& snapshot) {
  const auto sum = compute_content_checksum(snapshot, {});
  // Of a damaged snapshot nothing is known, but that it is none of the good ones.
  return sum ? fmt::format("{:016x}", *sum) : std::string("damaged");
}

bool occurs(const sparql::Snapshot& data, const rdf::TermView& term) {
  const auto id = data.find(term);
  if (!id) return false;
  const sparql::GraphChoice all{sparql::GraphChoice::Kind::Union, {}};
  for (const sparql::QuadPattern& pattern :
       {sparql::QuadPattern{*id, {}, {}, all}, sparql::QuadPattern{{}, {}, *id, all},
        sparql::QuadPattern{{}, *id, {}, all}}) {
    if (data.count(pattern).n > 0) return true;
  }
  for (const sparql::Id graph : data.named_graphs()) {
    if (graph == *id) return true;
  }
  return false;
}

}  // namespace helve::store
