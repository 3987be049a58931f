#include "toolkit/diagnosis/pattern_cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/analysis.h"
#include "toolkit/diagnosis/build_expression.h"
#include "toolkit/diagnosis/literal_variants.h"
#include "toolkit/diagnosis/query_edit.h"

namespace helve::toolkit {

namespace {

using sparql::Pattern;
using sparql::TriplePattern;

constexpr std::uint64_t kPatternCountedMax = 10'000;
constexpr std::size_t kTypesMax = 20;

const rdf::Term* constant_term(const sparql::TermPattern& term) {
  const auto* found = std::get_if<sparql::Constant>(&term);
  return found == nullptr ? nullptr : &found->term;
}
const rdf::Term* constant_iri(const sparql::TermPattern& term) {
  const rdf::Term* found = constant_term(term);
  return found != nullptr && found->kind == rdf::TermKind::Iri ? found : nullptr;
}
const rdf::Term* predicate_iri(const TriplePattern& triple) {
  const auto* found = std::get_if<sparql::Constant>(&triple.predicate);
  return found == nullptr ? nullptr : &found->term;
}
bool is_type(const TriplePattern& triple) {
  const rdf::Term* predicate = predicate_iri(triple);
  return predicate != nullptr && predicate->value == rdf::kRdfType;
}

// Subject and object exchanged; nullopt where that cannot be.
std::optional<TriplePattern> swapped(const TriplePattern& triple) {
  const rdf::Term* object = constant_term(triple.object);
  if (predicate_iri(triple) == nullptr) return std::nullopt;
  if (object != nullptr && object->kind == rdf::TermKind::Literal) return std::nullopt;
  TriplePattern out = triple;
  std::swap(out.subject, out.object);
  return out;
}

// Whether things of the same kind stand at that place of the predicate: then these have none, and
// nobody is mistaken. `own` gives the kinds as ?.t; kinds that everything is of say nothing.
std::optional<bool> kind_fits(const Pattern& own, const Scope& scope, bool is_subject,
                              const sparql::PredicatePattern& predicate, Probes& probes) {
  auto types = probes.values(own, scope, ".t", kTypesMax);
  if (!types) return std::nullopt;
  const auto is_general = [](const rdf::Term& type) {
    return type.value.starts_with(rdf::kOwl) || type.value.starts_with(rdf::kRdfs) ||
           type.value.starts_with(rdf::kRdf);
  };
  if (!std::all_of(types->begin(), types->end(), is_general)) {
    types->erase(std::remove_if(types->begin(), types->end(), is_general), types->end());
  }
  if (types->empty()) return false;
  sparql::Values values;
  values.variables.push_back(variable(".t"));
  for (rdf::Term& type : *types) {
    if (type.kind == rdf::TermKind::Iri) values.rows.push_back({std::move(type)});
  }
  sparql::BasicGraphPattern alike;
  alike.triples.push_back({variable("z"), iri(rdf::kRdfType), variable(".t"), {}});
  TriplePattern use{variable("z"), predicate, variable("y"), {}};
  if (!is_subject) std::swap(use.subject, use.object);
  alike.triples.push_back(std::move(use));
  return probes.has_rows(joined(Pattern(std::move(values)), Pattern(std::move(alike))), {});
}

std::optional<bool> kind_fits(const rdf::Term& entity, bool is_subject,
                              const sparql::PredicatePattern& predicate, Probes& probes) {
  const Pattern own =
      pattern_of({sparql::Constant{entity, {}}, iri(rdf::kRdfType), variable(".t"), {}});
  return kind_fits(own, {}, is_subject, predicate, probes);
}

void say_reversed(Diagnosis& out, const Part& part, const GraphCount& other_way, Inquiry& inquiry) {
  out.says = fmt::format(
      "It matches with subject and object exchanged ({} match{}), and never in "
      "this direction for things of this kind.",
      count_text(other_way), other_way.n == 1 ? "" : "es");
  if (part.triple_in_query == nullptr) return;
  TriplePattern changed = *part.triple_in_query;
  std::swap(changed.subject, changed.object);
  suggest(out, with_triple(inquiry.query, part.triple_in_query, changed), inquiry);
}

std::optional<Diagnosis> reversed_alone(const Part& part, const Scope& scope, Inquiry& inquiry) {
  const TriplePattern& triple = part.triple();
  const auto other_way = swapped(triple);
  if (!other_way) return std::nullopt;
  Probes& probes = inquiry.probes;
  const auto matches =
      probes.count(in_graph(pattern_of(*other_way), part.graph), scope, kPatternCountedMax);
  if (!matches || matches->n == 0) return std::nullopt;
  const rdf::Term* subject = constant_iri(triple.subject);
  const rdf::Term* object = constant_iri(triple.object);
  if ((subject == nullptr) != (object == nullptr)) {
    const auto fits = kind_fits(subject != nullptr ? *subject : *object, subject != nullptr,
                                triple.predicate, probes);
    if (!fits || *fits) return std::nullopt;
  }
  Diagnosis out = finding(EmptyCause::Reversed, part);
  say_reversed(out, part, *matches, inquiry);
  return out;
}

// A class that has instances through its subclasses only.
void look_at_subclasses(Diagnosis& out, const Part& part, const Scope& scope, Inquiry& inquiry) {
  TriplePattern wider = part.triple();
  wider.predicate = type_through_subclasses();
  const auto found = inquiry.probes.has_rows(in_graph(pattern_of(wider), part.graph), scope);
  if (!found || !*found) return;
  out.says += " Its subclasses have instances: ask for rdf:type/rdfs:subClassOf*.";
  if (part.triple_in_query == nullptr) return;
  TriplePattern changed = *part.triple_in_query;
  changed.predicate = wider.predicate;
  suggest(out, with_triple(inquiry.query, part.triple_in_query, changed), inquiry);
}

// Everything in the triple is known, and yet nothing matches.
Diagnosis no_match(const Part& part, const Scope& scope, Inquiry& inquiry) {
  const TriplePattern& triple = part.triple();
  Probes& probes = inquiry.probes;
  Diagnosis out = finding(EmptyCause::NoMatch, part);
  const rdf::Term* object = constant_term(triple.object);
  const rdf::Term* subject = constant_iri(triple.subject);
  if (is_type(triple) && object != nullptr && subject == nullptr) {
    out.says = fmt::format("{} is known, but nothing is of that type.", inquiry.shown(*object));
    look_at_subclasses(out, part, scope, inquiry);
    if (out.suggestion.empty()) offer_names(out, object->value, NameKind::Class, {}, inquiry);
    return out;
  }
  const Pattern use = pattern_of({variable("s"), triple.predicate, variable("o"), {}});
  const auto uses = probes.count(use, {}, kPatternCountedMax);
  const rdf::Term* predicate = predicate_iri(triple);
  if (uses && uses->n == 0) {
    out.says = "No statement at all has this predicate";
    if (predicate != nullptr) {
      out.says += fmt::format(", though {} is known.", inquiry.shown(*predicate));
      offer_names(out, predicate->value, NameKind::Property, {}, inquiry);
    }
    return out;
  }
  const std::string used = uses ? count_text(*uses) : "some";
  if (object != nullptr && object->kind == rdf::TermKind::Literal) {
    out.cause = EmptyCause::TrulyEmpty;
    out.says = fmt::format("{} statements have this predicate, none with {} or a variant of it.",
                           used, inquiry.shown(*object));
    return out;
  }
  bool fits = true;
  if (subject != nullptr) {
    fits = fits && kind_fits(*subject, true, triple.predicate, probes).value_or(false);
  }
  if (object != nullptr) {
    fits = fits && kind_fits(*object, false, triple.predicate, probes).value_or(false);
  }
  if (subject == nullptr && object == nullptr) fits = false;
  if (fits) out.cause = EmptyCause::TrulyEmpty;
  out.says = fmt::format(
      "Every term of it is known, but no statement matches; {} statements have the predicate{}.",
      used, fits ? ", others of the same kind among them" : "");
  return out;
}

}  // namespace

Diagnosis triple_cause(const std::vector<Part>& parts, std::size_t index, const Scope& scope,
                       Inquiry& inquiry) {
  const Part& part = parts[index];
  if (auto found = unknown_iri(part, inquiry)) return *std::move(found);
  if (auto found = wrong_graph(parts, {index}, scope, inquiry)) return *std::move(found);
  if (auto found = other_literal(parts, {index}, scope, inquiry)) return *std::move(found);
  if (auto found = reversed_alone(part, scope, inquiry)) return *std::move(found);
  return no_match(part, scope, inquiry);
}

namespace {

// Whether the ends of a triple go with the rest in the direction it is written: each end by itself,
// the other left open. REQUIRES: the triple matches alone, so that its constants do.
bool ends_fit(GroupProbes& group, const PartSet& chosen, std::size_t index) {
  const TriplePattern& triple = group.parts()[index].triple();
  for (const bool keeps_subject : {true, false}) {
    const auto& end = keeps_subject ? triple.subject : triple.object;
    if (!std::holds_alternative<sparql::Variable>(end)) continue;
    std::vector<Part> open = group.parts();
    auto& other = keeps_subject ? open[index].triple().object : open[index].triple().subject;
    other = variable(".open");
    const auto matches = group.probes().has_rows(assembled(open, chosen), group.scope());
    if (!matches || !*matches) return false;
  }
  return true;
}

// The same by kind: whether what the rest says of each end is of a kind that stands there, though
// not those very things. Where the rest names a type itself, ends_fit() has asked that.
bool kinds_fit(GroupProbes& group, const PartSet& chosen, std::size_t index) {
  const std::vector<Part>& parts = group.parts();
  const TriplePattern& triple = parts[index].triple();
  PartSet rest = chosen;
  rest.erase(std::remove(rest.begin(), rest.end(), index), rest.end());
  bool is_asked = false;
  for (const bool is_subject : {true, false}) {
    const auto* end = std::get_if<sparql::Variable>(is_subject ? &triple.subject : &triple.object);
    if (end == nullptr) continue;
    bool is_used = false;
    for (const std::size_t other : rest) {
      is_used = is_used || parts[other].variables.count(end->name) > 0;
      if (parts[other].kind != Part::Kind::Triple || !is_type(parts[other].triple())) continue;
      if (parts[other].triple().subject == sparql::TermPattern(*end)) return false;
    }
    if (!is_used) continue;
    is_asked = true;
    const Pattern own =
        joined(assembled(parts, rest), pattern_of({*end, iri(rdf::kRdfType), variable(".t"), {}}));
    const auto fits = kind_fits(own, group.scope(), is_subject, triple.predicate, group.probes());
    if (!fits || !*fits) return false;
  }
  return is_asked;
}

// :Planet a ?x, where planets are meant: a class has types of its own, so that the direction
// "fits".
bool asks_type_of_class(const TriplePattern& triple, Probes& probes) {
  if (!is_type(triple) || !std::holds_alternative<sparql::Constant>(triple.subject)) return false;
  const auto turned = swapped(triple);
  return turned && probes.has_rows(pattern_of(*turned), {}).value_or(false);
}

// In a chain of the same predicate any turned link makes a fork, which mostly has matches.
bool is_chained(const std::vector<Part>& parts, const PartSet& chosen, std::size_t index) {
  return std::any_of(chosen.begin(), chosen.end(), [&](std::size_t other) {
    return other != index && parts[other].kind == Part::Kind::Triple &&
           parts[other].triple().predicate == parts[index].triple().predicate;
  });
}

std::optional<Diagnosis> reversed_in_join(GroupProbes& group, const PartSet& chosen,
                                          Inquiry& inquiry) {
  // With BIND and OPTIONAL around, a turned triple may match by leaving something unbound.
  const bool are_required = std::all_of(chosen.begin(), chosen.end(), [&](std::size_t index) {
    return group.parts()[index].is_required();
  });
  if (!are_required) return std::nullopt;
  for (const std::size_t index : chosen) {
    const Part& part = group.parts()[index];
    if (part.kind != Part::Kind::Triple) continue;
    const auto other_way = swapped(part.triple());
    if (!other_way || is_chained(group.parts(), chosen, index)) continue;
    std::vector<Part> turned = group.parts();
    turned[index].triple() = *other_way;
    const auto matches =
        group.probes().count(assembled(turned, chosen), group.scope(), kPatternCountedMax);
    if (!matches || matches->n == 0) continue;
    const bool is_meant = asks_type_of_class(part.triple(), group.probes());
    if (!is_meant && (ends_fit(group, chosen, index) || kinds_fit(group, chosen, index))) continue;
    Diagnosis out = finding(EmptyCause::Reversed, part);
    say_reversed(out, part, *matches, inquiry);
    // Where turning it does not help the whole query it may as well be something else.
    if (part.triple_in_query != nullptr && out.suggestion.empty()) continue;
    return out;
  }
  return std::nullopt;
}

// A thing, not a class or a predicate.
bool speaks_of_entity(const Part& part) {
  if (part.kind == Part::Kind::Values) return true;
  if (part.kind != Part::Kind::Triple) return false;
  const TriplePattern& triple = part.triple();
  if (constant_term(triple.subject) != nullptr) return true;
  return constant_term(triple.object) != nullptr && !is_type(triple);
}

// IRIs and literals of VALUES that the rest of the set does not have.
std::optional<Diagnosis> values_cause(GroupProbes& group, const PartSet& chosen, Inquiry& inquiry) {
  constexpr std::size_t kCellsMax = 10;
  std::size_t cells = 0;
  for (const std::size_t index : chosen) {
    const Part& part = group.parts()[index];
    const auto* values = part.pattern.if_is<sparql::Values>();
    if (values == nullptr) continue;
    PartSet rest = chosen;
    rest.erase(std::remove(rest.begin(), rest.end(), index), rest.end());
    const Pattern others = assembled(group.parts(), rest);
    for (const auto& row : values->rows) {
      for (std::size_t column = 0; column < row.size() && cells < kCellsMax; ++column) {
        if (!row[column]) continue;
        ++cells;
        if (row[column]->kind == rdf::TermKind::Iri) {
          const auto known = inquiry.probes.knows(row[column]->view());
          if (!known || *known) continue;
          Diagnosis out = finding(EmptyCause::UnknownIri, part);
          out.says = fmt::format("{} is not in the data: no statement has it.",
                                 inquiry.shown(*row[column]));
          offer_names(out, row[column]->value, NameKind::Any, {}, inquiry);
          return out;
        }
        const auto variants = variants_among(*row[column], others, values->variables[column].name,
                                             group.scope(), inquiry.probes);
        if (variants.empty()) continue;
        Diagnosis out = finding(variants.front().cause, part);
        for (const auto& variant : variants) out.candidates.push_back(inquiry.shown(variant.term));
        out.says = fmt::format("No match for {}; the data has {}.", inquiry.shown(*row[column]),
                               list_text(out.candidates, 3));
        const rdf::Term& mended = variants.front().term;
        suggest(out,
                part.expression_in_query != nullptr
                    ? with_expression(inquiry.query, part.expression_in_query, constant(mended))
                    : with_term_in_values(inquiry.query, *row[column], mended),
                inquiry);
        return out;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Diagnosis join_cause(GroupProbes& group, const PartSet& chosen, Inquiry& inquiry) {
  const std::vector<Part>& parts = group.parts();
  if (auto found = values_cause(group, chosen, inquiry)) return *std::move(found);
  if (auto found = wrong_graph(parts, chosen, group.scope(), inquiry)) return *std::move(found);
  if (auto found = other_literal(parts, chosen, group.scope(), inquiry)) return *std::move(found);
  if (auto found = reversed_in_join(group, chosen, inquiry)) return *std::move(found);
  const bool is_general =
      chosen.size() == 2 && std::none_of(chosen.begin(), chosen.end(), [&](std::size_t index) {
        return speaks_of_entity(parts[index]);
      });
  Diagnosis out =
      finding(is_general ? EmptyCause::EmptyJoin : EmptyCause::TrulyEmpty, parts, chosen);
  out.says = fmt::format(
      "Each of these {} parts matches, and any fewer of them together do; all of "
      "them together have no match.",
      out.parts.size());
  if (!is_general) {
    out.says += " Every name is known and every part is good: the answer is truly empty.";
  }
  return out;
}

}  // namespace helve::toolkit
