#include "toolkit/guard/profile.h"

#include <utility>

namespace helve::toolkit {

namespace {

// What our own engine walks through on one core, seen on joins that are not the simplest.
constexpr double kLocalRowsPerSecond = 2e7;

}  // namespace

GraphProfile profile_of(const GraphSource& source, const GraphSchema& schema) {
  GraphProfile profile;
  profile.name = source.info().name;
  profile.triples = schema.triples;
  profile.subjects = schema.subjects;
  profile.objects = schema.objects;
  // Of an endpoint 0 says that the number is not known.
  const bool is_remote = source.info().is_remote;
  for (const ClassInfo& item : schema.classes) {
    if (is_remote && item.instances == 0) continue;
    profile.class_instances[item.iri] = item.instances;
  }
  for (const PropertyInfo& item : schema.properties) {
    if (is_remote && item.triples == 0) continue;
    profile.properties[item.iri] = {item.triples, item.subjects, item.objects};
  }
  for (const auto& [iri, statements] : schema.graphs) profile.graph_triples[iri] = statements;
  profile.is_local = !is_remote;
  profile.is_exact = schema.is_complete && profile.is_local;
  if (profile.is_local) profile.rows_per_second = kLocalRowsPerSecond;
  return profile;
}

GraphProfile profile_of_size(std::string name, std::uint64_t triples) {
  GraphProfile profile;
  profile.name = std::move(name);
  profile.triples = triples;
  return profile;
}

}  // namespace helve::toolkit
