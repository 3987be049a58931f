#include "toolkit/guard/condition.h"

#include <algorithm>

#include "sources/sparql/algebra/analysis.h"

namespace helve::toolkit {

namespace {

using sparql::Constant;
using sparql::Expression;
using sparql::Function;
using sparql::Operation;
using sparql::Variable;

constexpr std::size_t kShortText = 2;  // bytes: so little is found nearly everywhere

const Operation* operation_of(const Expression& expression) {
  return expression.if_is<Operation>();
}

bool is_text_function(Function function) {
  switch (function) {
    case Function::Str:
    case Function::LCase:
    case Function::UCase:
    case Function::Substr:
    case Function::StrBefore:
    case Function::StrAfter:
    case Function::Replace:
    case Function::Concat:
    case Function::EncodeForUri:
      return true;
    default:
      return false;
  }
}

bool is_search_function(Function function) {
  return function == Function::Contains || function == Function::Regex ||
         function == Function::StrStarts || function == Function::StrEnds;
}

bool has_variable(const Expression& expression) {
  return !sparql::mentioned_variables(expression).empty();
}

bool is_text_of_variable(const Expression& expression) {
  const Operation* operation = operation_of(expression);
  return operation != nullptr && is_text_function(operation->function) && has_variable(expression);
}

// STR(LCASE(?x)) -> ?x
const Variable* inner_variable(const Expression& expression) {
  const Expression* at = &expression;
  while (const Operation* operation = operation_of(*at)) {
    const bool is_plain = operation->function == Function::Str ||
                          operation->function == Function::LCase ||
                          operation->function == Function::UCase;
    if (!is_plain || operation->arguments.size() != 1) return nullptr;
    at = &operation->arguments.front();
  }
  return at->if_is<Variable>();
}

const rdf::Term* literal_of(const Expression& expression) {
  const Operation* operation = operation_of(expression);
  const bool is_folded =
      operation != nullptr && operation->arguments.size() == 1 &&
      (operation->function == Function::LCase || operation->function == Function::UCase ||
       operation->function == Function::Str);
  if (is_folded) return literal_of(operation->arguments.front());
  const auto* constant = expression.if_is<Constant>();
  const bool is_literal = constant != nullptr && constant->term.view().is_literal();
  return is_literal ? &constant->term : nullptr;
}

bool is_short(const std::vector<Expression>& arguments) {
  const rdf::Term* text = arguments.size() > 1 ? literal_of(arguments[1]) : nullptr;
  return text != nullptr && text->value.size() <= kShortText;
}

std::optional<NamedValues> of_equation(const Operation& equation) {
  for (const std::size_t side : {0U, 1U}) {
    const auto* variable = equation.arguments[side].if_is<Variable>();
    const auto* constant = equation.arguments[1 - side].if_is<Constant>();
    if (variable != nullptr && constant != nullptr) {
      return NamedValues{variable->name, {constant->term}};
    }
  }
  return std::nullopt;
}

std::optional<NamedValues> of_list(const Operation& list) {
  const auto* variable = list.arguments.front().if_is<Variable>();
  if (variable == nullptr) return std::nullopt;
  NamedValues named{variable->name, {}};
  for (std::size_t i = 1; i < list.arguments.size(); ++i) {
    const auto* constant = list.arguments[i].if_is<Constant>();
    if (constant == nullptr) return std::nullopt;
    named.values.push_back(constant->term);
  }
  return named;
}

std::optional<NamedValues> of_alternatives(const Operation& alternatives) {
  std::optional<NamedValues> all;
  for (const Expression& argument : alternatives.arguments) {
    auto one = named_values(argument);
    if (!one || (all && all->variable != one->variable)) return std::nullopt;
    if (!all) {
      all = std::move(one);
    } else {
      all->values.insert(all->values.end(), one->values.begin(), one->values.end());
    }
  }
  return all;
}

}  // namespace

std::optional<NamedValues> named_values(const Expression& condition) {
  const Operation* operation = operation_of(condition);
  if (operation == nullptr || operation->arguments.empty()) return std::nullopt;
  switch (operation->function) {
    case Function::Equal:
    case Function::SameTerm:
      return of_equation(*operation);
    case Function::In:
      return of_list(*operation);
    case Function::Or:
      return of_alternatives(*operation);
    case Function::And:
      for (const Expression& argument : operation->arguments) {
        if (auto named = named_values(argument)) return named;
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<Tie> tie_of(const Expression& condition) {
  const Operation* operation = operation_of(condition);
  if (operation == nullptr) return std::nullopt;
  if (operation->function == Function::And) {
    for (const Expression& argument : operation->arguments) {
      if (auto tie = tie_of(argument)) return tie;
    }
    return std::nullopt;
  }
  const bool is_equation =
      operation->function == Function::Equal || operation->function == Function::SameTerm;
  if (!is_equation || operation->arguments.size() != 2) return std::nullopt;
  Tie tie{sparql::mentioned_variables(operation->arguments[0]),
          sparql::mentioned_variables(operation->arguments[1]),
          !operation->arguments[0].if_is<Variable>() || !operation->arguments[1].if_is<Variable>()};
  if (tie.first.empty() || tie.second.empty()) return std::nullopt;
  return tie;
}

bool is_text_search(const Expression& condition) {
  const Operation* operation = operation_of(condition);
  if (operation == nullptr) return false;
  const auto& arguments = operation->arguments;
  switch (operation->function) {
    case Function::And:
      return std::any_of(arguments.begin(), arguments.end(), is_text_search);
    case Function::Or:
      return std::all_of(arguments.begin(), arguments.end(), is_text_search);
    case Function::Equal:
    case Function::In:
      return is_text_of_variable(arguments.front()) ||
             (operation->function == Function::Equal && is_text_of_variable(arguments[1]));
    default:
      return is_search_function(operation->function) && has_variable(condition) &&
             !is_short(arguments);
  }
}

bool reads_text(const Expression& expression) {
  const Operation* operation = operation_of(expression);
  if (operation == nullptr) return false;
  const bool looks =
      is_search_function(operation->function) ||
      (is_text_function(operation->function) && operation->function != Function::Str) ||
      operation->function == Function::StrLen;
  if (looks && has_variable(expression)) return true;
  return std::any_of(operation->arguments.begin(), operation->arguments.end(), reads_text);
}

bool is_selective(const Expression& condition) {
  if (is_text_search(condition)) return true;
  const Operation* operation = operation_of(condition);
  if (operation == nullptr) return false;
  const auto& arguments = operation->arguments;
  if (operation->function == Function::And) {
    return std::any_of(arguments.begin(), arguments.end(), is_selective);
  }
  if (operation->function != Function::Equal) return false;
  // The language and the datatype have few values: each of them is common.
  const auto is_common = [](const Expression& side) {
    const Operation* of = operation_of(side);
    return of == nullptr || of->function == Function::Lang || of->function == Function::Datatype;
  };
  const bool is_left = !is_common(arguments[0]) && !has_variable(arguments[1]);
  const bool is_right = !is_common(arguments[1]) && !has_variable(arguments[0]);
  return is_left || is_right;
}

bool has_few_values(const Expression& expression) {
  const Operation* operation = operation_of(expression);
  if (operation == nullptr) return false;
  switch (operation->function) {
    case Function::Datatype:
    case Function::Lang:
    case Function::Bound:
    case Function::IsIri:
    case Function::IsBlank:
    case Function::IsLiteral:
    case Function::IsNumeric:
      return true;
    default:
      return false;
  }
}

std::optional<TextSearch> text_search(const Expression& condition) {
  const Operation* operation = operation_of(condition);
  if (operation == nullptr) return std::nullopt;
  if (operation->function == Function::And || operation->function == Function::Or) {
    for (const Expression& argument : operation->arguments) {
      if (auto search = text_search(argument)) return search;
    }
    return std::nullopt;
  }
  const bool is_search =
      is_search_function(operation->function) || operation->function == Function::Equal;
  if (!is_search || operation->arguments.size() < 2) return std::nullopt;
  const Variable* variable = inner_variable(operation->arguments[0]);
  const rdf::Term* text = literal_of(operation->arguments[1]);
  if (variable == nullptr || text == nullptr || text->value.empty()) return std::nullopt;
  std::string plain = text->value;
  if (operation->function == Function::Regex) {
    if (plain.starts_with('^')) plain.erase(0, 1);
    if (plain.ends_with('$')) plain.pop_back();
    const bool is_special = plain.find_first_of("\\.[](){}*+?|^$") != std::string::npos;
    if (is_special || plain.empty()) return std::nullopt;
  }
  return TextSearch{variable->name, std::move(plain)};
}

}  // namespace helve::toolkit
