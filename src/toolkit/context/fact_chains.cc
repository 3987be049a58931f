#include "toolkit/context/fact_chains.h"

#include <array>
#include <set>

#include "sources/rdf/vocabulary.h"
#include "toolkit/context/known_terms.h"

namespace helve::context {

namespace {

constexpr std::string_view kEquivalentClass = "http://www.w3.org/2002/07/owl#equivalentClass";
constexpr std::string_view kOnClass = "http://www.w3.org/2002/07/owl#onClass";
constexpr std::string_view kAllDisjointClasses = "http://www.w3.org/2002/07/owl#AllDisjointClasses";

std::string path_to_members() {
  return iri_in_query(rdf::kRdfRest) + "*/" + iri_in_query(rdf::kRdfFirst);
}

// Triples with a predicate that the graph may not have: then there are none.
Result<std::vector<TripleIds>> find_with(FactReading& reading, rdf::Id subject, rdf::Id predicate,
                                         rdf::Id object) {
  if (!predicate.is_defined()) return std::vector<TripleIds>();
  return reading.find({subject, predicate, object});
}

Result<void> read_union_ends(FactReading& reading) {
  const rdf::Id union_of = reading.find_iri(kOwlUnionOf);
  const std::array<rdf::Id, 2> ends = {reading.find_iri(kDomain), reading.find_iri(kRange)};
  HELVE_ASSIGN(const auto unions, find_with(reading, {}, union_of, {}));
  for (const TripleIds& one : unions) {
    if (reading.has_more()) break;
    std::vector<TripleIds> uses;
    for (const rdf::Id end : ends) {
      HELVE_ASSIGN(const auto found, find_with(reading, {}, end, one.subject));
      uses.insert(uses.end(), found.begin(), found.end());
    }
    if (uses.empty()) continue;
    HELVE_ASSIGN(const auto members, reading.members(one.object));
    for (const TripleIds& use : uses) {
      for (const rdf::Id member : members) {
        reading.add(std::array{use.subject, use.predicate, member});
      }
    }
  }
  return {};
}

Result<void> read_closed_classes(FactReading& reading) {
  const rdf::Id one_of = reading.find_iri(kOwlOneOf);
  const rdf::Id equivalent = reading.find_iri(kEquivalentClass);
  HELVE_ASSIGN(const auto closed, find_with(reading, {}, one_of, {}));
  for (const TripleIds& one : closed) {
    if (reading.has_more()) break;
    HELVE_ASSIGN(auto same, find_with(reading, {}, equivalent, one.subject));
    if (same.empty()) same.emplace_back();
    HELVE_ASSIGN(const auto members, reading.members(one.object));
    for (const TripleIds& named : same) {
      for (const rdf::Id member : members) {
        reading.add(std::array{one.subject, named.subject, member});
      }
    }
  }
  return {};
}

Result<void> read_disjoint_sets(FactReading& reading) {
  const rdf::Id all_disjoint = reading.find_iri(kAllDisjointClasses);
  const rdf::Id members_of = reading.find_iri(kOwlMembers);
  if (!all_disjoint.is_defined()) return {};
  HELVE_ASSIGN(const auto sets,
               find_with(reading, {}, reading.find_iri(rdf::kRdfType), all_disjoint));
  for (const TripleIds& one : sets) {
    if (reading.has_more()) break;
    HELVE_ASSIGN(const auto lists, find_with(reading, one.subject, members_of, {}));
    for (const TripleIds& list : lists) {
      HELVE_ASSIGN(const auto members, reading.members(list.object));
      for (const rdf::Id member : members) reading.add(std::array{one.subject, member});
    }
  }
  return {};
}

class RestrictionReader {
 public:
  explicit RestrictionReader(FactReading& reading)
      : reading_(reading),
        on_property_(reading.find_iri(kOwlOnProperty)),
        on_class_(reading.find_iri(kOnClass)),
        by_({reading.find_iri(kSubClassOf), reading.find_iri(kEquivalentClass)}) {}

  Result<void> read(std::span<const std::string_view> kinds) {
    for (const std::string_view kind : kinds) {
      HELVE_ASSIGN(const auto found, find_with(reading_, {}, reading_.find_iri(kind), {}));
      for (const TripleIds& one : found) HELVE_TRY(add(one));
    }
    return {};
  }

