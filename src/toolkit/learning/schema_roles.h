// What the IRIs of a triple are by where they stand: names of the schema, or things of the data.
#pragma once

#include <cstdint>
#include <string_view>

#include "sources/sparql/algebra/query.h"

namespace helve::learning {

enum class Role : std::uint8_t {
  Entity,
  Class,
  Property,
  ClassOrEntity,  // of a taxonomy: accessions are entities
};
struct Roles {
  Role subject = Role::Entity;
  Role object = Role::Entity;
};

Roles roles_of(const sparql::TriplePattern& triple);
// GO_0005634, CHEBI_15377: a number in an ontology that is as large as data.
bool is_accession(std::string_view iri);

}  // namespace helve::learning
