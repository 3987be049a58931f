#include "toolkit/learning/schema_roles.h"

#include "base/ascii.h"
#include "sources/rdf/vocabulary.h"
#include "toolkit/learning/variable_names.h"

namespace helve::learning {

namespace {

using sparql::Constant;

bool is_in(std::string_view iri, std::string_view space, std::string_view name) {
  return iri.size() == space.size() + name.size() && iri.starts_with(space) && iri.ends_with(name);
}

bool is_taxonomy(std::string_view iri) {
  return is_in(iri, rdf::kRdfs, "subClassOf") || is_in(iri, rdf::kOwl, "equivalentClass") ||
         is_in(iri, rdf::kOwl, "disjointWith");
}

Roles roles_of(std::string_view predicate) {
  if (predicate == rdf::kRdfType) return {Role::Entity, Role::Class};
  if (is_taxonomy(predicate)) return {Role::ClassOrEntity, Role::ClassOrEntity};
  if (is_in(predicate, rdf::kRdfs, "domain") || is_in(predicate, rdf::kRdfs, "range")) {
    return {Role::Property, Role::Class};
  }
  if (is_in(predicate, rdf::kRdfs, "subPropertyOf") || is_in(predicate, rdf::kOwl, "inverseOf")) {
    return {Role::Property, Role::Property};
  }
  return {};
}

// rdf:type/rdfs:subClassOf* leads to a class, rdfs:subClassOf+ to one or to an entity.
Roles roles_of(const sparql::Path& path) {
  if (path.parts.empty()) return roles_of(path.iri);
  Roles roles{Role::ClassOrEntity, Role::ClassOrEntity};
  for (const sparql::Path& part : path.parts) {
    const Roles inner = roles_of(part);
    if (inner.object == Role::Entity || inner.object == Role::Property) return {};
    if (inner.object == Role::Class) roles = {Role::Entity, Role::Class};
  }
  return roles;
}

// Where the object says what the subject is.
Role declared_role(const sparql::TriplePattern& triple) {
  const auto* type = std::get_if<Constant>(&triple.object);
  if (type == nullptr) return Role::Entity;
  const std::string& iri = type->term.value;
  if (is_in(iri, rdf::kOwl, "Class") || is_in(iri, rdf::kRdfs, "Class")) return Role::Class;
  const bool is_property =
      is_in(iri, rdf::kRdf, "Property") || is_in(iri, rdf::kOwl, "ObjectProperty") ||
      is_in(iri, rdf::kOwl, "DatatypeProperty") || is_in(iri, rdf::kOwl, "AnnotationProperty");
  return is_property ? Role::Property : Role::Entity;
}

}  // namespace

Roles roles_of(const sparql::TriplePattern& triple) {
  if (const auto* path = std::get_if<sparql::Path>(&triple.predicate)) return roles_of(*path);
  const auto* predicate = std::get_if<Constant>(&triple.predicate);
  if (predicate == nullptr) return {};
  Roles roles = roles_of(predicate->term.value);
  if (predicate->term.value == rdf::kRdfType) roles.subject = declared_role(triple);
  return roles;
}

bool is_accession(std::string_view iri) {
  constexpr std::size_t kDigits = 3;
  std::size_t digits = 0;
  for (const char c : local_name(iri)) {
    digits = is_digit(c) ? digits + 1 : 0;
    if (digits == kDigits) return true;
  }
  return false;
}

}  // namespace helve::learning
