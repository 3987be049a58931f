#include "sources/store/local_properties.h"

#include <algorithm>
#include <array>
#include <map>

#include "sources/rdf/vocabulary.h"

namespace helve::store {

namespace {

constexpr std::size_t kSamplesMax = 48;        // of one property
constexpr std::size_t kSamplesOfAll = 50'000;  // fewer each where there are many
constexpr std::size_t kEndsMax = 5;            // classes that are told
constexpr std::size_t kDeclaredMax = 20;
constexpr std::size_t kTypesMax = 8;     // of one term that are looked at
constexpr double kDomainShareMin = 0.1;  // of the sample, to be told

constexpr std::array<std::string_view, 3> kDomainPredicates = {
    "http://www.w3.org/2000/01/rdf-schema#domain", "http://schema.org/domainIncludes",
    "https://schema.org/domainIncludes"};
constexpr std::array<std::string_view, 3> kRangePredicates = {
    "http://www.w3.org/2000/01/rdf-schema#range", "http://schema.org/rangeIncludes",
    "https://schema.org/rangeIncludes"};
constexpr std::array<std::string_view, 3> kGeneralClasses = {
    "http://www.w3.org/2002/07/owl#Thing", "http://www.w3.org/2002/07/owl#NamedIndividual",
    "http://www.w3.org/2000/01/rdf-schema#Resource"};

template <typename List, typename Item>
bool has(const List& list, const Item& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

}  // namespace

std::size_t samples_of_each(std::size_t properties) {
  return std::clamp<std::size_t>(kSamplesOfAll / (properties + 1), 4, kSamplesMax);
}

bool declares_ends(std::string_view predicate) {
  return has(kDomainPredicates, predicate) || has(kRangePredicates, predicate);
}

PropertyKind property_kind(const SchemaRows& rows, Id property, const Declaration& declared) {
  if (declared.has(DeclaredKind::ObjectProperty)) return PropertyKind::Object;
  if (declared.has(DeclaredKind::DatatypeProperty)) return PropertyKind::Datatype;
  if (declared.has(DeclaredKind::AnnotationProperty)) return PropertyKind::Annotation;
  const auto [has_resource, has_literal] = rows.object_kinds(property);
  if (has_resource && has_literal) return PropertyKind::Mixed;
  if (has_resource) return PropertyKind::Object;
  return has_literal ? PropertyKind::Datatype : PropertyKind::Unknown;
}

EndsReader::EndsReader(const SchemaRows& rows, std::size_t samples)
    : rows_(&rows), samples_(samples), type_(rows.find_iri(rdf::kRdfType)) {
  const auto find_all = [&rows](const auto& iris, std::vector<Id>& ids) {
    for (const std::string_view iri : iris) {
      if (const Id found = rows.find_iri(iri); found.is_defined()) ids.push_back(found);
    }
  };
  find_all(kDomainPredicates, domain_predicates_);
  find_all(kRangePredicates, range_predicates_);
  find_all(kGeneralClasses, general_classes_);
}

EndsReader::Ends EndsReader::read(Id property) const {
  Ends ends{declared_ends(property, domain_predicates_),
            declared_ends(property, range_predicates_)};
  if (!ends.domains.empty() && !ends.ranges.empty()) return ends;
  const auto samples = rows_->sample(property, samples_);
  if (ends.domains.empty()) ends.domains = observed_ends(samples, &SchemaRows::Ends::subject);
  if (ends.ranges.empty()) ends.ranges = observed_ends(samples, &SchemaRows::Ends::object);
  return ends;
}

std::vector<std::string> EndsReader::declared_ends(Id property,
                                                   const std::vector<Id>& predicates) const {
  std::vector<std::string> ends;
  for (const Id predicate : predicates) {
    Id before;
    rows_->visit_objects(property, predicate, [&](Id object) {
      if (ends.size() == kDeclaredMax) return false;
      if (object.tag() == Tag::Iri && object != before) ends.push_back(iri_of(object));
      before = object;
      return true;
    });
  }
  return ends;
}

// Classes, or datatypes of literals, of one end of some statements.
std::vector<std::string> EndsReader::observed_ends(const std::vector<SchemaRows::Ends>& samples,
                                                   Id SchemaRows::Ends::*end) const {
  std::map<std::string_view, std::size_t> datatypes;
  std::map<Id, std::size_t> classes;
  std::vector<Id> types;
  for (const SchemaRows::Ends& sample : samples) {
    const Id term = sample.*end;
    if (!term.is_defined()) continue;
    if (term.is_literal()) {
      ++datatypes[term.tag() == Tag::LangString ? std::string_view(rdf::kRdfLangString)
                                                : rows_->qualifier(term)];
      continue;
    }
    types.clear();
    add_types(term, types);
    for (const Id type : types) ++classes[type];
  }
  std::vector<std::pair<std::size_t, std::string>> ends;
  ends.reserve(datatypes.size() + classes.size());
  for (const auto& [iri, n] : datatypes) ends.emplace_back(n, iri);
  for (const auto& [id, n] : classes) ends.emplace_back(n, iri_of(id));
  std::sort(ends.begin(), ends.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<std::string> told;
  for (const auto& [n, iri] : ends) {
    const bool is_common =
        static_cast<double>(n) >= kDomainShareMin * static_cast<double>(samples.size());
    if (is_common && told.size() < kEndsMax) told.push_back(iri);
  }
  return told;
}

void EndsReader::add_types(Id term, std::vector<Id>& types) const {
  std::size_t looked_at = 0;
  rows_->visit_objects(term, type_, [&](Id type) {
    const bool is_repeated = !types.empty() && types.back() == type;
    if (type.tag() == Tag::Iri && !is_repeated && !has(general_classes_, type)) {
      types.push_back(type);
    }
    return ++looked_at < kTypesMax;
  });
}

std::string EndsReader::iri_of(Id id) const {
  std::string scratch;
  return std::string(rows_->term(id, scratch).value);
}

}  // namespace helve::store
