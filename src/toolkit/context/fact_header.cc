#include <algorithm>
#include <map>
#include <set>

#include "sources/rdf/vocabulary.h"
#include "toolkit/context/fact_gathering.h"
#include "toolkit/context/known_terms.h"

namespace helve::context {

namespace {

constexpr std::uint64_t kHeadersMax = 200;
constexpr std::uint64_t kHeaderRowsMax = 400;
constexpr std::uint64_t kImportsMax = 200;
constexpr std::uint64_t kModulesMax = 50;
constexpr std::uint64_t kTextsLookedAt = 100;
constexpr std::size_t kReferencesMax = 3;

void sort_names(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

using Header = std::pair<std::string, std::string>;  // IRI, type

// http://www.w3.org/ns/prov is the ontology of the namespace http://www.w3.org/ns/prov#.
bool is_for_namespace(std::string_view ontology, std::string_view space) {
  const auto stem = [](std::string_view iri) {
    while (iri.ends_with('#') || iri.ends_with('/')) iri.remove_suffix(1);
    return iri;
  };
  return !space.empty() && stem(ontology) == stem(space);
}

std::size_t type_rank(std::string_view type) {
  return static_cast<std::size_t>(std::find(kHeaderTypes.begin(), kHeaderTypes.end(), type) -
                                  kHeaderTypes.begin());
}

// The one for the main namespace; else by type, and then by name.
const Header* main_header(const std::vector<Header>& headers, std::string_view main_namespace) {
  const Header* best = nullptr;
  const auto rank = [&](const Header& header) {
    return std::tuple(!is_for_namespace(header.first, main_namespace), type_rank(header.second),
                      std::string_view(header.first));
  };
  for (const Header& header : headers) {
    if (best == nullptr || rank(header) < rank(*best)) best = &header;
  }
  return best;
}

// English, then no language, then the others by their names.
std::pair<int, std::string_view> language_rank(const FactCell& term) {
  const std::string_view tag = term.language;
  return {tag.starts_with("en") ? 0 : tag.empty() ? 1 : 2, tag};
}

// Takes the best text of the best of some properties.
class BestText {
 public:
  explicit BestText(std::span<const std::string_view> properties) : properties_(properties) {}

  void offer(std::string_view property, const FactCell& value) {
    const auto found = std::find(properties_.begin(), properties_.end(), property);
    if (found == properties_.end() || value.kind == rdf::TermKind::BlankNode || value.value.empty())
      return;
    const auto [language, tag] = language_rank(value);
    Place place{found - properties_.begin(), language, std::string(tag), std::string(value.value)};
    if (!best_ || place < *best_) best_ = std::move(place);
  }
  std::string take() && { return best_ ? std::get<3>(*std::move(best_)) : std::string(); }

 private:
  using Place = std::tuple<std::ptrdiff_t, int, std::string, std::string>;
  std::span<const std::string_view> properties_;
  std::optional<Place> best_;
};

// Of the ontology, or where there is no header, of the namespace, which some vocabularies describe.
Result<void> add_main(FactQuestions& questions, GraphFacts& facts) {
  std::vector<std::string_view> asked;
  for (const std::span<const std::string_view> list :
       {std::span<const std::string_view>(kTitles),
        std::span<const std::string_view>(kDescriptions),
        std::span<const std::string_view>(kVersions),
        std::span<const std::string_view>(kReferences)}) {
    for (const std::string_view iri : questions.that_are_used(list)) asked.push_back(iri);
  }
  if (asked.empty()) {
    if (facts.main.type.empty()) facts.main.iri.clear();
    return {};
  }
  HELVE_ASSIGN(const FactTable table,
               questions.triples("its title and description", {{facts.main.iri}, asked, {}},
                                 kHeaderRowsMax));
  if (table.rows.empty() && facts.main.type.empty()) facts.main.iri.clear();
  BestText title(kTitles);
  BestText description(kDescriptions);
  BestText version(kVersions);
  for (const auto& row : table.rows) {
    const std::string_view property = iri_at(row, 1);
    const FactCell& value = row[2];
    if (property.empty() || !value.is_bound()) continue;
    title.offer(property, value);
    description.offer(property, value);
    version.offer(property, value);
    const bool is_reference =
        std::find(kReferences.begin(), kReferences.end(), property) != kReferences.end();
    if (is_reference && value.kind == rdf::TermKind::Iri) {
      facts.main.references.emplace_back(value.value);
    }
  }
  facts.main.title = std::move(title).take();
  facts.main.description = std::move(description).take();
  facts.main.version = std::move(version).take();
  auto& references = facts.main.references;
  sort_names(references);
  if (references.size() > kReferencesMax) references.resize(kReferencesMax);
  return {};
}

Result<void> add_imports(FactQuestions& questions, GraphFacts& facts) {
  if (questions.that_are_used({&kOwlImports, 1}).empty()) return {};
  TripleQuestion question{{}, {kOwlImports}, {}, false};
  HELVE_ASSIGN(const FactTable table, questions.triples("its imports", question, kImportsMax));
  for (const auto& row : table.rows) {
    if (const auto iri = iri_at(row, 2); !iri.empty()) facts.imports.emplace_back(iri);
  }
  if (table.has_more) facts.gaps.emplace_back("all of its imports");
  sort_names(facts.imports);
  return {};
}

// A property that says which part of the vocabulary a term is of: it has few values.
std::string_view module_property(const GraphSchema& schema, const GraphFacts& facts) {
  std::vector<std::string_view> candidates{kIsDefinedBy};
  if (facts.formalism.is_schema_org) {
    candidates.insert(candidates.end(),
                      {"http://schema.org/isPartOf", "https://schema.org/isPartOf"});
  }
  for (const std::string_view iri : candidates) {
    const PropertyInfo* const property = schema.find_property(iri);
    if (property == nullptr || property->triples == 0) continue;
    if (property->objects >= 2 && property->objects <= kModulesMax) return property->iri;
  }
  return {};
}

}  // namespace

Result<void> add_header(FactQuestions& questions, GraphFacts& facts) {
  const auto types = questions.that_have_instances(kHeaderTypes);
  if (types.empty()) {
    facts.main.iri = facts.main_namespace;
    return facts.main.iri.empty() ? Result<void>() : add_main(questions, facts);
  }
  HELVE_ASSIGN(const FactTable table,
               questions.triples("its ontology header", {{}, {rdf::kRdfType}, types}, kHeadersMax));
  std::vector<Header> headers;
  for (const auto& row : table.rows) {
    const std::string_view iri = iri_at(row, 0);
    if (iri.empty() || iri_at(row, 2).empty()) continue;
    headers.emplace_back(iri, iri_at(row, 2));
    facts.ontologies.emplace_back(iri);
  }
  sort_names(facts.ontologies);
  const Header* const main = main_header(headers, facts.main_namespace);
  if (main != nullptr) {
    facts.main.iri = main->first;
    facts.main.type = main->second;
    HELVE_TRY(add_main(questions, facts));
  }
  return add_imports(questions, facts);
}

Result<void> add_modules(const GraphSchema& schema, FactQuestions& questions, GraphFacts& facts) {
  const std::string_view by = module_property(schema, facts);
  if (!by.empty()) {
    HELVE_ASSIGN(const FactTable table, questions.counts_by_object("its modules", by, kModulesMax));
    for (const auto& row : table.rows) {
      if (const auto iri = iri_at(row, 0); !iri.empty()) {
        facts.modules.emplace_back(iri, number_at(row, 1));
      }
    }
    facts.modules_by = by;
  } else if (const auto parts = questions.that_are_used(kParts);
             !parts.empty() && !facts.main.iri.empty()) {
    HELVE_ASSIGN(const FactTable table,
                 questions.triples("its modules", {{facts.main.iri}, parts, {}}, kModulesMax));
    std::set<std::string_view> found;
    for (const auto& row : table.rows) found.insert(iri_at(row, 2));
    found.erase(std::string_view());
    for (const std::string_view iri : found) facts.modules.emplace_back(iri, 0);
    if (!facts.modules.empty()) facts.modules_by = parts.front();
  }
  std::sort(facts.modules.begin(), facts.modules.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return {};
}

namespace {

// The one with the most triples; the first of equals.
TextSample most_used(const FactQuestions& questions, std::span<const std::string_view> properties) {
  TextSample sample;
  for (const std::string_view iri : properties) {
    const std::uint64_t n = questions.uses(iri);
    if (n <= sample.triples) continue;
    sample.triples = n;
    sample.property = iri;
  }
  return sample;
}

}  // namespace

Result<void> add_texts(FactQuestions& questions, GraphFacts& facts) {
  facts.has_rdfs_label = questions.uses(kLabelProperties.front()) > 0;
  facts.labels = most_used(questions, kLabelProperties);
  facts.descriptions = most_used(questions, kDescriptionProperties);
  if (facts.labels.property.empty()) return {};
  const TripleQuestion question{{}, {facts.labels.property}, {}, false};
  HELVE_ASSIGN(const FactTable table,
               questions.triples("the languages of its labels", question, kTextsLookedAt));
  std::map<std::string_view, std::uint64_t> tags;
  for (const auto& row : table.rows) {
    if (row[2].kind != rdf::TermKind::Literal) continue;
    ++facts.labels.looked_at;
    ++tags[row[2].language];
  }
  facts.labels.languages.assign(tags.begin(), tags.end());
  std::stable_sort(facts.labels.languages.begin(), facts.labels.languages.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return {};
}

}  // namespace helve::context
