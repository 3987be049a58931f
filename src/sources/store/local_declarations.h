// Terms that a graph itself says are classes or properties. local_schema.h and the text index
// share it.
#pragma once

#include <string_view>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/snapshot.h"

namespace helve::store {

// Codes of IRIs, ascending, each once.
struct DeclaredTerms {
  std::vector<Code> classes;  // owl:Class or rdfs:Class
  std::vector<Code> object_properties;
  std::vector<Code> datatype_properties;
  std::vector<Code> annotation_properties;
  std::vector<Code> plain_properties;  // rdf:Property and the other kinds of OWL

  // Of all kinds of properties.
  std::vector<Code> properties() const;
};

Result<DeclaredTerms> find_declared_terms(const Snapshot& snapshot, const OpContext& context);

// Terms that stand in a hierarchy, on either side. Codes of IRIs, ascending, each once.
struct HierarchyTerms {
  std::vector<Code> class_like;     // of rdfs:subClassOf
  std::vector<Code> property_like;  // of rdfs:subPropertyOf
};

Result<HierarchyTerms> find_hierarchy_terms(const Snapshot& snapshot, const OpContext& context);

// The code of an IRI that the store has.
std::optional<Code> find_iri(const Snapshot& snapshot, std::string_view iri);

}  // namespace helve::store
