// IRIs of the vocabularies in which graphs tell of themselves.
#pragma once

#include <array>
#include <string_view>

namespace helve::context {

inline constexpr std::string_view kOwlClass = "http://www.w3.org/2002/07/owl#Class";
inline constexpr std::string_view kRdfsClass = "http://www.w3.org/2000/01/rdf-schema#Class";
inline constexpr std::string_view kRdfProperty =
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#Property";
inline constexpr std::string_view kOwlOntology = "http://www.w3.org/2002/07/owl#Ontology";
inline constexpr std::string_view kOwlImports = "http://www.w3.org/2002/07/owl#imports";
inline constexpr std::string_view kOwlUnionOf = "http://www.w3.org/2002/07/owl#unionOf";
inline constexpr std::string_view kOwlOneOf = "http://www.w3.org/2002/07/owl#oneOf";
inline constexpr std::string_view kOwlOnProperty = "http://www.w3.org/2002/07/owl#onProperty";
inline constexpr std::string_view kOwlMembers = "http://www.w3.org/2002/07/owl#members";
inline constexpr std::string_view kOwlDisjointWith = "http://www.w3.org/2002/07/owl#disjointWith";
inline constexpr std::string_view kOwlInverseOf = "http://www.w3.org/2002/07/owl#inverseOf";
inline constexpr std::string_view kOwlDeprecated = "http://www.w3.org/2002/07/owl#deprecated";
inline constexpr std::string_view kSubClassOf = "http://www.w3.org/2000/01/rdf-schema#subClassOf";
inline constexpr std::string_view kSubPropertyOf =
    "http://www.w3.org/2000/01/rdf-schema#subPropertyOf";
inline constexpr std::string_view kDomain = "http://www.w3.org/2000/01/rdf-schema#domain";
inline constexpr std::string_view kRange = "http://www.w3.org/2000/01/rdf-schema#range";
inline constexpr std::string_view kIsDefinedBy = "http://www.w3.org/2000/01/rdf-schema#isDefinedBy";
inline constexpr std::string_view kSkos = "http://www.w3.org/2004/02/skos/core#";
inline constexpr std::string_view kShacl = "http://www.w3.org/ns/shacl#";
inline constexpr std::string_view kSchemaHttp = "http://schema.org/";
inline constexpr std::string_view kSchemaHttps = "https://schema.org/";

// Of things that describe a graph as a whole; the first is preferred.
inline constexpr std::array<std::string_view, 9> kHeaderTypes = {
    kOwlOntology,
    "http://rdfs.org/ns/void#Dataset",
    "http://www.w3.org/ns/dcat#Dataset",
    "http://www.w3.org/ns/dx/prof/Profile",
    "http://schema.org/Dataset",
    "https://schema.org/Dataset",
    "http://purl.org/vocommons/voaf#Vocabulary",
    "http://www.w3.org/2004/02/skos/core#ConceptScheme",
    "http://rdfs.org/ns/void#DatasetDescription",
};

// Each list has the preferred one first.
inline constexpr std::array<std::string_view, 8> kTitles = {
    "http://purl.org/dc/terms/title",
    "http://purl.org/dc/elements/1.1/title",
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://schema.org/name",
    "https://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
    "http://www.w3.org/ns/dx/prof/hasToken",
};
inline constexpr std::array<std::string_view, 10> kDescriptions = {
    "http://purl.org/dc/terms/description",
    "http://purl.org/dc/terms/abstract",
    "http://purl.org/dc/elements/1.1/description",
    "http://www.w3.org/2000/01/rdf-schema#comment",
    "http://www.w3.org/2004/02/skos/core#definition",
    "http://schema.org/description",
    "https://schema.org/description",
    "http://schema.org/abstract",
    "https://schema.org/abstract",
    "http://www.w3.org/2004/02/skos/core#note",
};
inline constexpr std::array<std::string_view, 7> kVersions = {
    "http://www.w3.org/2002/07/owl#versionInfo",
    "http://purl.org/pav/version",
    "http://schema.org/version",
    "https://schema.org/version",
    "http://purl.org/dc/terms/hasVersion",
    "http://www.w3.org/2002/07/owl#versionIRI",
    "http://purl.org/dc/terms/modified",
};
inline constexpr std::array<std::string_view, 6> kReferences = {
    "http://purl.org/spar/cito/citesAsAuthority", "http://purl.org/spar/cito/citesAsDataSource",
    "http://xmlns.com/foaf/0.1/homepage",         "http://xmlns.com/foaf/0.1/page",
    "http://www.w3.org/ns/dx/prof/isProfileOf",   "http://purl.org/dc/terms/source",
};
inline constexpr std::array<std::string_view, 4> kParts = {
    "http://purl.org/dc/terms/hasPart",
    "http://rdfs.org/ns/void#subset",
    "http://schema.org/hasPart",
    "https://schema.org/hasPart",
};

// That name things in the data, and that describe them.
inline constexpr std::array<std::string_view, 7> kLabelProperties = {
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://schema.org/name",
    "https://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
    "http://purl.org/dc/terms/title",
    "http://purl.org/dc/elements/1.1/title",
};
inline constexpr std::array<std::string_view, 8> kDescriptionProperties = {
    "http://www.w3.org/2000/01/rdf-schema#comment",
    "http://www.w3.org/2004/02/skos/core#definition",
    "http://schema.org/description",
    "https://schema.org/description",
    "http://purl.org/dc/terms/description",
    "http://purl.org/dc/elements/1.1/description",
    "http://purl.org/dc/terms/abstract",
    "http://purl.obolibrary.org/obo/IAO_0000115",
};

inline constexpr std::array<std::string_view, 3> kDomains = {
    kDomain, "http://schema.org/domainIncludes", "https://schema.org/domainIncludes"};
inline constexpr std::array<std::string_view, 3> kRanges = {
    kRange, "http://schema.org/rangeIncludes", "https://schema.org/rangeIncludes"};
inline constexpr std::array<std::string_view, 3> kInverses = {
    kOwlInverseOf, "http://schema.org/inverseOf", "https://schema.org/inverseOf"};
inline constexpr std::array<std::string_view, 2> kSupersededBy = {
    "http://schema.org/supersededBy", "https://schema.org/supersededBy"};
inline constexpr std::array<std::string_view, 6> kCardinalities = {
    "http://www.w3.org/2002/07/owl#cardinality",
    "http://www.w3.org/2002/07/owl#minCardinality",
    "http://www.w3.org/2002/07/owl#maxCardinality",
    "http://www.w3.org/2002/07/owl#qualifiedCardinality",
    "http://www.w3.org/2002/07/owl#minQualifiedCardinality",
    "http://www.w3.org/2002/07/owl#maxQualifiedCardinality",
};
// In the order of PropertyTrait.
inline constexpr std::array<std::string_view, 7> kTraitTypes = {
    "http://www.w3.org/2002/07/owl#FunctionalProperty",
    "http://www.w3.org/2002/07/owl#InverseFunctionalProperty",
    "http://www.w3.org/2002/07/owl#TransitiveProperty",
    "http://www.w3.org/2002/07/owl#SymmetricProperty",
    "http://www.w3.org/2002/07/owl#AsymmetricProperty",
    "http://www.w3.org/2002/07/owl#ReflexiveProperty",
    "http://www.w3.org/2002/07/owl#IrreflexiveProperty",
};

// Up to and with the last '#' or '/', as the schema of a graph counts them.
// From the end, by hand: find_last_of() calls a function for each character.
constexpr std::string_view namespace_part(std::string_view iri) {
  for (std::size_t end = iri.size(); end > 0; --end) {
    if (iri[end - 1] == '#' || iri[end - 1] == '/') return iri.substr(0, end);
  }
  const std::size_t colon = iri.rfind(':');
  return colon == std::string_view::npos ? iri : iri.substr(0, colon + 1);
}

// Of RDF, RDFS, OWL or XSD themselves.
constexpr bool is_of_the_language(std::string_view iri) {
  const std::string_view space = namespace_part(iri);
  return space == "http://www.w3.org/1999/02/22-rdf-syntax-ns#" ||
         space == "http://www.w3.org/2000/01/rdf-schema#" ||
         space == "http://www.w3.org/2002/07/owl#" || space == "http://www.w3.org/2001/XMLSchema#";
}

}  // namespace helve::context
