// Which function is where, the operators on numbers, and the casts.
#include "sources/sparql/engine/term_functions.h"

#include <algorithm>
#include <utility>

#include "sources/rdf/xsd_arithmetic.h"
#include "sources/rdf/xsd_cast.h"
#include "sources/sparql/engine/date_functions.h"
#include "sources/sparql/engine/function_values.h"
#include "sources/sparql/engine/node_functions.h"
#include "sources/sparql/engine/string_functions.h"
#include "sources/sparql/engine/term_comparison.h"

namespace helve::sparql {

namespace {

using Arguments = std::span<const Value>;
using rdf::XsdValue;

Value compute(Function function, const Value& left, const Value& right,
              EvaluationContext& context) {
  const auto a = context.to_xsd(left);
  if (!a) return error_value();
  const auto b = context.to_xsd(right);
  if (!b) return error_value();
  switch (function) {
    case Function::Add:
      return xsd_value(rdf::add_values(*a, *b, context.xsd()));
    case Function::Subtract:
      return xsd_value(rdf::subtract_values(*a, *b, context.xsd()));
    case Function::Multiply:
      return xsd_value(rdf::multiply_values(*a, *b, context.xsd()));
    default:
      return xsd_value(rdf::divide_values(*a, *b, context.xsd()));
  }
}

Value compute(Function function, const Value& argument, EvaluationContext& context) {
  const auto value = context.to_xsd(argument);
  if (!value) return error_value();
  switch (function) {
    case Function::Negate:
      return xsd_value(rdf::negate_value(*value));
    case Function::Plus:
      return rdf::is_numeric_type(value->type) || rdf::is_duration_type(value->type)
                 ? argument
                 : error_value();
    case Function::Abs:
      return xsd_value(rdf::abs_value(*value));
    case Function::Round:
      return xsd_value(rdf::round_value(*value));
    case Function::Ceil:
      return xsd_value(rdf::ceiling_value(*value));
    default:
      return xsd_value(rdf::floor_value(*value));
  }
}

// 53 random bits behind the point.
Value random_number(EvaluationContext& context) {
  constexpr double kUnit = 1.0 / static_cast<double>(std::uint64_t{1} << 53);
  return XsdValue::real(static_cast<double>(context.random().next_u64() >> 11U) * kUnit);
}

bool is_between(Function function, Function first, Function last) {
  return function >= first && function <= last;
}

}  // namespace

Value call_function(Function function, Arguments arguments, EvaluationContext& context) {
  if (std::any_of(arguments.begin(), arguments.end(), is_error)) return error_value();
  if (is_between(function, Function::Equal, Function::GreaterEqual)) {
    return boolean_value(compare(function, arguments[0], arguments[1], context));
  }
  if (is_between(function, Function::Add, Function::Divide)) {
    return compute(function, arguments[0], arguments[1], context);
  }
  if (function == Function::Plus || function == Function::Negate ||
      is_between(function, Function::Abs, Function::Floor)) {
    return compute(function, arguments[0], context);
  }
  if (is_between(function, Function::StrLen, Function::Replace) ||
      is_between(function, Function::Md5, Function::Sha512)) {
    return call_string_function(function, arguments, context);
  }
  if (is_between(function, Function::Year, Function::Tz)) {
    return call_date_function(function, arguments[0], context);
  }
  switch (function) {
    case Function::SameTerm:
      return boolean_value(same_term(arguments[0], arguments[1], context));
    case Function::Now:
      return context.now();
    case Function::Rand:
      return random_number(context);
    default:
      return call_node_function(function, arguments, context);
  }
}

bool is_cast(std::string_view iri) { return rdf::xsd_type_of_iri(iri).has_value(); }

Value call_cast(std::string_view iri, const Value& argument, EvaluationContext& context) {
  const auto type = rdf::xsd_type_of_iri(iri);
  if (!type) return error_value();
  return call_cast(*type, argument, context);
}

// https://www.w3.org/TR/sparql11-query/#FunctionMapping
Value call_cast(rdf::XsdType type, const Value& argument, EvaluationContext& context) {
  if (is_error(argument)) return error_value();
  const auto value = context.to_xsd(argument);
  if (value) return xsd_value(rdf::cast_value(*value, type, context.xsd()));
  std::string scratch;
  const auto term = context.to_term(argument, scratch);
  if (type != rdf::XsdType::String || !term || !term->is_iri()) return error_value();
  return string_value(std::string(term->value), context);
}

}  // namespace helve::sparql
