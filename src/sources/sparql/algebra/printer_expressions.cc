// Expressions as SPARQL text, with the parentheses they need and no others.
// https://www.w3.org/TR/sparql11-query/#rConditionalOrExpression
#include "sources/rdf/turtle_spelling.h"
#include "sources/sparql/algebra/functions.h"
#include "sources/sparql/algebra/printer_text.h"

namespace helve::sparql {

namespace {

bool is_bare_number(const Expression& expression) {
  const auto* constant = expression.if_is<Constant>();
  return constant != nullptr && constant->term.kind == rdf::TermKind::Literal &&
         rdf::is_bare_literal(constant->term.view());
}

}  // namespace

SparqlText::Binding SparqlText::binding_of(const Expression& expression) {
  const auto* operation = expression.if_is<Operation>();
  return operation == nullptr ? Binding::Primary : binding_of(operation->function);
}

SparqlText::Binding SparqlText::binding_of(Function function) {
  switch (function) {
    case Function::Or:
      return Binding::Or;
    case Function::And:
      return Binding::And;
    case Function::Equal:
    case Function::NotEqual:
    case Function::Less:
    case Function::LessEqual:
    case Function::Greater:
    case Function::GreaterEqual:
    case Function::In:
    case Function::NotIn:
      return Binding::Relational;
    case Function::Add:
    case Function::Subtract:
      return Binding::Additive;
    case Function::Multiply:
    case Function::Divide:
      return Binding::Multiplicative;
    case Function::Not:
    case Function::Plus:
    case Function::Negate:
      return Binding::Unary;
    default:
      return Binding::Primary;
  }
}

void SparqlText::append(const Expression& whole) { expression(whole, Binding::Or); }

void SparqlText::expression(const Expression& expression, Binding binding) {
  const bool needs_parentheses = binding_of(expression) < binding;
  if (needs_parentheses) out_ += '(';
  if (const auto* variable = expression.if_is<Variable>()) {
    append(*variable);
  } else if (const auto* constant = expression.if_is<Constant>()) {
    append(*constant);
  } else if (const auto* applied = expression.if_is<Operation>()) {
    operation(*applied);
  } else if (const auto* call = expression.if_is<Call>()) {
    iri(call->iri);
    out_ += call->is_distinct ? "(DISTINCT " : "(";
    list(call->arguments);
    out_ += ')';
  } else if (const auto* aggregate = expression.if_is<Aggregate>()) {
    call_of(*aggregate);
  } else if (const auto* exists = expression.if_is<Exists>()) {
    out_ += exists->is_negated ? "NOT EXISTS " : "EXISTS ";
    group(*exists->pattern);
  }
  if (needs_parentheses) out_ += ')';
}

void SparqlText::operation(const Operation& operation) {
  switch (binding_of(operation.function)) {
    case Binding::Or:
      return infix(operation, Binding::And, Binding::And);
    case Binding::And:
      return infix(operation, Binding::Relational, Binding::Relational);
    case Binding::Relational:
      if (operation.function == Function::In || operation.function == Function::NotIn) {
        return membership(operation);
      }
      return infix(operation, Binding::Additive, Binding::Additive);
    case Binding::Additive:
      return infix(operation, Binding::Additive, Binding::Multiplicative);
    case Binding::Multiplicative:
      return infix(operation, Binding::Multiplicative, Binding::Unary);
    case Binding::Unary:
      return unary(operation);
    case Binding::Primary:
      break;
  }
  out_ += function_info(operation.function).name;
  out_ += '(';
  list(operation.arguments);
  out_ += ')';
}

// The spaces also keep a sign from becoming part of the number behind it: ?x -1 is another text.
void SparqlText::infix(const Operation& operation, Binding first, Binding others) {
  bool is_first = true;
  for (const Expression& argument : operation.arguments) {
    if (!is_first) {
      out_ += ' ';
      out_ += function_info(operation.function).name;
      out_ += ' ';
    }
    expression(argument, is_first ? first : others);
    is_first = false;
  }
}

void SparqlText::membership(const Operation& operation) {
  const std::vector<Expression>& arguments = operation.arguments;
  if (arguments.empty()) return;
  expression(arguments.front(), Binding::Additive);
  out_ += operation.function == Function::In ? " IN (" : " NOT IN (";
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (i > 1) out_ += ", ";
    append(arguments[i]);
  }
  out_ += ')';
}

void SparqlText::unary(const Operation& operation) {
  out_ += function_info(operation.function).name;
  for (const Expression& argument : operation.arguments) {
    // -5 is a number, - 5 an operation on one.
    if (is_bare_number(argument) && operation.function != Function::Not) out_ += ' ';
    expression(argument, Binding::Primary);
  }
}

void SparqlText::call_of(const Aggregate& aggregate) {
  out_ += aggregate_name(aggregate.kind);
  out_ += aggregate.is_distinct ? "(DISTINCT " : "(";
  if (aggregate.argument.empty()) out_ += '*';
  list(aggregate.argument);
  if (aggregate.separator) {
    out_ += "; SEPARATOR = ";
    term(rdf::TermView::literal(*aggregate.separator));
  }
  out_ += ')';
}

void SparqlText::list(const std::vector<Expression>& expressions) {
  bool is_first = true;
  for (const Expression& expression : expressions) {
    if (!is_first) out_ += ", ";
    is_first = false;
    append(expression);
  }
}

bool SparqlText::is_call(const Expression& expression) {
  return expression.if_is<Variable>() == nullptr && expression.if_is<Constant>() == nullptr &&
         binding_of(expression) == Binding::Primary;
}

void SparqlText::constraint(const Expression& condition) {
  if (is_call(condition)) return append(condition);
  out_ += '(';
  append(condition);
  out_ += ')';
}

void SparqlText::item(const SelectItem& item) {
  if (!item.expression) return append(item.variable);
  named(*item.expression, item.variable);
}

void SparqlText::named(const Expression& expression, const Variable& name) {
  out_ += '(';
  append(expression);
  out_ += " AS ";
  append(name);
  out_ += ')';
}

void SparqlText::key(const GroupKey& key) {
  if (key.name) return named(key.expression, *key.name);
  if (const auto* variable = key.expression.if_is<Variable>()) return append(*variable);
  constraint(key.expression);
}

void SparqlText::key(const OrderKey& key) {
  if (key.is_descending) {
    out_ += "DESC(";
    append(key.expression);
    out_ += ')';
  } else if (const auto* variable = key.expression.if_is<Variable>()) {
    append(*variable);
  } else {
    constraint(key.expression);
  }
}

}  // namespace helve::sparql
