#include "sources/rdf/xsd_cast.h"

#include <cmath>

#include "sources/rdf/xsd_compare.h"
#include "sources/rdf/xsd_float.h"

namespace helve::rdf {

namespace {

using Maybe = std::optional<XsdValue>;

Maybe whole_in_range(Integer value, XsdType target) {
  if (!is_in_range(value, target)) return std::nullopt;
  return XsdValue{target, std::move(value)};
}

Maybe number_to_integer(const XsdValue& number, XsdType target) {
  if (is_integer_type(number.type)) return whole_in_range(number.whole(), target);
  if (const auto* decimal = std::get_if<Decimal>(&number.data)) {
    return whole_in_range(decimal->rounded(Rounding::Truncate), target);
  }
  const double value = as_double(number);
  if (!std::isfinite(value)) return std::nullopt;
  return whole_in_range(Integer::truncated(value), target);
}

Maybe number_to_decimal(const XsdValue& number, const XsdContext& context) {
  if (numeric_rank(number.type) < 2) return XsdValue::decimal(as_decimal(number));
  const double value = as_double(number);
  if (!std::isfinite(value)) return std::nullopt;
  Decimal decimal = Decimal::exactly(value);
  if (decimal.digits() > context.digits_max) return std::nullopt;
  return XsdValue::decimal(std::move(decimal));
}

Maybe cast_number(const XsdValue& number, XsdType target, const XsdContext& context) {
  if (is_integer_type(target)) return number_to_integer(number, target);
  switch (target) {
    case XsdType::Decimal:
      return number_to_decimal(number, context);
    case XsdType::Float:
      // Narrowing rounds to nearest and overflows to infinity, as IEEE 754 and XPath want.
      if (number.type == XsdType::Double) {
        return XsdValue::single(static_cast<float>(std::get<double>(number.data)));
      }
      return XsdValue::single(as_float(number));
    case XsdType::Double:
      return XsdValue::real(as_double(number));
    case XsdType::Boolean:
      return XsdValue::boolean(effective_boolean_value(number).value_or(false));
    default:
      return std::nullopt;
  }
}

Maybe cast_temporal(const XsdValue& value, XsdType target) {
  const XsdType source = operand_type(value.type);
  if (!is_temporal_type(target)) return std::nullopt;
  const bool same = source == operand_type(target);
  const bool from_datetime = source == XsdType::DateTime;
  const bool from_date = source == XsdType::Date && target != XsdType::Time;
  if (!same && !from_datetime && !from_date) return std::nullopt;
  XsdDateTime moment = reduced_to(value.moment(), target);
  if (target == XsdType::DateTimeStamp && !moment.timezone) return std::nullopt;
  return XsdValue{target, moment};
}

Maybe cast_duration(const XsdValue& value, XsdType target) {
  XsdDuration duration = value.duration();
  switch (target) {
    case XsdType::Duration:
      break;
    case XsdType::YearMonthDuration:
      duration = {duration.months, 0, 0};
      break;
    case XsdType::DayTimeDuration:
      duration.months = 0;
      break;
    default:
      return std::nullopt;
  }
  return XsdValue{target, duration};
}

}  // namespace

std::optional<XsdValue> cast_value(const XsdValue& value, XsdType target,
                                   const XsdContext& context) {
  if (value.type == target) return value;
  if (is_string_type(target) || target == XsdType::AnyUri) {
    if (!is_string_type(value.type) && value.type != XsdType::AnyUri && target == XsdType::AnyUri) {
      return std::nullopt;
    }
    return parse_xsd_value(cast_to_string(value), target, XsdSpace::Process, context);
  }
  if (is_string_type(value.type)) {
    return parse_xsd_value(value.text(), target, XsdSpace::Process, context);
  }
  if (value.type == XsdType::Boolean) {
    return cast_number(XsdValue::integer(value.truth() ? 1 : 0), target, context);
  }
  if (is_numeric_type(value.type)) return cast_number(value, target, context);
  if (is_temporal_type(value.type)) return cast_temporal(value, target);
  if (is_duration_type(value.type)) return cast_duration(value, target);
  if (is_binary_type(value.type) && is_binary_type(target)) return XsdValue{target, value.text()};
  return std::nullopt;
}

std::string cast_to_string(const XsdValue& value) {
  if (const auto* number = std::get_if<double>(&value.data)) return cast_double_to_string(*number);
  if (const auto* number = std::get_if<float>(&value.data)) return cast_float_to_string(*number);
  return canonical_lexical(value);
}

}  // namespace helve::rdf