 private:
  Result<void> add(const TripleIds& restriction) {
    if (reading_.has_more()) return {};
    const rdf::Id node = restriction.subject;
    HELVE_ASSIGN(const auto properties, find_with(reading_, node, on_property_, {}));
    if (properties.empty()) return {};
    HELVE_ASSIGN(auto qualifiers, find_with(reading_, node, on_class_, {}));
    if (qualifiers.empty()) qualifiers.emplace_back();
    for (const rdf::Id by : by_) {
      HELVE_ASSIGN(const auto classes, find_with(reading_, {}, by, node));
      for (const TripleIds& one : classes) {
        for (const TripleIds& property : properties) {
          for (const TripleIds& qualifier : qualifiers) {
            reading_.add(std::array{one.subject, property.object, restriction.predicate,
                                    restriction.object, qualifier.object});
          }
        }
      }
    }
    return {};
  }

  FactReading& reading_;
  rdf::Id on_property_;
  rdf::Id on_class_;
  std::array<rdf::Id, 2> by_;
};

Result<void> read_subclasses(FactReading& reading, std::string_view top) {
  const rdf::Id below = reading.find_iri(kSubClassOf);
  std::vector<rdf::Id> waiting{reading.find_iri(top)};
  if (!waiting.front().is_defined()) return {};
  std::set<rdf::Id> seen;
  while (!waiting.empty() && !reading.has_more()) {
    const rdf::Id one = waiting.back();
    waiting.pop_back();
    HELVE_ASSIGN(const auto found, find_with(reading, {}, below, one));
    for (const TripleIds& triple : found) {
      if (!seen.insert(triple.subject).second) continue;
      waiting.push_back(triple.subject);
      reading.add(std::array{triple.subject});
    }
  }
  return {};
}

}  // namespace

Result<FactTable> find_union_ends(FactQuestions& questions, std::uint64_t rows_max) {
  constexpr std::string_view kWhat = "domains and ranges that are unions";
  if (questions.can_read()) return questions.read(kWhat, rows_max, read_union_ends);
  const std::array<std::string_view, 2> ends = {kDomain, kRange};
  return questions.ask(kWhat,
                       "SELECT ?p ?e ?c { " + values_clause("e", ends) + "?p ?e ?u . ?u " +
                           iri_in_query(kOwlUnionOf) + "/" + path_to_members() + " ?c }",
                       rows_max);
}

Result<FactTable> find_closed_classes(FactQuestions& questions, std::uint64_t rows_max) {
  constexpr std::string_view kWhat = "enumerations";
  if (questions.can_read()) return questions.read(kWhat, rows_max, read_closed_classes);
  return questions.ask(kWhat,
                       "SELECT ?x ?c ?m { ?x " + iri_in_query(kOwlOneOf) + " ?l . ?l " +
                           path_to_members() + " ?m OPTIONAL { ?c " +
                           iri_in_query(kEquivalentClass) + " ?x } }",
                       rows_max);
}

Result<FactTable> find_disjoint_sets(FactQuestions& questions, std::uint64_t rows_max) {
  constexpr std::string_view kWhat = "sets of disjoint classes";
  if (questions.can_read()) return questions.read(kWhat, rows_max, read_disjoint_sets);
  return questions.ask(kWhat,
                       "SELECT ?d ?m { ?d a " + iri_in_query(kAllDisjointClasses) + " ; " +
                           iri_in_query(kOwlMembers) + "/" + path_to_members() + " ?m }",
                       rows_max);
}

Result<FactTable> find_cardinalities(FactQuestions& questions,
                                     std::span<const std::string_view> kinds,
                                     std::uint64_t rows_max) {
  constexpr std::string_view kWhat = "cardinalities";
  if (questions.can_read()) {
    return questions.read(kWhat, rows_max, [&](FactReading& reading) {
      return RestrictionReader(reading).read(kinds);
    });
  }
  return questions.ask(kWhat,
                       "SELECT ?c ?p ?k ?n ?q { " + values_clause("k", kinds) + "?r ?k ?n ; " +
                           iri_in_query(kOwlOnProperty) + " ?p . ?c " + iri_in_query(kSubClassOf) +
                           "|" + iri_in_query(kEquivalentClass) + " ?r OPTIONAL { ?r " +
                           iri_in_query(kOnClass) + " ?q } }",
                       rows_max);
}

Result<FactTable> find_subclasses(FactQuestions& questions, std::string_view top,
                                  std::uint64_t rows_max) {
  constexpr std::string_view kWhat = "enumerations of schema.org";
  if (questions.can_read()) {
    return questions.read(kWhat, rows_max,
                          [&](FactReading& reading) { return read_subclasses(reading, top); });
  }
  return questions.ask(
      kWhat,
      "SELECT DISTINCT ?c { ?c " + iri_in_query(kSubClassOf) + "+ " + iri_in_query(top) + " }",
      rows_max);
}

}  // namespace helve::context
