#include "sources/store/local_properties.h"

#include <algorithm>
#include <array>
#include <map>

#include "sources/rdf/vocabulary.h"

namespace helve::store {

namespace {

constexpr std::size_t kEndsMax = 5;  // classes that are told
constexpr std::size_t kDeclaredMax = 20;
constexpr std::size_t kTypesMax = 8;  // of one term that are looked at
constexpr double kShareMin = 0.1;     // of the sample, to be told

constexpr std::array<std::string_view, 3> kDomainPredicates = {
    "http://www.w3.org/2000/01/rdf-schema#domain", "http://schema.org/domainIncludes",
    "https://schema.org/domainIncludes"};
constexpr std::array<std::string_view, 3> kRangePredicates = {
    "http://www.w3.org/2000/01/rdf-schema#range", "http://schema.org/rangeIncludes",
    "https://schema.org/rangeIncludes"};
constexpr std::array<std::string_view, 3> kGeneralClasses = {
    "http://www.w3.org/2002/07/owl#Thing", "http://www.w3.org/2002/07/owl#NamedIndividual",
    "http://www.w3.org/2000/01/rdf-schema#Resource"};

bool has(const std::vector<Code>& codes, Code code) {
  return std::binary_search(codes.begin(), codes.end(), code);
}

}  // namespace

PropertyReader::PropertyReader(const Snapshot& snapshot, const DeclaredTerms& declared,
                               std::size_t samples)
    : snapshot_(&snapshot), declared_(&declared), samples_(samples), type_(code(rdf::kRdfType)) {
  const auto find_all = [this](const auto& iris, std::vector<Code>& codes) {
    for (const std::string_view iri : iris) {
      if (const auto found = code(iri)) codes.push_back(*found);
    }
  };
  find_all(kDomainPredicates, domain_predicates_);
  find_all(kRangePredicates, range_predicates_);
  find_all(kGeneralClasses, general_classes_);
}

// The objects of a property are sorted, and literals are behind all other terms: its first and its
// last one tell.
PropertyKind PropertyReader::kind_of(Code property) const {
  if (has(declared_->object_properties, property)) return PropertyKind::Object;
  if (has(declared_->datatype_properties, property)) return PropertyKind::Datatype;
  if (has(declared_->annotation_properties, property)) return PropertyKind::Annotation;
  const Permutation& pos = snapshot_->indexes()[Order::Pos];
  const RowRange rows = pos.rows_of(property);
  if (rows.empty()) return PropertyKind::Unknown;
  const Code literals = snapshot_->dictionary().codes_of(Tag::String).first;
  const bool has_resource = pos.at(1, rows.first) < literals;
  const bool has_literal = pos.at(1, rows.last - 1) >= literals;
  if (has_resource && has_literal) return PropertyKind::Mixed;
  return has_resource ? PropertyKind::Object : PropertyKind::Datatype;
}

std::vector<std::string> PropertyReader::domains_of(Code property) const {
  auto domains = declared_ends(property, domain_predicates_);
  return domains.empty() ? observed_ends(property, 1) : domains;
}

std::vector<std::string> PropertyReader::ranges_of(Code property) const {
  auto ranges = declared_ends(property, range_predicates_);
  return ranges.empty() ? observed_ends(property, 2) : ranges;
}

std::vector<std::string> PropertyReader::declared_ends(Code property,
                                                       const std::vector<Code>& predicates) const {
  std::vector<std::string> ends;
  const Permutation& spo = snapshot_->indexes()[Order::Spo];
  const RowRange rows = spo.rows_of(property);
  const Code iris_end = snapshot_->dictionary().codes_of(Tag::Iri).second;
  for (const Code predicate : predicates) {
    if (rows.empty()) break;
    const RowRange found = spo.narrow(rows, 1, predicate);
    Code before = CodeReader::kNone;
    for (std::uint64_t row = found.first; row < found.last && ends.size() < kDeclaredMax; ++row) {
      const Code object = spo.at(2, row);
      if (object < iris_end && object != before) ends.push_back(iri_of(object));
      before = object;
    }
  }
  return ends;
}

// Classes, or datatypes of literals, of the subjects (depth 1) or objects of some statements.
std::vector<std::string> PropertyReader::observed_ends(Code property, std::size_t depth) const {
  const Permutation& pso = snapshot_->indexes()[Order::Pso];
  const Dictionary& dictionary = snapshot_->dictionary();
  const RowRange rows = pso.rows_of(property);
  const std::uint64_t samples = std::min<std::uint64_t>(samples_, rows.size());
  const Code literals = dictionary.codes_of(Tag::String).first;
  std::map<std::string_view, std::size_t> datatypes;
  std::map<Code, std::size_t> classes;
  std::vector<Code> types;
  for (std::uint64_t i = 0; i < samples; ++i) {
    const Code term = pso.at(depth, rows.first + i * rows.size() / samples);
    if (term >= literals) {
      const Id id = dictionary.id_of(term);
      if (!id.is_defined()) continue;
      ++datatypes[id.tag() == Tag::LangString ? std::string_view(rdf::kRdfLangString)
                                              : dictionary.qualifier(id)];
      continue;
    }
    types.clear();
    add_types(term, types);
    for (const Code type : types) ++classes[type];
  }
  std::vector<std::pair<std::size_t, std::string>> ends;
  ends.reserve(datatypes.size() + classes.size());
  for (const auto& [iri, n] : datatypes) ends.emplace_back(n, iri);
  for (const auto& [code, n] : classes) ends.emplace_back(n, iri_of(code));
  std::sort(ends.begin(), ends.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<std::string> told;
  for (const auto& [n, iri] : ends) {
    const bool is_common = static_cast<double>(n) >= kShareMin * static_cast<double>(samples);
    if (is_common && told.size() < kEndsMax) told.push_back(iri);
  }
  return told;
}

void PropertyReader::add_types(Code term, std::vector<Code>& types) const {
  if (!type_) return;
  const Permutation& spo = snapshot_->indexes()[Order::Spo];
  const RowRange all = spo.rows_of(term);
  if (all.empty()) return;
  const RowRange rows = spo.narrow(all, 1, *type_);
  const Code iris_end = snapshot_->dictionary().codes_of(Tag::Iri).second;
  const std::uint64_t last = std::min<std::uint64_t>(rows.last, rows.first + kTypesMax);
  for (std::uint64_t row = rows.first; row < last; ++row) {
    const Code type = spo.at(2, row);
    const bool is_general =
        std::find(general_classes_.begin(), general_classes_.end(), type) != general_classes_.end();
    const bool is_repeated = !types.empty() && types.back() == type;
    if (type < iris_end && !is_general && !is_repeated) types.push_back(type);
  }
}

std::string PropertyReader::iri_of(Code code) const {
  std::string iri;
  const Id id = snapshot_->dictionary().id_of(code);
  if (id.tag() == Tag::Iri) {
    snapshot_->dictionary().section(Tag::Iri).strings.get(id.payload(), iri);
  }
  return iri;
}

}  // namespace helve::store
