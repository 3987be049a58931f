#include "sources/sparql/engine/date_functions.h"

#include <fmt/format.h>

#include "sources/sparql/engine/function_values.h"

namespace helve::sparql {

namespace {

using rdf::XsdDateTime;
using rdf::XsdValue;

Value seconds_of(const XsdDateTime& moment) {
  const rdf::Decimal fraction = rdf::Decimal::scaled(moment.attoseconds, 18);
  return XsdValue::decimal(rdf::Decimal(rdf::Integer(moment.second)) + fraction);
}

Value timezone_of(const XsdDateTime& moment) {
  if (!moment.timezone) return error_value();
  const std::int64_t minutes = *moment.timezone;
  return XsdValue{rdf::XsdType::DayTimeDuration, rdf::XsdDuration{0, minutes * 60, 0}};
}

std::string timezone_text(const XsdDateTime& moment) {
  if (!moment.timezone) return {};
  const int minutes = *moment.timezone;
  if (minutes == 0) return "Z";
  const int magnitude = minutes < 0 ? -minutes : minutes;
  return fmt::format("{}{:02}:{:02}", minutes < 0 ? '-' : '+', magnitude / 60, magnitude % 60);
}

}  // namespace

Value call_date_function(Function function, const Value& argument, EvaluationContext& context) {
  const auto value = context.to_xsd(argument);
  if (!value || !rdf::is_temporal_type(value->type)) return error_value();
  const XsdDateTime& moment = value->moment();
  const rdf::TemporalParts parts = rdf::parts_of(value->type);
  switch (function) {
    case Function::Year:
      return parts.year ? integer_value(moment.year) : error_value();
    case Function::Month:
      return parts.month ? integer_value(moment.month) : error_value();
    case Function::Day:
      return parts.day ? integer_value(moment.day) : error_value();
    case Function::Hours:
      return parts.time ? integer_value(moment.hour) : error_value();
    case Function::Minutes:
      return parts.time ? integer_value(moment.minute) : error_value();
    case Function::Seconds:
      return parts.time ? seconds_of(moment) : error_value();
    case Function::Timezone:
      return timezone_of(moment);
    default:
      return string_value(timezone_text(moment), context);
  }
}

}  // namespace helve::sparql
