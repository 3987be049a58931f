#include "toolkit/learning/pattern_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "base/ascii.h"
#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/algebra/functions.h"

namespace helve::learning {

namespace {

using sparql::Function;
using Kind = sparql::PatternPart::Kind;

constexpr std::size_t kPatternNamesMax = 5;

// What is used, wherever it stands.
struct Uses {
  std::size_t triples = 0;
  std::array<bool, 16> parts{};  // by PatternPart::Kind
  bool filters_text = false;
  bool filters_language = false;
  bool filters_size = false;
  bool filters_existence = false;
  bool filters_otherwise = false;
  std::vector<std::string> aggregates;  // in order, each once
  bool is_grouped = false;
  bool is_sorted = false;
  bool is_limited = false;

  bool has(Kind kind) const { return parts[static_cast<std::size_t>(kind)]; }
};

bool is_of_text(Function function) {
  switch (function) {
    case Function::Regex:
    case Function::Contains:
    case Function::StrStarts:
    case Function::StrEnds:
    case Function::LCase:
    case Function::UCase:
    case Function::Replace:
      return true;
    default:
      return false;
  }
}

bool is_of_size(Function function) {
  return function == Function::Less || function == Function::LessEqual ||
         function == Function::Greater || function == Function::GreaterEqual;
}

void look_at_filter(const sparql::Expression& expression, Uses& uses) {
  bool is_told = false;
  const std::function<void(const sparql::Expression&)> walk = [&](const sparql::Expression& one) {
    if (one.if_is<sparql::Exists>() != nullptr) {
      is_told = uses.filters_existence = true;
      return;
    }
    const auto* operation = one.if_is<sparql::Operation>();
    if (operation == nullptr) return;
    const Function function = operation->function;
    if (is_of_text(function)) is_told = uses.filters_text = true;
    if (function == Function::Lang || function == Function::LangMatches) {
      is_told = uses.filters_language = true;
    }
    if (is_of_size(function)) is_told = uses.filters_size = true;
    for (const sparql::Expression& argument : operation->arguments) walk(argument);
  };
  walk(expression);
  if (!is_told) uses.filters_otherwise = true;
}

void look_at_aggregates(const sparql::Expression& expression, Uses& uses) {
  if (const auto* aggregate = expression.if_is<sparql::Aggregate>()) {
    const std::string name = ascii_lower(sparql::aggregate_name(aggregate->kind));
    if (std::find(uses.aggregates.begin(), uses.aggregates.end(), name) == uses.aggregates.end()) {
      uses.aggregates.push_back(name);
    }
  }
  const auto walk = [&](const std::vector<sparql::Expression>& arguments) {
    for (const sparql::Expression& argument : arguments) look_at_aggregates(argument, uses);
  };
  if (const auto* operation = expression.if_is<sparql::Operation>()) walk(operation->arguments);
  if (const auto* call = expression.if_is<sparql::Call>()) walk(call->arguments);
}

void look_at_body(const sparql::Body& body, Uses& uses) {
  uses.is_grouped |= !body.group_by.empty();
  uses.is_sorted |= !body.order_by.empty();
  uses.is_limited |= body.limit.has_value();
  for (const sparql::Expression& one : body.having) look_at_aggregates(one, uses);
  for (const sparql::OrderKey& key : body.order_by) look_at_aggregates(key.expression, uses);
}

void look_at_select(const sparql::Select& select, Uses& uses) {
  look_at_body(select.body, uses);
  for (const sparql::SelectItem& item : select.items) {
    if (item.expression) look_at_aggregates(*item.expression, uses);
  }
}

Uses uses_of(const sparql::Query& query) {
  Uses uses;
  for (const sparql::PatternPart& part : sparql::pattern_parts(query)) {
    uses.parts[static_cast<std::size_t>(part.kind)] = true;
    if (part.kind == Kind::Triple || part.kind == Kind::Path) ++uses.triples;
    if (part.kind == Kind::Filter && part.expression != nullptr) {
      look_at_filter(*part.expression, uses);
    }
  }
  sparql::for_each_pattern(query.body().where, [&](const sparql::Pattern& pattern) {
    if (const auto* inner = pattern.if_is<sparql::SubSelect>())
      look_at_select(*inner->select, uses);
  });
  if (const auto* select = std::get_if<sparql::Select>(&query.form)) {
    look_at_select(*select, uses);
  } else {
    look_at_body(query.body(), uses);
  }
  return uses;
}

std::string_view verb_of(const sparql::Query& query) {
  if (std::holds_alternative<sparql::Ask>(query.form)) return "asks whether there is";
  if (std::holds_alternative<sparql::Construct>(query.form)) return "builds a graph of";
  if (std::holds_alternative<sparql::Describe>(query.form)) return "describes";
  return "selects";
}

std::string filters_in_words(const Uses& uses) {
  std::vector<std::string_view> by;
  if (uses.filters_text) by.emplace_back("text");
  if (uses.filters_language) by.emplace_back("language");
  if (uses.filters_size) by.emplace_back("size");
  if (uses.filters_existence) by.emplace_back("existence");
  if (uses.filters_otherwise) by.emplace_back("value");
  return by.empty() ? std::string() : fmt::format("filters by {}", fmt::join(by, ", "));
}

std::string aggregates_in_words(const Uses& uses) {
  if (uses.aggregates.empty()) return uses.is_grouped ? "groups" : "";
  return fmt::format("aggregates with {}{}", fmt::join(uses.aggregates, ", "),
                     uses.is_grouped ? " for each group" : "");
}

}  // namespace

std::string listed(const std::vector<SchemaName>& names, std::size_t most) {
  std::vector<std::string_view> shown;
  for (const SchemaName& name : names) {
    if (shown.size() == most) break;
    shown.push_back(name.shown);
  }
  return fmt::format("{}{}", fmt::join(shown, ", "), names.size() > most ? " and others" : "");
}

PatternWords words_of(const sparql::Query& query, const std::vector<SchemaName>& classes,
                      const std::vector<SchemaName>& properties) {
  const Uses uses = uses_of(query);
  std::string what(verb_of(query));
  what += classes.empty() ? " things" : " " + listed(classes, kPatternNamesMax);
  if (uses.triples > 1) {
    what += fmt::format(", joins {} patterns", number_word(uses.triples));
  }
  if (!properties.empty()) what += " by " + listed(properties, kPatternNamesMax);
  std::vector<std::string> parts = {std::move(what)};
  const auto add = [&](std::string part) {
    if (!part.empty()) parts.push_back(std::move(part));
  };
  if (uses.has(Kind::Path)) add("follows paths");
  if (uses.has(Kind::Optional)) add("takes some parts only where they are there");
  if (uses.has(Kind::Union)) add("has alternatives");
  if (uses.has(Kind::Minus)) add("leaves out what also matches");
  if (uses.has(Kind::SubSelect)) add("asks an inner query first");
  if (uses.has(Kind::Graph)) add("names graphs");
  if (uses.has(Kind::Service)) add("asks other services");
  add(filters_in_words(uses));
  add(aggregates_in_words(uses));
  if (uses.is_sorted) add("sorts");
  if (uses.is_limited) add("takes the first rows");
  PatternWords words;
  words.text = fmt::format("{}", fmt::join(parts, "; "));
  words.is_counting =
      std::find(uses.aggregates.begin(), uses.aggregates.end(), "count") != uses.aggregates.end();
  return words;
}

}  // namespace helve::learning
