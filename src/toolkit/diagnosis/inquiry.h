// Inquiry: what every step of a diagnosis needs, and the findings that several steps can make.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "toolkit/diagnosis/diagnosis.h"
#include "toolkit/diagnosis/group_parts.h"
#include "toolkit/diagnosis/probes.h"

namespace helve::toolkit {

struct Inquiry {
  const sparql::Query& query;
  Probes& probes;
  PrefixList prefixes;  // of the query, then of the data

  std::string shown(const rdf::Term& term) const;
  std::string shown_iri(std::string_view iri) const;
};

// "12", "10,000 or more".
std::string count_text(const GraphCount& count);
std::string list_text(const std::vector<std::string>& items, std::size_t items_max);

Diagnosis finding(EmptyCause cause, const std::vector<Part>& parts, const PartSet& chosen);
Diagnosis finding(EmptyCause cause, const Part& part);
// Keeps the changed query if it is seen to give rows and there is no suggestion yet.
bool suggest(Diagnosis& diagnosis, const sparql::Query& changed, Inquiry& inquiry);

// An IRI of the part that no statement has.
std::optional<Diagnosis> unknown_iri(const Part& part, Inquiry& inquiry);
// For an IRI, whatever it stands in: near names, and a query with the nearest if that gives rows,
// for a class also through its subclasses. Never with a name that is less near: that would be
// another question. `part`: where the IRI stands, if it is known.
void offer_names(Diagnosis& diagnosis, std::string_view iri, NameKind kind,
                 std::vector<NameHit> nearby, Inquiry& inquiry, const Part* part = nullptr);
// rdf:type/rdfs:subClassOf*
sparql::Path type_through_subclasses();
// The parts match together as soon as GRAPH and FROM are left out.
std::optional<Diagnosis> wrong_graph(const std::vector<Part>& parts, const PartSet& chosen,
                                     const Scope& scope, Inquiry& inquiry);
// One of the parts has a literal that stands there in another form.
std::optional<Diagnosis> other_literal(const std::vector<Part>& parts, const PartSet& chosen,
                                       const Scope& scope, Inquiry& inquiry);

// A claim that the query is mistaken, rather than that the data has no answer.
bool is_mistake(EmptyCause cause);

}  // namespace helve::toolkit
