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
  bool is_owl = false;         // classes, properties or a header of OWL
  bool is_rdfs = false;        // rdfs:Class, rdf:Property, rdfs:subClassOf, domain or range
  bool is_skos = false;        // concepts
  bool is_shacl = false;       // shapes
  bool is_schema_org = false;  // schema.org's domainIncludes or rangeIncludes
  // Instances of classes and triples of properties of these languages; most first.
  std::vector<std::pair<std::string, std::uint64_t>> constructs;
};

struct ClassFacts {
  std::string iri;
  std::string label;  // may be empty
  std::uint64_t instances = 0;
  std::uint64_t subclasses = 0;  // statements that make something its direct subclass
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
  PropertyKind kind = PropertyKind::Unknown;  // where nothing else tells, by the range
  std::uint64_t triples = 0;                  // that have it as predicate
  std::uint64_t subproperties = 0;            // statements that make something its subproperty
  // Declared ones alone, sorted; a union counts as its members.
  std::vector<std::string> domains;
  std::vector<std::string> ranges;
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
  std::vector<std::string> members;  // IRIs; sorted, all of them
  bool is_closed = false;            // owl:oneOf: there can be no others
};

struct OntologyFacts {
  std::string iri;
  std::string type;  // owl:Ontology, void:Dataset ...
  std::string title;
  std::string version;
  std::string description;
  std::vector<std::string> references;  // papers and pages; sorted
};

// How the texts of a property are tagged, in those that were looked at.
struct TextSample {
  std::string property;  // IRI; empty: none is used
  std::uint64_t triples = 0;
  std::uint64_t looked_at = 0;
  std::vector<std::pair<std::string, std::uint64_t>> languages;  // most first; "": no tag
};

// A few of many: those that matter most, and how many there are.
template <typename T>
struct Leading {
  std::vector<T> first;
  std::uint64_t total = 0;
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
  std::vector<std::pair<std::string, std::uint64_t>> modules;  // IRI, terms of it; most first
  std::string modules_by;                                      // the property that tells of them
  std::string main_namespace;  // that most classes and properties are in; may be empty

  std::uint64_t triples = 0;
  // Classes that are declared (owl:Class, rdfs:Class), blank nodes among them. Where none is: those
  // that have instances.
  bool has_declared_classes = false;
  std::uint64_t class_count = 0;
  std::uint64_t named_class_count = 0;
  // Properties that are declared, without those that are for annotation alone. Where none is: those
  // that are used.
  bool has_declared_properties = false;
  std::uint64_t property_count = 0;
  std::uint64_t annotation_only_count = 0;  // declared
  std::uint64_t graph_count = 0;            // named ones
  std::uint64_t deprecated_count = 0;       // subjects of owl:deprecated or schema:supersededBy
  std::string deprecated_by;                // which of them; empty: none

  // Declared ones, or else those that are used, without those of RDF, RDFS and OWL. By instances or
  // triples, then by how many are below them, then by IRI.
  Leading<ClassFacts> classes;
  Leading<PropertyFacts> object_properties;
  Leading<PropertyFacts> datatype_properties;
  Leading<PropertyFacts> annotation_properties;
  Leading<PropertyFacts> other_properties;   // with both kinds of values, or not known
  std::uint64_t classes_with_instances = 0;  // of `classes`
  std::uint64_t declared_and_used = 0;       // declared properties that have triples
  bool has_all_ends = false;                 // domains and ranges of all properties were read

  PrefixList prefixes;  // with which IRIs are shown: its own, then well-known ones
  // That occur in the data: its own, then by terms, those of RDF, RDFS, OWL and XSD last.
  Leading<NamespaceInfo> namespaces;
  TextSample labels;
  bool has_rdfs_label = false;
  TextSample descriptions;
  Formalism formalism;

  std::vector<std::vector<std::string>> disjoint;  // classes that are so by pairs; sorted
  std::vector<std::pair<std::string, std::string>> inverses;  // each pair once, more used first
  std::vector<std::pair<std::string, std::string>> one_way;   // of these: the second is never used
  std::vector<std::pair<PropertyTrait, std::vector<std::string>>> traits_of;
  std::vector<Cardinality> cardinalities;
  std::vector<Enumeration> enumerations;
  // Classes without instances of their own, whose direct subclasses have some; best known first.
  std::vector<std::string> only_by_subclass;
  bool has_union_ends = false;   // a domain or range is a union
  bool has_hinted_ends = false;  // domainIncludes or rangeIncludes is used
};

// Never more queries than this, whatever the graph.
inline constexpr std::size_t kFactQueriesMax = 24;

// Cancelled or LimitExceeded as the context says. A question that fails otherwise is a gap.
Result<GraphFacts> gather_facts(const GraphSource& graph, const OpContext& context);

}  // namespace helve::context
