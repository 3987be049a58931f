#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "sources/rdf/vocabulary.h"
#include "toolkit/context/fact_chains.h"
#include "toolkit/context/fact_gathering.h"
#include "toolkit/context/known_terms.h"

namespace helve::context {

namespace {

constexpr std::uint64_t kBelowRowsMax = 5'000;
constexpr std::uint64_t kEndRowsMax = 5'000;
constexpr std::uint64_t kAxiomRowsMax = 2'000;
constexpr std::uint64_t kAllEndsMax = 1'500;  // statements that are read without a choice

void sort_unique(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

std::array<Leading<PropertyFacts>*, 4> all_kinds(GraphFacts& facts) {
  return {&facts.object_properties, &facts.datatype_properties, &facts.annotation_properties,
          &facts.other_properties};
}

bool is_datatype(std::string_view iri) {
  const std::string_view space = namespace_part(iri);
  const std::string_view name = iri.substr(space.size());
  if (space == rdf::kXsd) return true;
  if (space == rdf::kRdfs) return name == "Literal";
  if (space == rdf::kRdf) return name == "langString" || name == "XMLLiteral" || name == "HTML";
  if (space != kSchemaHttp && space != kSchemaHttps) return false;
  constexpr std::array<std::string_view, 9> kNames = {
      "Text", "Number", "Date", "DateTime", "Time", "URL", "Boolean", "Integer", "Float"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// Where use does not tell the kind, the range does.
PropertyKind kind_by_range(const std::vector<std::string>& ranges) {
  if (ranges.empty()) return PropertyKind::Unknown;
  const auto datatypes = std::count_if(ranges.begin(), ranges.end(), is_datatype);
  if (datatypes == 0) return PropertyKind::Object;
  return static_cast<std::size_t>(datatypes) == ranges.size() ? PropertyKind::Datatype
                                                              : PropertyKind::Mixed;
}

using PropertyIndex = std::unordered_map<std::string_view, PropertyFacts*>;

PropertyIndex property_index(GraphFacts& facts) {
  PropertyIndex index;
  for (Leading<PropertyFacts>* list : all_kinds(facts)) {
    for (PropertyFacts& one : list->first) index.emplace(one.iri, &one);
  }
  return index;
}

void add_end(const PropertyIndex& index, std::string_view property, std::string_view predicate,
             std::string_view end) {
  const auto found = index.find(property);
  if (found == index.end() || end.empty()) return;
  const bool is_domain = std::find(kDomains.begin(), kDomains.end(), predicate) != kDomains.end();
  (is_domain ? found->second->domains : found->second->ranges).emplace_back(end);
}

// What was read so far stands for little where a source has more of it.
void note_excess(const FactTable& table, std::string_view what, GraphFacts& facts) {
  if (table.has_more) facts.gaps.emplace_back("all of " + std::string(what));
}

}  // namespace

void choose_ends(const FactQuestions& questions, GraphFacts& facts) {
  std::uint64_t statements = 0;
  for (const auto* list : {&kDomains, &kRanges}) {
    for (const std::string_view iri : *list) statements += questions.uses(iri);
  }
  facts.has_all_ends = facts.is_complete && statements <= kAllEndsMax;
}

// Instances are counted for each type; something may be of both.
Result<void> count_classes(FactQuestions& questions, GraphFacts& facts) {
  if (!facts.has_declared_classes) return {};
  const std::uint64_t owl = questions.instances(kOwlClass);
  const std::uint64_t rdfs = questions.instances(kRdfsClass);
  facts.class_count = std::max({owl, rdfs, facts.named_class_count});
  if (owl > 0 && rdfs > 0 && !facts.is_remote) {
    HELVE_ASSIGN(
        const FactTable table,
        questions.ask("the number of its classes",
                      "SELECT (COUNT(DISTINCT ?c) AS ?n) { { ?c a " + iri_in_query(kOwlClass) +
                          " } UNION { ?c a " + iri_in_query(kRdfsClass) + " } }",
                      1));
    if (!table.rows.empty()) facts.class_count = number_at(table.rows[0], 0);
  }
  return {};
}

Result<BelowCounts> count_below(FactQuestions& questions, std::string_view predicate) {
  BelowCounts counts;
  if (questions.uses(predicate) == 0) return counts;
  HELVE_ASSIGN(const FactTable table,
               questions.counts_by_object("its hierarchy", predicate, kBelowRowsMax));
  for (const auto& row : table.rows) {
    if (const auto iri = iri_at(row, 0); !iri.empty()) counts.emplace(iri, number_at(row, 1));
  }
  return counts;
}

Result<void> keep_only_by_subclass(FactQuestions& questions, GraphFacts& facts) {
  const std::vector<std::string> bare = std::exchange(facts.only_by_subclass, {});
  if (bare.empty() || facts.classes_with_instances == 0 || !facts.is_complete) return {};
  TripleQuestion question;
  question.predicates = {kSubClassOf};
  question.objects.assign(bare.begin(), bare.end());
  HELVE_ASSIGN(const FactTable table,
               questions.triples("the instances of subclasses", question, kAxiomRowsMax));
  std::set<std::string_view> known;
  for (const auto& row : table.rows) {
    if (questions.instances(iri_at(row, 0)) > 0) known.insert(iri_at(row, 2));
  }
  for (const std::string& iri : bare) {
    if (known.contains(iri)) facts.only_by_subclass.push_back(iri);
  }
  return {};
}

Result<void> add_ends(FactQuestions& questions, GraphFacts& facts) {
  TripleQuestion question;
  question.predicates = questions.that_are_used(kDomains);
  const auto ranges = questions.that_are_used(kRanges);
  question.predicates.insert(question.predicates.end(), ranges.begin(), ranges.end());
  if (question.predicates.empty()) return {};
  const PropertyIndex index = property_index(facts);
  if (!facts.has_all_ends) {
    for (const auto& [iri, property] : index) question.subjects.push_back(iri);
    std::sort(question.subjects.begin(), question.subjects.end());
    if (question.subjects.empty()) return {};
  }
  HELVE_ASSIGN(const FactTable table,
               questions.triples("domains and ranges", question, kEndRowsMax));
  for (const auto& row : table.rows) add_end(index, iri_at(row, 0), iri_at(row, 1), iri_at(row, 2));
  if (!questions.that_are_used({&kOwlUnionOf, 1}).empty()) {
    HELVE_ASSIGN(const FactTable unions, find_union_ends(questions, kEndRowsMax));
    for (const auto& row : unions.rows) {
      add_end(index, iri_at(row, 0), iri_at(row, 1), iri_at(row, 2));
    }
    facts.has_union_ends = !unions.rows.empty();
  }
  for (const auto& [iri, property] : index) {
    sort_unique(property->domains);
    sort_unique(property->ranges);
    if (property->kind == PropertyKind::Unknown) property->kind = kind_by_range(property->ranges);
  }
  return {};
}

Result<void> add_traits(FactQuestions& questions, GraphFacts& facts) {
  if (const auto types = questions.that_have_instances(kTraitTypes); !types.empty()) {
    HELVE_ASSIGN(const FactTable table,
                 questions.triples("the characteristics of its properties",
                                   {{}, {rdf::kRdfType}, types}, kAxiomRowsMax));
    note_excess(table, "the characteristics of its properties", facts);
    for (std::size_t i = 0; i < kTraitTypes.size(); ++i) {
      std::vector<std::string> properties;
      for (const auto& row : table.rows) {
        if (iri_at(row, 2) == kTraitTypes.at(i) && !iri_at(row, 0).empty()) {
          properties.emplace_back(iri_at(row, 0));
        }
      }
      sort_unique(properties);
      if (!properties.empty()) {
        facts.traits_of.emplace_back(static_cast<PropertyTrait>(i), std::move(properties));
      }
    }
  }
  const auto inverses = questions.that_are_used(kInverses);
  if (inverses.empty()) return {};
  HELVE_ASSIGN(const FactTable table,
               questions.triples("inverse properties", {{}, inverses, {}}, kAxiomRowsMax));
  note_excess(table, "inverse properties", facts);
  std::set<std::pair<std::string, std::string>> pairs;
  for (const auto& row : table.rows) {
    std::string p(iri_at(row, 0));
    std::string q(iri_at(row, 2));
    if (p.empty() || q.empty() || p == q) continue;
    if (!pairs.contains({q, p})) pairs.emplace(std::move(p), std::move(q));
  }
  // The property that has more triples comes first: it is the one to ask.
  for (const auto& [p, q] : pairs) {
    const auto rank = [&](const std::string& iri) {
      return std::pair(UINT64_MAX - questions.uses(iri), std::string_view(iri));
    };
    facts.inverses.push_back(rank(p) < rank(q) ? std::pair(p, q) : std::pair(q, p));
  }
  std::sort(facts.inverses.begin(), facts.inverses.end(), [&](const auto& a, const auto& b) {
    const std::uint64_t x = questions.uses(a.first);
    const std::uint64_t y = questions.uses(b.first);
    return x != y ? x > y : a < b;
  });
  for (const auto& pair : facts.inverses) {
    const bool is_one_way = questions.uses(pair.first) > 0 && questions.uses(pair.second) == 0;
    if (is_one_way && facts.is_complete) facts.one_way.push_back(pair);
  }
  return {};
}

Result<void> add_disjoint(FactQuestions& questions, GraphFacts& facts) {
  std::set<std::vector<std::string>> sets;
  if (!questions.that_are_used({&kOwlDisjointWith, 1}).empty()) {
    HELVE_ASSIGN(
        const FactTable table,
        questions.triples("disjoint classes", {{}, {kOwlDisjointWith}, {}}, kAxiomRowsMax));
    note_excess(table, "disjoint classes", facts);
    for (const auto& row : table.rows) {
      std::vector<std::string> two{std::string(iri_at(row, 0)), std::string(iri_at(row, 2))};
      if (two[0].empty() || two[1].empty() || two[0] == two[1]) continue;
      std::sort(two.begin(), two.end());
      sets.insert(std::move(two));
    }
  }
  if (!questions.that_are_used({&kOwlMembers, 1}).empty()) {
    HELVE_ASSIGN(const FactTable table, find_disjoint_sets(questions, kAxiomRowsMax));
    note_excess(table, "disjoint classes", facts);
    std::map<std::string, std::vector<std::string>> members;
    for (const auto& row : table.rows) {
      if (!row[0].is_bound() || iri_at(row, 1).empty()) continue;
      members[std::string(row[0].value)].emplace_back(iri_at(row, 1));
    }
    for (auto& [node, classes] : members) {
      sort_unique(classes);
      if (classes.size() > 1) sets.insert(std::move(classes));
    }
  }
  facts.disjoint.assign(sets.begin(), sets.end());
  std::stable_sort(facts.disjoint.begin(), facts.disjoint.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return {};
}

Result<void> add_cardinalities(FactQuestions& questions, GraphFacts& facts) {
  const auto kinds = questions.that_are_used(kCardinalities);
  if (kinds.empty() || questions.that_are_used({&kOwlOnProperty, 1}).empty()) return {};
  HELVE_ASSIGN(const FactTable table, find_cardinalities(questions, kinds, kAxiomRowsMax));
  note_excess(table, "cardinalities", facts);
  std::map<std::tuple<std::string, std::string, std::string>, Cardinality> found;
  for (const auto& row : table.rows) {
    const std::string_view kind = iri_at(row, 2);
    if (iri_at(row, 0).empty() || iri_at(row, 1).empty() || kind.empty()) continue;
    if (row[3].kind != rdf::TermKind::Literal) continue;
    if (row[4].is_bound() && iri_at(row, 4).empty()) continue;  // of a class that has no name
    Cardinality& one = found[{std::string(iri_at(row, 0)), std::string(iri_at(row, 1)),
                              std::string(iri_at(row, 4))}];
    one.class_iri = iri_at(row, 0);
    one.property = iri_at(row, 1);
    one.on_class = iri_at(row, 4);
    const std::uint64_t n = number_at(row, 3);
    const bool is_min = kind.find("#min") != std::string_view::npos;
    const bool is_max = kind.find("#max") != std::string_view::npos;
    if (!is_max) one.least = std::max(one.least.value_or(0), n);
    if (!is_min) one.most = std::min(one.most.value_or(UINT64_MAX), n);
  }
  for (auto& [key, one] : found) facts.cardinalities.push_back(std::move(one));
  return {};
}

}  // namespace helve::context
