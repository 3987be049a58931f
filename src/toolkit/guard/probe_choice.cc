#include "toolkit/guard/probe_choice.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/algebra/printer.h"
#include "toolkit/guard/group_builder.h"

namespace helve::toolkit {

namespace {

constexpr double kFewRows = 10'000;        // a start from which any engine goes on quickly
constexpr std::size_t kElementsMax = 256;  // of a query that is looked at

// Predicates that engines compute: text and geometry searches, lists, inference. Asked by
// themselves they have no matches, or too many.
constexpr std::array<std::string_view, 17> kComputed = {
    "bif:",
    "java:",
    "tag:stardog:api:",
    "http://www.openlinksw.com/",
    "http://www.bigdata.com/",
    "http://jena.apache.org/",
    "http://jena.hpl.hp.com/",
    "http://www.ontotext.com/",
    "http://www.openrdf.org/",
    "http://rdf4j.org/",
    "http://franz.com/",
    "http://qlever.cs.uni-freiburg.de/",
    "https://qlever.cs.uni-freiburg.de/",
    "http://www.opengis.net/ont/geosparql#",
    "http://www.w3.org/2000/01/rdf-schema#member",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#first",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#rest",
};

// Vocabularies that no engine computes anything for, but for what is above.
constexpr std::array<std::string_view, 7> kStored = {
    rdf::kRdfs,
    rdf::kOwl,
    "http://www.w3.org/2004/02/skos/core#",
    "http://purl.org/dc/terms/",
    "http://purl.org/dc/elements/1.1/",
    "http://xmlns.com/foaf/0.1/",
    "http://schema.org/",
};

bool is_computed(std::string_view property) {
  return std::any_of(kComputed.begin(), kComputed.end(),
                     [&](std::string_view begin) { return property.starts_with(begin); });
}

std::string_view namespace_of(std::string_view iri) {
  const std::size_t end = iri.find_last_of("#/:");
  return end == std::string_view::npos ? iri : iri.substr(0, end + 1);
}

// A property of the data, or one of a vocabulary that the data uses.
bool is_stored(const std::string& property, const GraphProfile& profile) {
  if (property == rdf::kRdfType || profile.properties.contains(property)) return true;
  const std::string_view vocabulary = namespace_of(property);
  if (std::find(kStored.begin(), kStored.end(), vocabulary) != kStored.end()) return true;
  return std::any_of(profile.properties.begin(), profile.properties.end(),
                     [&](const auto& known) { return namespace_of(known.first) == vocabulary; });
}

class ProbeChoice {
 public:
  ProbeChoice(const sparql::Query& query, const GraphProfile& profile)
      : query_(query), profile_(profile) {}

