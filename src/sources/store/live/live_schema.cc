#include "sources/store/live/live_schema.h"

#include <algorithm>
#include <unordered_map>

#include "sources/store/summary.h"

namespace helve::store {

namespace {

constexpr GraphChoice kAnywhere{GraphChoice::Kind::Union, {}};

std::string iri_of(const LiveSnapshot& snapshot, Id id) {
  std::string scratch;
  return std::string(snapshot.term(id, scratch).value);
}

template <typename Info>
std::unordered_map<std::string, std::size_t> places_of(const std::vector<Info>& infos) {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < infos.size(); ++i) places.emplace(infos[i].iri, i);
  return places;
}

void merge_classes(const GraphSchema& near, const LiveSnapshot& snapshot, GraphSchema& schema) {
  auto places = places_of(schema.classes);
  for (const ClassInfo& info : near.classes) {
    const auto [place, is_new] = places.emplace(info.iri, schema.classes.size());
    if (is_new) {
      schema.classes.push_back(info);
    } else {
      ClassInfo& known = schema.classes[place->second];
      known.label = info.label.empty() ? known.label : info.label;
      known.is_declared = known.is_declared || info.is_declared;
    }
  }
  for (ClassInfo& info : schema.classes) info.instances = 0;
  for (const ClassStatistics& row : snapshot.statistics().classes) {
    if (row.type.tag() != Tag::Iri) continue;
    const auto place = places.find(iri_of(snapshot, row.type));
    if (place != places.end()) schema.classes[place->second].instances = row.instances;
  }
  std::erase_if(schema.classes,
                [](const ClassInfo& info) { return info.instances == 0 && !info.is_declared; });
  std::sort(schema.classes.begin(), schema.classes.end(),
            [](const ClassInfo& a, const ClassInfo& b) {
              return a.instances != b.instances ? a.instances > b.instances : a.iri < b.iri;
            });
}

// What a property is, where statements of both kinds are known.
PropertyKind kind_of(PropertyKind base, PropertyKind near) {
  if (base == PropertyKind::Unknown) return near;
  const bool differs = (base == PropertyKind::Object && near == PropertyKind::Datatype) ||
                       (base == PropertyKind::Datatype && near == PropertyKind::Object) ||
                       near == PropertyKind::Mixed;
  return differs ? PropertyKind::Mixed : base;
}

void merge_properties(const GraphSchema& near, const LiveSnapshot& snapshot, GraphSchema& schema) {
  auto places = places_of(schema.properties);
  for (const PropertyInfo& info : near.properties) {
    const auto [place, is_new] = places.emplace(info.iri, schema.properties.size());
    if (is_new) {
      schema.properties.push_back(info);
      continue;
    }
    PropertyInfo& known = schema.properties[place->second];
    known.label = info.label.empty() ? known.label : info.label;
    known.kind = kind_of(known.kind, info.kind);
    known.is_declared = known.is_declared || info.is_declared;
    if (known.domains.empty()) known.domains = info.domains;
    if (known.ranges.empty()) known.ranges = info.ranges;
  }
  for (PropertyInfo& info : schema.properties) info.triples = info.subjects = info.objects = 0;
  for (const PredicateStatistics& row : snapshot.statistics().predicates) {
    const auto place = places.find(iri_of(snapshot, row.predicate));
    if (place == places.end()) continue;
    PropertyInfo& info = schema.properties[place->second];
    info.triples = row.triples;
    info.subjects = row.distinct_subjects;
    info.objects = row.distinct_objects;
  }
  std::erase_if(schema.properties,
                [](const PropertyInfo& info) { return info.triples == 0 && !info.is_declared; });
  std::sort(schema.properties.begin(), schema.properties.end(),
            [](const PropertyInfo& a, const PropertyInfo& b) {
              return a.triples != b.triples ? a.triples > b.triples : a.iri < b.iri;
            });
}

void merge_namespaces(const LiveSnapshot& snapshot, GraphSchema& schema) {
  auto places = places_of(schema.namespaces);
  const Delta& delta = snapshot.delta();
  const std::uint64_t end = delta.terms_end[0];
  for (std::uint64_t n = delta.terms->starts()[0]; n < end; ++n) {
    const Id id(Tag::Iri, n);
    if (!delta.terms->has(id)) continue;
    const std::string space(namespace_of(delta.terms->term(id).value));
    const auto [place, is_new] = places.emplace(space, schema.namespaces.size());
    if (is_new) schema.namespaces.push_back({{}, space, 0});
    ++schema.namespaces[place->second].terms;
  }
  std::sort(schema.namespaces.begin(), schema.namespaces.end(),
            [](const NamespaceInfo& a, const NamespaceInfo& b) {
              return a.terms != b.terms ? a.terms > b.terms : a.iri < b.iri;
            });
}

void set_graphs(const LiveSnapshot& snapshot, GraphSchema& schema) {
  schema.graphs.clear();
  std::string scratch;
  for (const Id graph : snapshot.named_graphs()) {
    const rdf::TermView term = snapshot.term(graph, scratch);
    schema.graphs.emplace_back(term.is_iri() ? std::string(term.value) : rdf::to_ntriples(term),
                               snapshot.statements_of(graph));
  }
  std::sort(schema.graphs.begin(), schema.graphs.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
}

std::uint64_t count_of_hit(const NameHit& hit, const LiveSnapshot& snapshot) {
  const auto id = snapshot.find(rdf::TermView::iri(hit.iri));
  if (!id) return 0;
  if (hit.kind == NameKind::Property) {
    const auto counts = snapshot.predicate_counts(*id);
    return counts ? counts->triples : 0;
  }
  if (hit.kind == NameKind::Class) {
    for (const ClassStatistics& row : snapshot.statistics().classes) {
      if (row.type == *id) return row.instances;
    }
    return 0;
  }
  return snapshot.quads({*id, {}, {}, kAnywhere});
}

}  // namespace

GraphSchema merge_schema(const GraphSchema& base, const GraphSchema& near,
                         const LiveSnapshot& snapshot) {
  GraphSchema schema = base;
  const Statistics statistics = snapshot.statistics();
  schema.triples = statistics.triples;
  schema.subjects = statistics.distinct_subjects;
  schema.objects = statistics.distinct_objects;
  merge_classes(near, snapshot, schema);
  merge_properties(near, snapshot, schema);
  merge_namespaces(snapshot, schema);
  set_graphs(snapshot, schema);
  return schema;
}

std::vector<NameHit> merge_names(const std::vector<NameHit>& base, std::vector<NameHit> near,
                                 const LiveSnapshot& snapshot, const Vicinity& vicinity,
                                 std::size_t hits_max) {
  std::vector<NameHit> hits;
  for (const NameHit& hit : base) {
    if (vicinity.touched.count(hit.iri) == 0) hits.push_back(hit);
  }
  for (NameHit& hit : near) {
    // The vicinity has others too, for what they are to those that changed.
    if (vicinity.touched.count(hit.iri) == 0) continue;
    hit.count = count_of_hit(hit, snapshot);
    const auto id = snapshot.find(rdf::TermView::iri(hit.iri));
    const bool is_there = id && (hit.count > 0 || snapshot.quads({*id, {}, {}, kAnywhere}) > 0 ||
                                 snapshot.quads({{}, {}, *id, kAnywhere}) > 0);
    if (is_there) hits.push_back(std::move(hit));
  }
  std::stable_sort(hits.begin(), hits.end(),
                   [](const NameHit& a, const NameHit& b) { return a.score > b.score; });
  if (hits.size() > hits_max) hits.resize(hits_max);
  return hits;
}

}  // namespace helve::store
