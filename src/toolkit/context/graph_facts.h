// GraphFacts: all that the layers L0 and L1 state of a graph, as plain values. sense_card.h and
// schema_constraints.h make texts of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/graph_source.h"

namespace helve::context {

// What a graph is written in; several may hold.
struct Formalism {
  bool is_owl = false;         // owl:Class, owl properties or an ontology header
  bool is_rdfs = false;        // rdfs:Class, rdf:Property, rdfs:subClassOf, domain or range
  bool is_skos = false;        // concepts
  bool is_shacl = false;       // shapes
  bool is_schema_org = false;  // schema.org's domainIncludes or rangeIncludes
  std::vector<std::pair<std::string, std::uint64_t>> constructs;  // IRI, statements; most first
};

struct ClassFacts {
  std::string iri;
  std::string label;  // may be empty
  std::uint64_t instances = 0;
  std::uint64_t subclasses = 0;  // direct ones, where they were asked for
  bool is_declared = false;
};

enum class PropertyTrait : std::uint8_t {
  Functional,
  InverseFunctional,
  Transitive,
  Symmetric,
  Asymmetric,
  Reflexive,
  Irreflexive,
};

struct PropertyFacts {
  std::string iri;
  std::string label;
  PropertyKind kind = PropertyKind::Unknown;
  bool is_declared = false;
  std::uint64_t triples = 0;   // that have it as predicate
  std::uint64_t mentions = 0;  // properties below it
  // Declared ones alone, sorted; a union counts as its members.
  std::vector<std::string> domains;
  std::vector<std::string> ranges;
  std::vector<std::string> inverses;
  std::vector<PropertyTrait> traits;
  bool is_detailed = false;  // domains and ranges were asked for
};

struct Cardinality {
  std::string class_iri;
  std::string property;
  std::optional<std::uint64_t> least;
  std::optional<std::uint64_t> most;
  std::string on_class;  // of a qualified one; may be empty
};

struct Enumeration {
  std::string class_iri;
  std::vector<std::string> members;  // IRIs or texts of literals, sorted
  std::uint64_t total = 0;
  bool is_closed = false;  // owl:oneOf: there are no others; else: those that the data has
};

struct OntologyFacts {
  std::string iri;
  std::string title;
  std::string version;
  std::string description;
};

// How the texts of a property are tagged, in those that were looked at.
struct TextSample {
  std::string property;  // IRI; empty: none is used
  std::uint64_t triples = 0;
  std::uint64_t looked_at = 0;
  std::vector<std::pair<std::string, std::uint64_t>> languages;  // most first; "": no tag
};

struct GraphFacts {
  std::string name;  // of the source
  std::string source_description;
  bool is_remote = false;
  std::optional<EndpointTraits> traits;
  std::string origin;             // of an endpoint: where the figures come from
  bool is_complete = true;        // the schema is
  std::vector<std::string> gaps;  // what could not be found out, a few words each

  OntologyFacts main;  // of the ontology or dataset that the graph is about; may be empty
  std::vector<std::string> ontologies;  // IRIs of all that have a header; sorted
  std::vector<std::string> imports;     // sorted
  std::vector<std::pair<std::string, std::uint64_t>> modules;  // IRI, terms it defines; most first
  std::string modules_by;                                      // the property that tells of them
  std::string main_namespace;  // that most of the declared terms are in; may be empty

  std::uint64_t triples = 0;
  // Classes that are declared (owl:Class, rdfs:Class), blank nodes among them. Where none is: those
  // that have instances.
  std::uint64_t class_count = 0;
  std::uint64_t named_class_count = 0;
  bool has_declared_classes = false;
  // Properties that are declared, without those that are for annotation alone. Where none is: those
  // that are used.
  std::uint64_t property_count = 0;
  std::uint64_t object_property_count = 0;
  std::uint64_t datatype_property_count = 0;
  std::uint64_t annotation_property_count = 0;
  bool has_declared_properties = false;
  std::uint64_t graph_count = 0;  // named ones

  // All with instances or declared, but for those of RDF, RDFS and OWL themselves. The first are
  // the most important: most instances or triples, then most below them, then by IRI.
  std::vector<ClassFacts> classes;
  std::vector<PropertyFacts> properties;
  std::uint64_t classes_with_instances = 0;  // of `classes`

  std::vector<NamespaceInfo> namespaces;  // that occur in the data, most terms first
  TextSample labels;
  TextSample descriptions;
  Formalism formalism;

  std::vector<std::vector<std::string>> disjoint;  // classes that are so by pairs; sorted
  std::vector<Cardinality> cardinalities;
  std::vector<Enumeration> enumerations;
  std::vector<std::pair<std::string, std::string>> subclasses;  // sub, super; some
  bool has_union_ends = false;                                  // a domain or range is a union
  bool has_hinted_ends = false;  // domainIncludes or rangeIncludes is used
};

// Never more queries than this, whatever the graph.
inline constexpr std::size_t kFactQueriesMax = 24;

// Cancelled or LimitExceeded as the context says. A question that fails otherwise is a gap.
Result<GraphFacts> gather_facts(const GraphSource& graph, const OpContext& context);

}  // namespace helve::context
