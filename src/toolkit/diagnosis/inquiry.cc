#include "toolkit/diagnosis/inquiry.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/algebra/printer.h"
#include "toolkit/diagnosis/build_expression.h"
#include "toolkit/diagnosis/literal_variants.h"
#include "toolkit/diagnosis/near_iris.h"
#include "toolkit/diagnosis/query_edit.h"

namespace helve::toolkit {

namespace {

using sparql::Pattern;

constexpr std::size_t kCandidatesMax = 5;
constexpr std::size_t kTriedMax = 3;  // candidates that are tried in the query
constexpr std::size_t kNeighboursMax = 2'000;

struct UsedIri {
  std::string iri;
  NameKind kind = NameKind::Any;
  bool is_subject = false;
  bool is_object = false;
};

void add_path_iris(const sparql::Path& path, std::vector<UsedIri>& out) {
  if (path.kind == sparql::Path::Kind::NegatedSet) return;
  if (path.kind == sparql::Path::Kind::Iri) out.push_back({path.iri, NameKind::Property});
  for (const sparql::Path& part : path.parts) add_path_iris(part, out);
}

const rdf::Term* iri_constant(const sparql::TermPattern& term) {
  const auto* found = std::get_if<sparql::Constant>(&term);
  return found != nullptr && found->term.kind == rdf::TermKind::Iri ? &found->term : nullptr;
}

// Predicates first: they are what is mistyped most.
std::vector<UsedIri> iris_of(const sparql::TriplePattern& triple) {
  std::vector<UsedIri> out;
  bool is_type = false;
  if (const auto* path = std::get_if<sparql::Path>(&triple.predicate)) {
    add_path_iris(*path, out);
  } else if (const auto* predicate = std::get_if<sparql::Constant>(&triple.predicate)) {
    out.push_back({predicate->term.value, NameKind::Property});
    is_type = predicate->term.value == rdf::kRdfType;
  }
  if (const auto* object = iri_constant(triple.object)) {
    out.push_back({object->value, is_type ? NameKind::Class : NameKind::Any, false, !is_type});
  }
  if (const auto* subject = iri_constant(triple.subject)) {
    out.push_back({subject->value, NameKind::Any, true, false});
  }
  return out;
}

// What else stands at the place of the IRI in statements with the same predicate.
std::vector<NameHit> neighbours(const sparql::TriplePattern& triple, const UsedIri& used,
                                Inquiry& inquiry) {
  std::vector<NameHit> out;
  if (!used.is_subject && !used.is_object) return out;
  sparql::TriplePattern open = triple;
  (used.is_subject ? open.subject : open.object) = variable("x");
  (used.is_subject ? open.object : open.subject) = variable("y");
  const auto found = inquiry.probes.values(pattern_of(open), {}, "x", kNeighboursMax);
  if (!found) return out;
  for (const rdf::Term& term : *found) {
    if (term.kind == rdf::TermKind::Iri) {
      out.push_back({term.value, {}, {}, NameKind::Instance, 0, 0});
    }
  }
  return most_alike(used.iri, std::move(out), kCandidatesMax);
}

}  // namespace

std::string Inquiry::shown(const rdf::Term& term) const {
  if (term.kind == rdf::TermKind::BlankNode) return "_:" + term.value;
  std::string text = to_sparql(sparql::TermPattern(sparql::Constant{term, {}}), prefixes);
  return elide_end(escape_for_terminal(text), 120);
}
std::string Inquiry::shown_iri(std::string_view iri_text) const {
  return shown(rdf::Term(rdf::TermView::iri(iri_text)));
}

std::string count_text(const GraphCount& count) {
  return format_count(count.n) + (count.is_exact ? "" : " or more");
}

std::string list_text(const std::vector<std::string>& items, std::size_t items_max) {
  std::string out;
  for (std::size_t i = 0; i < std::min(items.size(), items_max); ++i) {
    if (i > 0) out += ", ";
    out += items[i];
  }
  return out;
}

bool is_mistake(EmptyCause cause) {
  switch (cause) {
    case EmptyCause::UnknownIri:
    case EmptyCause::Reversed:
    case EmptyCause::LiteralDatatype:
    case EmptyCause::LiteralLanguage:
    case EmptyCause::LiteralCase:
    case EmptyCause::LiteralSpace:
    case EmptyCause::WrongGraph:
      return true;
    default:
      return false;
  }
}

Diagnosis finding(EmptyCause cause, const Part& part) {
  Diagnosis out;
  out.cause = cause;
  out.parts.push_back(part.text);
  out.spans.push_back(part.span);
  return out;
}

Diagnosis finding(EmptyCause cause, const std::vector<Part>& parts, const PartSet& chosen) {
  Diagnosis out;
  out.cause = cause;
  for (const std::size_t index : chosen) {
    const Part& part = parts[index];
    // Two steps of one path are one part of the text.
    if (!out.parts.empty() && out.parts.back() == part.text) continue;
    out.parts.push_back(part.text);
    out.spans.push_back(part.span);
  }
  return out;
}

bool suggest(Diagnosis& diagnosis, const sparql::Query& changed, Inquiry& inquiry) {
  if (!diagnosis.suggestion.empty()) return true;
  const auto answers = inquiry.probes.answers(changed);
  if (!answers || !*answers) return false;
  diagnosis.suggestion = to_sparql(changed);
  return true;
}

sparql::Path type_through_subclasses() {
  const auto step = [](std::string_view value) {
    return sparql::Path{sparql::Path::Kind::Iri, std::string(value), {}, {}};
  };
  return {
      sparql::Path::Kind::Sequence,
      {},
      {step(rdf::kRdfType),
       sparql::Path{
           sparql::Path::Kind::ZeroOrMore, {}, {step(std::string(rdf::kRdfs) + "subClassOf")}, {}}},
      {}};
}

namespace {

// Names that are as near as the nearest; the very same local name has no equals.
std::size_t equally_near(std::string_view iri, const std::vector<NameHit>& nearby) {
  std::size_t count = 0;
  while (count < std::min(kTriedMax, nearby.size()) &&
         !is_nearer(iri, nearby.front(), nearby[count])) {
    ++count;
  }
  return count;
}

void suggest_nearest(Diagnosis& out, std::string_view iri, const std::vector<NameHit>& nearby,
                     const Part* part, Inquiry& inquiry) {
  const std::size_t tried = equally_near(iri, nearby);
  for (std::size_t i = 0; i < tried; ++i) {
    if (suggest(out, with_iri_replaced(inquiry.query, iri, nearby[i].iri), inquiry)) return;
  }
  const std::string nearest = inquiry.shown_iri(nearby.front().iri);
  if (part != nullptr && part->triple_in_query != nullptr) {
    sparql::TriplePattern wider = *part->triple_in_query;
    wider.predicate = type_through_subclasses();
    const sparql::Query changed = with_iri_replaced(
        with_triple(inquiry.query, part->triple_in_query, wider), iri, nearby.front().iri);
    if (suggest(out, changed, inquiry)) {
      out.says += fmt::format(
          " Nothing is of type {} itself, but its subclasses have instances: ask for "
          "rdf:type/rdfs:subClassOf*.",
          nearest);
      return;
    }
  }
  if (!inquiry.probes.has_gaps()) {
    out.says += fmt::format(" With {} in its place there are no rows either.", nearest);
  }
}

}  // namespace

void offer_names(Diagnosis& diagnosis, std::string_view iri, NameKind kind,
                 std::vector<NameHit> nearby, Inquiry& inquiry, const Part* part) {
  auto more =
      nearest_names(iri, kind, inquiry.probes.source(), kCandidatesMax, inquiry.probes.context());
  for (NameHit& hit : more) {
    const bool is_new = std::none_of(nearby.begin(), nearby.end(),
                                     [&](const NameHit& other) { return other.iri == hit.iri; });
    if (is_new) nearby.push_back(std::move(hit));
  }
  std::stable_sort(nearby.begin(), nearby.end(),
                   [&](const NameHit& a, const NameHit& b) { return is_nearer(iri, a, b); });
  if (nearby.size() > kCandidatesMax) nearby.resize(kCandidatesMax);
  std::vector<std::string> names;
  for (const NameHit& hit : nearby) {
    diagnosis.candidates.push_back(hit.iri);
    names.push_back(inquiry.shown_iri(hit.iri));
  }
  if (names.empty()) return;
  diagnosis.says += fmt::format(" Nearest known: {}.", list_text(names, 3));
  if (diagnosis.suggestion.empty()) {
    suggest_nearest(diagnosis, iri, nearby, kind == NameKind::Class ? part : nullptr, inquiry);
  }
}

std::optional<Diagnosis> unknown_iri(const Part& part, Inquiry& inquiry) {
  for (const UsedIri& used : iris_of(part.triple())) {
    const auto known = inquiry.probes.knows(rdf::TermView::iri(used.iri));
    if (!known || *known) continue;
    Diagnosis out = finding(EmptyCause::UnknownIri, part);
    out.says =
        fmt::format("{} is not in the data: no statement has it.", inquiry.shown_iri(used.iri));
    offer_names(out, used.iri, used.kind, neighbours(part.triple(), used, inquiry), inquiry, &part);
    return out;
  }
  return std::nullopt;
}

namespace {

// The parts without any GRAPH; nullopt where a graph's name is itself joined with something.
std::optional<std::vector<Part>> without_graph(const std::vector<Part>& parts,
                                               const PartSet& chosen) {
  std::vector<Part> bare;
  std::vector<std::string> names;
  for (const std::size_t index : chosen) {
    bare.push_back(parts[index]);
    if (!bare.back().graph) continue;
    if (const auto* name = std::get_if<sparql::Variable>(&*bare.back().graph)) {
      names.push_back(name->name);
    }
    bare.back().graph.reset();
  }
  for (const std::string& name : names) {
    for (const Part& part : bare) {
      const auto used = variables_in_scope(part.pattern);
      if (std::find(used.begin(), used.end(), name) != used.end()) return std::nullopt;
    }
  }
  return bare;
}

std::vector<std::string> asked_graphs(const std::vector<Part>& parts, const PartSet& chosen,
                                      const Scope& scope) {
  std::vector<std::string> out;
  const auto add = [&](const std::optional<GraphName>& graph) {
    if (!graph) return;
    const auto* name = std::get_if<sparql::Constant>(&*graph);
    if (name == nullptr) return;
    if (std::find(out.begin(), out.end(), name->term.value) == out.end()) {
      out.push_back(name->term.value);
    }
  };
  add(scope.graph);
  for (const std::size_t index : chosen) add(parts[index].graph);
  for (const sparql::DatasetGraph& graph : scope.dataset) out.push_back(graph.iri);
  return out;
}

void suggest_graph(Diagnosis& out, const std::vector<std::string>& asked, Inquiry& inquiry) {
  for (const std::string& wrong : asked) {
    for (std::size_t i = 0; i < std::min(kTriedMax, out.candidates.size()); ++i) {
      if (suggest(out, with_graph_renamed(inquiry.query, wrong, out.candidates[i]), inquiry))
        return;
    }
  }
  if (!inquiry.query.dataset.empty() && suggest(out, without_dataset(inquiry.query), inquiry))
    return;
  suggest(out, without_graphs(inquiry.query), inquiry);
}

}  // namespace

std::optional<Diagnosis> wrong_graph(const std::vector<Part>& parts, const PartSet& chosen,
                                     const Scope& scope, Inquiry& inquiry) {
  const bool is_bound = std::any_of(chosen.begin(), chosen.end(), [&](std::size_t index) {
    return parts[index].graph.has_value();
  });
  if (scope.is_everything() && !is_bound) return std::nullopt;
  const auto bare = without_graph(parts, chosen);
  if (!bare) return std::nullopt;
  PartSet all(bare->size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const Pattern pattern = assembled(*bare, all);
  const auto has_rows = inquiry.probes.has_rows(pattern, {});
  if (!has_rows || !*has_rows) return std::nullopt;

  Diagnosis out = finding(EmptyCause::WrongGraph, parts, chosen);
  for (const sparql::DatasetGraph& graph : scope.dataset) {
    out.parts.push_back(
        fmt::format("FROM {}{}", graph.is_named ? "NAMED " : "", inquiry.shown_iri(graph.iri)));
    out.spans.push_back(graph.span);
  }
  const auto graphs = inquiry.probes.values(Pattern(sparql::Graph{variable(".graph"), pattern}), {},
                                            ".graph", kCandidatesMax);
  std::vector<std::string> names;
  for (const rdf::Term& graph : graphs.value_or(std::vector<rdf::Term>())) {
    out.candidates.push_back(graph.value);
    names.push_back(inquiry.shown(graph));
  }
  const auto asked = asked_graphs(parts, chosen, scope);
  std::vector<std::string> asked_names;
  asked_names.reserve(asked.size());
  for (const std::string& name : asked) asked_names.push_back(inquiry.shown_iri(name));
  out.says = asked.empty() ? "No single named graph has it"
                           : fmt::format("Nothing of it is in {}", list_text(asked_names, 3));
  out.says += names.empty() ? "; it matches over all graphs together, the default graph included."
                            : fmt::format("; the data sits in graph {}.", list_text(names, 3));
  suggest_graph(out, asked, inquiry);
  return out;
}

namespace {

std::string difference_text(EmptyCause cause) {
  switch (cause) {
    case EmptyCause::LiteralLanguage:
      return "with another language tag, or without";
    case EmptyCause::LiteralCase:
      return "in other letters";
    case EmptyCause::LiteralSpace:
      return "with other white space";
    default:
      return "with another datatype";
  }
}

}  // namespace

std::optional<Diagnosis> other_literal(const std::vector<Part>& parts, const PartSet& chosen,
                                       const Scope& scope, Inquiry& inquiry) {
  for (const std::size_t index : chosen) {
    if (parts[index].kind != Part::Kind::Triple) continue;
    const auto* object = std::get_if<sparql::Constant>(&parts[index].triple().object);
    if (object == nullptr || object->term.kind != rdf::TermKind::Literal) continue;
    const rdf::Term wanted = object->term;
    std::vector<Part> open = parts;
    open[index].triple().object = variable(".value");
    const auto variants =
        variants_among(wanted, assembled(open, chosen), ".value", scope, inquiry.probes);
    if (variants.empty()) continue;
    Diagnosis out = finding(variants.front().cause, parts[index]);
    for (const LiteralVariant& variant : variants) {
      out.candidates.push_back(inquiry.shown(variant.term));
    }
    out.says = fmt::format("No match for {}; the data has it {}: {}.", inquiry.shown(wanted),
                           difference_text(out.cause), list_text(out.candidates, 3));
    const sparql::TriplePattern* in_query = parts[index].triple_in_query;
    for (std::size_t i = 0; in_query != nullptr && i < std::min(kTriedMax, variants.size()); ++i) {
      sparql::TriplePattern changed = *in_query;
      changed.object = sparql::Constant{variants[i].term, {}};
      if (suggest(out, with_triple(inquiry.query, in_query, changed), inquiry)) break;
    }
    return out;
  }
  return std::nullopt;
}

}  // namespace helve::toolkit
