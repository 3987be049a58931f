#include "sources/rdf/xsd_compare.h"

#include <algorithm>
#include <cmath>

#include "sources/rdf/xsd_timeline.h"

namespace helve::rdf {

namespace {

using Order = std::optional<std::partial_ordering>;

std::partial_ordering compare_promoted(const XsdValue& a, const XsdValue& b) {
  const auto* whole_a = std::get_if<Integer>(&a.data);
  const auto* whole_b = std::get_if<Integer>(&b.data);
  if (whole_a != nullptr && whole_b != nullptr) return *whole_a <=> *whole_b;
  switch (std::max(numeric_rank(a.type), numeric_rank(b.type))) {
    case 3:
      return as_double(a) <=> as_double(b);
    case 2:
      return as_float(a) <=> as_float(b);
    default:
      return as_decimal(a) <=> as_decimal(b);
  }
}

Order compare_durations(const XsdValue& a, const XsdValue& b) {
  if (a.type != b.type) return std::nullopt;
  const XsdDuration& left = a.duration();
  const XsdDuration& right = b.duration();
  if (a.type == XsdType::YearMonthDuration) return left.months <=> right.months;
  if (a.type != XsdType::DayTimeDuration) return std::nullopt;
  if (left.seconds != right.seconds) return left.seconds <=> right.seconds;
  return left.attoseconds <=> right.attoseconds;
}

// The rules that strict and implicit order share. REQUIRES: the same operand type, neither numeric
// nor temporal nor a duration.
std::partial_ordering compare_plain(const XsdValue& a, const XsdValue& b) {
  if (a.type == XsdType::Boolean) return a.truth() <=> b.truth();
  // UTF-8 sorts by code point when bytes are unsigned, which char_traits<char> sees to.
  return a.text().compare(b.text()) <=> 0;
}

}  // namespace

std::optional<std::partial_ordering> compare_values(const XsdValue& a, const XsdValue& b,
                                                    const XsdContext& context) {
  if (is_numeric_type(a.type) && is_numeric_type(b.type)) return compare_promoted(a, b);
  if (operand_type(a.type) != operand_type(b.type)) return std::nullopt;
  if (is_temporal_type(a.type)) {
    return compare_instants(a.moment(), b.moment(), context.implicit_timezone);
  }
  if (is_duration_type(a.type)) return compare_durations(a, b);
  return compare_plain(a, b);
}

std::optional<bool> equal_values(const XsdValue& a, const XsdValue& b, const XsdContext& context) {
  if (is_duration_type(a.type) && is_duration_type(b.type)) return a.duration() == b.duration();
  const Order order = compare_values(a, b, context);
  if (!order) return std::nullopt;
  return std::is_eq(*order);
}

std::optional<std::partial_ordering> compare_values_strictly(const XsdValue& a, const XsdValue& b) {
  if (is_duration_type(a.type) && is_duration_type(b.type)) {
    return compare_durations_strictly(a.duration(), b.duration());
  }
  const auto primitive = [](XsdType type) {
    return is_integer_type(type) ? XsdType::Decimal : operand_type(type);
  };
  if (primitive(a.type) != primitive(b.type)) return std::nullopt;
  if (is_temporal_type(a.type)) return compare_instants_strictly(a.moment(), b.moment());
  if (is_numeric_type(a.type)) return compare_promoted(a, b);
  return compare_plain(a, b);
}

std::weak_ordering order_numbers(const XsdValue& a, const XsdValue& b) {
  const bool a_floating = numeric_rank(a.type) >= 2;
  const bool b_floating = numeric_rank(b.type) >= 2;
  const bool a_nan = a_floating && std::isnan(as_double(a));
  const bool b_nan = b_floating && std::isnan(as_double(b));
  if (a_nan || b_nan) return b_nan <=> a_nan;
  std::partial_ordering order = std::partial_ordering::equivalent;
  if (a_floating == b_floating) {
    order = a_floating ? as_double(a) <=> as_double(b) : compare_promoted(a, b);
  } else if (b_floating) {
    order = as_decimal(a).compare_exactly(as_double(b));
  } else {
    const auto reversed = as_decimal(b).compare_exactly(as_double(a));
    order = std::is_lt(reversed)   ? std::partial_ordering::greater
            : std::is_gt(reversed) ? std::partial_ordering::less
                                   : reversed;
  }
  if (std::is_lt(order)) return std::weak_ordering::less;
  return std::is_gt(order) ? std::weak_ordering::greater : std::weak_ordering::equivalent;
}

std::optional<bool> effective_boolean_value(const XsdValue& value) {
  if (value.type == XsdType::Boolean) return value.truth();
  if (is_string_type(value.type)) return !value.text().empty();
  if (is_integer_type(value.type)) return value.whole().sign() != 0;
  if (value.type == XsdType::Decimal) return std::get<Decimal>(value.data).sign() != 0;
  if (!is_numeric_type(value.type)) return std::nullopt;
  const double number = as_double(value);
  return !std::isnan(number) && number != 0;
}

std::optional<bool> effective_boolean_value(std::string_view lexical, XsdType type) {
  const auto value = parse_xsd_value(lexical, type);
  if (value) return effective_boolean_value(*value);
  if (type == XsdType::Boolean || is_numeric_type(type)) return false;
  return std::nullopt;
}

}  // namespace helve::rdf
