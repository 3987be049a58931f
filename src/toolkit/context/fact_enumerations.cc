#include <algorithm>
#include <map>
#include <set>

#include "sources/rdf/vocabulary.h"
#include "toolkit/context/fact_chains.h"
#include "toolkit/context/fact_gathering.h"
#include "toolkit/context/known_terms.h"

namespace helve::context {

namespace {

constexpr std::uint64_t kMembersMax = 50;  // of a class that is shown by its members
constexpr std::uint64_t kFewMax = 15;      // where nothing says that it is an enumeration
constexpr std::size_t kClassesAsked = 8;
constexpr std::uint64_t kRowsMax = 2'000;

using Members = std::map<std::string, std::set<std::string>>;

// owl:oneOf, of the class or of one that it is the same as.
Result<Members> closed_classes(FactQuestions& questions) {
  Members members;
  if (questions.that_are_used({&kOwlOneOf, 1}).empty()) return members;
  HELVE_ASSIGN(const FactTable table, find_closed_classes(questions, kRowsMax));
  if (table.has_more) return members;
  std::set<std::string> bad;
  for (const auto& row : table.rows) {
    for (const std::size_t column : {0U, 1U}) {
      if (iri_at(row, column).empty()) continue;
      std::string name(iri_at(row, column));
      if (iri_at(row, 2).empty()) {
        bad.insert(std::move(name));  // values, or things without names
      } else {
        members[std::move(name)].emplace(iri_at(row, 2));
      }
    }
  }
  for (const std::string& name : bad) members.erase(name);
  return members;
}

// Classes below schema:Enumeration.
Result<std::set<std::string>> schema_org_enumerations(FactQuestions& questions,
                                                      const GraphFacts& facts) {
  std::set<std::string> names;
  if (!facts.formalism.is_schema_org || questions.uses(kSubClassOf) == 0) return names;
  const bool is_https = questions.uses(kDomains[2]) > 0;
  const std::string top =
      std::string(is_https ? kSchemaHttps : kSchemaHttp) + std::string("Enumeration");
  HELVE_ASSIGN(const FactTable table, find_subclasses(questions, top, kRowsMax));
  for (const auto& row : table.rows) {
    if (const auto iri = iri_at(row, 0); !iri.empty()) names.emplace(iri);
  }
  return names;
}

// Classes with few instances that can be shown by them; the largest first.
std::vector<std::string_view> classes_to_ask(const GraphSchema& schema, const GraphFacts& facts,
                                             const std::set<std::string>& enumerations,
                                             const Members& closed) {
  std::vector<std::string_view> asked;
  const auto offer = [&](const ClassInfo& one, std::uint64_t most) {
    const bool is_fit = one.instances >= 2 && one.instances <= most &&
                        !is_of_the_language(one.iri) && !closed.contains(one.iri);
    const bool is_listed = one.is_declared || !facts.has_declared_classes;
    if (is_fit && is_listed && asked.size() < kClassesAsked) asked.push_back(one.iri);
  };
  for (const ClassInfo& one : schema.classes) {
    if (one.instances == 0) break;
    if (enumerations.contains(one.iri)) offer(one, kMembersMax);
  }
  for (const ClassInfo& one : schema.classes) {
    if (one.instances == 0) break;
    if (enumerations.empty()) offer(one, kFewMax);
  }
  return asked;
}

Result<Members> members_of(FactQuestions& questions, const std::vector<std::string_view>& classes) {
  Members members;
  if (classes.empty()) return members;
  HELVE_ASSIGN(const FactTable table,
               questions.triples("members of small classes", {{}, {rdf::kRdfType}, classes},
                                 kClassesAsked * kMembersMax));
  if (table.has_more) return members;
  for (const auto& row : table.rows) {
    if (!iri_at(row, 0).empty() && !iri_at(row, 2).empty()) {
      members[std::string(iri_at(row, 2))].emplace(iri_at(row, 0));
    }
  }
  return members;
}

}  // namespace

Result<void> add_enumerations(const GraphSchema& schema, FactQuestions& questions,
                              GraphFacts& facts) {
  HELVE_ASSIGN(const Members closed, closed_classes(questions));
  HELVE_ASSIGN(const auto enumerations, schema_org_enumerations(questions, facts));
  const auto asked = classes_to_ask(schema, facts, enumerations, closed);
  HELVE_ASSIGN(const Members small, members_of(questions, asked));
  const auto add = [&](const Members& all, bool is_closed) {
    for (const auto& [name, members] : all) {
      // Things without names are not shown: then the list would not be whole.
      if (!is_closed && members.size() != questions.instances(name)) continue;
      facts.enumerations.push_back({name, {members.begin(), members.end()}, is_closed});
    }
  };
  add(closed, true);
  add(small, false);
  std::stable_sort(facts.enumerations.begin(), facts.enumerations.end(),
                   [](const Enumeration& a, const Enumeration& b) {
                     if (a.is_closed != b.is_closed) return a.is_closed;
                     return a.members.size() > b.members.size();
                   });
  return {};
}

}  // namespace helve::context
