#include "toolkit/learning/variable_names.h"

#include "base/ascii.h"
#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/analysis.h"

namespace helve::learning {

namespace {

constexpr std::size_t kNameMax = 24;

// Letters and digits of ASCII alone; "v" where nothing is left, or it would look like a slot.
std::string name_from(std::string_view iri) {
  std::string name;
  for (const char c : local_name(iri)) {
    if (name.size() == kNameMax) break;
    if (is_letter(c) || (is_digit(c) && !name.empty())) name += c;
  }
  if (name.empty() || ascii_lower(name).starts_with("slot")) return "v";
  name.front() = ascii_lower(name.front());
  return name;
}

}  // namespace

std::string_view local_name(std::string_view iri) {
  const std::size_t at = iri.find_last_of("#/:");
  return at == std::string_view::npos ? iri : iri.substr(at + 1);
}

VariableNames::VariableNames(const sparql::Query& query) {
  sparql::for_each_pattern(query.body().where, [&](const sparql::Pattern& pattern) {
    const auto* triples = pattern.if_is<sparql::BasicGraphPattern>();
    if (triples == nullptr) return;
    for (const sparql::TriplePattern& triple : triples->triples) look_at(triple);
  });
}

void VariableNames::look_at(const sparql::TriplePattern& triple) {
  if (const auto* predicate = std::get_if<sparql::Variable>(&triple.predicate)) {
    properties_.insert(predicate->name);
    return;
  }
  const auto* predicate = std::get_if<sparql::Constant>(&triple.predicate);
  if (predicate == nullptr) return;
  const auto* subject = std::get_if<sparql::Variable>(&triple.subject);
  const auto* object = std::get_if<sparql::Variable>(&triple.object);
  if (predicate->term.value != rdf::kRdfType) {
    if (object != nullptr) links_to_.try_emplace(object->name, predicate->term.value);
    return;
  }
  if (object != nullptr) classes_.insert(object->name);
  const auto* type = std::get_if<sparql::Constant>(&triple.object);
  if (subject != nullptr && type != nullptr) types_.try_emplace(subject->name, type->term.value);
}

const std::string& VariableNames::of(const std::string& variable) {
  if (const auto known = names_.find(variable); known != names_.end()) return known->second;
  std::string base = "v";
  if (const auto type = types_.find(variable); type != types_.end()) {
    base = name_from(type->second);
  } else if (const auto link = links_to_.find(variable); link != links_to_.end()) {
    base = name_from(link->second);
  } else if (is_class(variable)) {
    base = "class";
  } else if (is_property(variable)) {
    base = "property";
  }
  // Letters, not numbers, which could be taken for those of a task: name, nameB, ..., nameZ,
  // nameZB.
  std::string name = base;
  for (char letter = 'B'; taken_.contains(name); ++letter) {
    name = base + letter;
    if (letter == 'Z') {
      base = name;
      letter = 'A';
    }
  }
  set(variable, std::move(name));
  return names_.at(variable);
}

void VariableNames::set(const std::string& variable, std::string name) {
  taken_.insert(name);
  names_[variable] = std::move(name);
}

}  // namespace helve::learning
