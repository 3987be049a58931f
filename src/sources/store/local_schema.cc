#include "sources/store/local_schema.h"

#include <fmt/format.h>

#include "sources/store/snapshot_layout.h"
#include "sources/store/summary.h"

namespace helve::store {

namespace {

constexpr std::size_t kSampledRows = 256;

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
  const Statistics& statistics = snapshot.statistics();
  std::string text = fmt::format("{} {} {} {}", statistics.statements, statistics.triples,
                                 statistics.distinct_subjects, statistics.distinct_objects);
  QuadBatch batch;
  snapshot.sample({{}, {}, {}, {GraphChoice::Kind::Union, {}}}, kSampledRows, batch);
  std::string scratch;
  for (std::size_t row = 0; row < batch.rows; ++row) {
    for (const auto part : {sparql::Part::Subject, sparql::Part::Predicate, sparql::Part::Object}) {
      text += '\n';
      rdf::append_ntriples(text, snapshot.dictionary().term(batch[part][row], scratch));
    }
  }
  return fmt::format("{:016x}", checksum(text));
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
