// Summary: what a person wants to know first about a graph. Built from the statistics and the
// dictionary of its base and from what changed since, largest first.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/live/live_snapshot.h"

namespace helve::store {

struct NamedCount {
  std::string name;
  std::uint64_t count = 0;
};

struct PropertySummary {
  std::string iri;
  std::uint64_t triples = 0;
  std::uint64_t distinct_subjects = 0;
  std::uint64_t distinct_objects = 0;
};

// Terms that say of themselves what they are, whether or not anything uses them.
struct Declarations {
  std::uint64_t classes = 0;        // owl:Class or rdfs:Class
  std::uint64_t named_classes = 0;  // those with an IRI
  std::uint64_t object_properties = 0;
  std::uint64_t datatype_properties = 0;
  std::uint64_t annotation_properties = 0;
  // Object, datatype and plain rdf:Property ones, each once.
  std::uint64_t properties = 0;
};

struct Summary {
  std::vector<NamedCount> graphs;   // statements; the default graph has an empty name
  std::vector<NamedCount> classes;  // instances
  std::vector<PropertySummary> properties;
  std::vector<NamedCount> namespaces;  // different IRIs in it that the data uses
  std::vector<NamedCount> languages;   // statements with a literal in it
  std::vector<NamedCount> datatypes;   // statements with a literal of it; languages excluded
  Declarations declared;
  std::uint64_t iris = 0;
  std::uint64_t blank_nodes = 0;
  std::uint64_t literals = 0;
};

// Every number is exact. Changes cost what they are; the base is not copied.
Result<Summary> summarize(const LiveSnapshot& data, const OpContext& context);

}  // namespace helve::store