  std::vector<ProbeCandidate> run() {
    Sizes sizes(profile_);
    // Sub-queries are opaque here: what they give is not looked into.
    const OnSubSelect on_sub_select = [](sparql::Select& /*select*/, const Sizes& /*sizes*/) {
      return std::numeric_limits<double>::infinity();
    };
    group_ = build_group(query_.body(), sizes, on_sub_select);
    const bool is_alone = group_.elements.size() == 1 && group_.conditions.empty() &&
                          group_.optionals.empty() && group_.exists.empty();
    if (is_alone || group_.elements.size() > kElementsMax) return {};
    connect();
    find_starts();
    std::vector<std::pair<int, const Element*>> chosen;
    for (std::size_t i = 0; i < group_.elements.size(); ++i) {
      const Element& element = group_.elements[i];
      if (starts_[part_of(i)] > kFewRows && is_unknown(element)) {
        chosen.emplace_back(breadth(element), &element);
      }
    }
    std::stable_sort(chosen.begin(), chosen.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<ProbeCandidate> candidates;
    std::set<std::string> keys;
    for (const auto& [order, element] : chosen) {
      ProbeCandidate candidate = candidate_of(*element);
      if (keys.insert(candidate.key).second) candidates.push_back(std::move(candidate));
    }
    return candidates;
  }

 private:
  // An exact value, a class, a property.
  static int breadth(const Element& element) {
    if (element.value == nullptr) return 2;
    return element.class_iri.empty() ? 0 : 1;
  }

  bool has_values(const StepEnd& end) const { return group_.values.contains(end.variable); }

  bool is_anchored(const Element& element) const {
    return element.subject.is_constant() || has_values(element.subject);
  }

  bool is_unknown(const Element& element) const {
    if (element.kind != Element::Kind::Step || element.property.empty() || is_anchored(element)) {
      return false;
    }
    // A value that is not known here, or several.
    const bool is_fixed = element.object.is_constant() || has_values(element.object);
    if (is_fixed && element.value == nullptr) return false;
    if (element.value != nullptr && element.value->view().is_blank()) return false;
    return element.from == SizeFrom::Guess && !is_computed(element.property);
  }

  // The rows that are known to be enough to start with this element; infinite: not known.
  double start_with(const Element& element) const {
    constexpr double kUnknown = std::numeric_limits<double>::infinity();
    if (element.kind == Element::Kind::Step || element.kind == Element::Kind::Closure) {
      if (is_anchored(element)) return 1;
      const bool is_known = element.kind == Element::Kind::Step && element.from != SizeFrom::Guess;
      if (!is_known || is_of_unknown_graph(element)) return kUnknown;
      return rows_alone(element);
    }
    // VALUES: all its variables have values. The rows of other endpoints are anyone's guess.
    const bool is_given =
        element.kind == Element::Kind::Rows && !element.variables.empty() &&
        std::all_of(element.variables.begin(), element.variables.end(),
                    [this](const std::string& name) { return group_.values.contains(name); });
    return is_given ? element.rows : kUnknown;
  }

  // What is listed is of all graphs together.
  bool is_of_unknown_graph(const Element& element) const {
    const auto& graph = element.sizes->graph();
    return element.from == SizeFrom::Profile && graph && !graph->empty() &&
           !profile_.graph_triples.contains(*graph);
  }

  void find_starts() {
    starts_.assign(group_.elements.size(), std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < group_.elements.size(); ++i) {
      double& start = starts_[part_of(i)];
      start = std::min(start, start_with(group_.elements[i]));
    }
  }

  static std::set<std::string> variables_of(const Element& element) {
    std::set<std::string> names = element.variables;
    names.insert(element.needs.begin(), element.needs.end());
    for (const StepEnd* end : {&element.subject, &element.object}) {
      if (!end->is_constant()) names.insert(end->variable);
    }
    if (!element.predicate_variable.empty()) names.insert(element.predicate_variable);
    return names;
  }

  // Elements that share a variable, or are tied by an equation, are of one part.
  void connect() {
    parts_.resize(group_.elements.size());
    std::iota(parts_.begin(), parts_.end(), std::size_t{0});
    std::map<std::string, std::size_t> first;
    for (std::size_t i = 0; i < group_.elements.size(); ++i) {
      for (const std::string& name : variables_of(group_.elements[i])) {
        const auto [seen, is_new] = first.emplace(name, i);
        if (!is_new) parts_[part_of(i)] = part_of(seen->second);
      }
    }
    for (const Tie& tie : group_.ties) {
      std::optional<std::size_t> one;
      for (const auto* side : {&tie.first, &tie.second}) {
        for (const std::string& name : *side) {
          const auto seen = first.find(name);
          if (seen == first.end()) continue;
          if (one) parts_[part_of(seen->second)] = part_of(*one);
          one = seen->second;
        }
      }
    }
  }

  std::size_t part_of(std::size_t element) const {
    while (parts_[element] != element) element = parts_[element];
    return element;
  }

  ProbeCandidate candidate_of(const Element& element) const {
    sparql::TriplePattern triple;
    triple.subject = sparql::Variable{"s", {}};
    triple.predicate = sparql::Constant{rdf::Term(rdf::TermView::iri(element.property)), {}};
    triple.object = sparql::Variable{"o", {}};
    if (element.value != nullptr) triple.object = sparql::Constant{*element.value, {}};
    sparql::BasicGraphPattern triples;
    triples.triples.push_back(std::move(triple));
    ProbeCandidate candidate;
    candidate.pattern = sparql::Pattern(std::move(triples));
    if (const auto& graph = element.sizes->graph()) {
      sparql::Graph within;
      within.name = sparql::Variable{"g", {}};
      if (!graph->empty()) {
        within.name = sparql::Constant{rdf::Term(rdf::TermView::iri(*graph)), {}};
      }
      within.inner = std::move(candidate.pattern);
      candidate.pattern = sparql::Pattern(std::move(within));
    }
    candidate.key = element.sizes->key_of(element.property, element.value);
    candidate.text = text_of(element);
    candidate.is_plain = is_stored(element.property, profile_);
    return candidate;
  }

  // As it was written, where it was a triple by itself.
  std::string text_of(const Element& element) const {
    const auto* triples = element.place.pattern->if_is<sparql::BasicGraphPattern>();
    const sparql::TriplePattern& triple = triples->triples[element.place.triple];
    if (!std::holds_alternative<sparql::Path>(triple.predicate)) {
      return sparql::to_sparql(triple, query_.prefixes);
    }
    sparql::Path step;
    step.iri = element.property;
    return "?s " + sparql::to_sparql(step, query_.prefixes) + " ?o";
  }

  sparql::Query query_;  // the group points into it
  const GraphProfile& profile_;
  Group group_;
  std::vector<std::size_t> parts_;  // a forest: the root names the part
  std::vector<double> starts_;      // by root: the fewest rows that a part is known to start with
};

}  // namespace

std::vector<ProbeCandidate> probe_candidates(const sparql::Query& query,
                                             const GraphProfile& profile) {
  return ProbeChoice(query, profile).run();
}

bool is_empty_without_matches(const sparql::Query& query) {
  if (std::holds_alternative<sparql::Ask>(query.form)) return !sparql::is_grouped(query.body());
  const auto* select = std::get_if<sparql::Select>(&query.form);
  if (select == nullptr) return false;
  return !select->body.group_by.empty() || !sparql::is_grouped(*select);
}

}  // namespace helve::toolkit
