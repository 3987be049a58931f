#include "sources/rdf/xsd_arithmetic.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "sources/rdf/xsd_timeline.h"

namespace helve::rdf {

namespace {

using Maybe = std::optional<XsdValue>;

enum class Operator : std::uint8_t { Add, Subtract, Multiply, Divide };

bool are_numeric(const XsdValue& a, const XsdValue& b) {
  return is_numeric_type(a.type) && is_numeric_type(b.type);
}

template <typename Number>
Number apply(Operator op, const Number& a, const Number& b) {
  switch (op) {
    case Operator::Add:
      return a + b;
    case Operator::Subtract:
      return a - b;
    default:
      return a * b;
  }
}

template <typename Float>
Float apply_floating(Operator op, Float a, Float b) {
  return op == Operator::Divide ? a / b : apply(op, a, b);
}

Maybe checked(Integer value, const XsdContext& context) {
  if (!value.is_small() && value.digits() > context.digits_max) return std::nullopt;
  return XsdValue::integer(std::move(value));
}

Maybe checked(Decimal value, const XsdContext& context) {
  if (value.digits() > context.digits_max) return std::nullopt;
  return XsdValue::decimal(std::move(value));
}

Maybe compute(Operator op, const XsdValue& a, const XsdValue& b, const XsdContext& context) {
  const auto* whole_a = std::get_if<Integer>(&a.data);
  const auto* whole_b = std::get_if<Integer>(&b.data);
  if (whole_a != nullptr && whole_b != nullptr && op != Operator::Divide) {
    return checked(apply(op, *whole_a, *whole_b), context);
  }
  switch (std::max(numeric_rank(a.type), numeric_rank(b.type))) {
    case 3:
      return XsdValue::real(apply_floating(op, as_double(a), as_double(b)));
    case 2:
      return XsdValue::single(apply_floating(op, as_float(a), as_float(b)));
    default:
      break;
  }
  const Decimal left = as_decimal(a);
  const Decimal right = as_decimal(b);
  if (op != Operator::Divide) return checked(apply(op, left, right), context);
  if (right.sign() == 0) return std::nullopt;
  return checked(left.divided_by(right), context);
}

bool is_clock_type(XsdType type) { return type >= XsdType::DateTime && type <= XsdType::Time; }

Maybe move(const XsdValue& value, const XsdDuration& duration, XsdType duration_type) {
  const XsdType type = operand_type(value.type);
  if (!is_clock_type(type)) return std::nullopt;
  if (type == XsdType::Time && duration_type != XsdType::DayTimeDuration) return std::nullopt;
  const auto moved = add_duration(value.moment(), duration, type);
  if (!moved) return std::nullopt;
  return XsdValue{type, *moved};
}

Maybe sum_of_durations(const XsdValue& a, const XsdDuration& b, XsdType b_type) {
  const auto sum = add_durations(a.duration(), b);
  if (!sum) return std::nullopt;
  return XsdValue{a.type == b_type ? a.type : XsdType::Duration, *sum};
}

// The decimal that the shortest text of the number says: 2.1e0 times two hours is 4 h 12 min, with
// nothing left over from the binary fraction.
template <typename Float>
std::optional<Decimal> shortest_decimal(Float value) {
  if (!std::isfinite(value)) return std::nullopt;
  std::array<char, 512> buffer;  // the longest, some 1e-308, takes 330
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  const auto length = static_cast<std::size_t>(end.ptr - buffer.data());
  return Decimal::parse({buffer.data(), length}, length);
}

// nullopt for NaN and the infinities.
std::optional<Decimal> finite_decimal(const XsdValue& number) {
  if (const auto* value = std::get_if<float>(&number.data)) return shortest_decimal(*value);
  if (const auto* value = std::get_if<double>(&number.data)) return shortest_decimal(*value);
  return as_decimal(number);
}

bool is_ordered_duration(XsdType type) {
  return type == XsdType::YearMonthDuration || type == XsdType::DayTimeDuration;
}

// Months or seconds, whichever the kind of duration counts.
Decimal size_of(const XsdValue& duration) {
  if (duration.type == XsdType::YearMonthDuration) {
    return {Integer{duration.duration().months}};
  }
  return seconds_of_duration(duration.duration());
}

// Months round to the nearest, halves up; seconds are cut at 18 digits.
Maybe duration_of_size(const Decimal& size, XsdType type) {
  if (type == XsdType::YearMonthDuration) {
    const auto months = size.rounded(Rounding::HalfUp).to_int64();
    if (!months) return std::nullopt;
    return XsdValue{type, XsdDuration{*months, 0, 0}};
  }
  const auto duration = duration_of_seconds(size);
  if (!duration) return std::nullopt;
  return XsdValue{type, *duration};
}

Maybe scale_duration(const XsdValue& duration, const XsdValue& number) {
  if (!is_ordered_duration(duration.type) || !is_numeric_type(number.type)) return std::nullopt;
  const auto factor = finite_decimal(number);
  if (!factor) return std::nullopt;
  return duration_of_size(size_of(duration) * *factor, duration.type);
}

Maybe divide_duration(const XsdValue& duration, const XsdValue& divisor,
                      const XsdContext& context) {
  if (!is_ordered_duration(duration.type)) return std::nullopt;
  if (divisor.type == duration.type) {
    const Decimal size = size_of(divisor);
    if (size.sign() == 0) return std::nullopt;
    return checked(size_of(duration).divided_by(size), context);
  }
  if (!is_numeric_type(divisor.type)) return std::nullopt;
  if (numeric_rank(divisor.type) >= 2 && std::isinf(as_double(divisor))) {
    return duration_of_size(Decimal{}, duration.type);
  }
  const auto factor = finite_decimal(divisor);
  if (!factor || factor->sign() == 0) return std::nullopt;
  return duration_of_size(size_of(duration).divided_by(*factor), duration.type);
}

template <typename Float>
Float round_half_up(Float value) {
  const Float below = std::floor(value);
  const Float rounded = value - below >= Float{0.5} ? below + 1 : below;
  return std::copysign(rounded, value);  // -0.2 is -0
}

template <typename Float>
Float round_floating(Float value, Rounding rounding) {
  if (rounding == Rounding::Floor) return std::floor(value);
  if (rounding == Rounding::Ceiling) return std::ceil(value);
  return std::isfinite(value) ? round_half_up(value) : value;
}

Maybe round_number(const XsdValue& value, Rounding rounding) {
  if (is_integer_type(value.type)) return XsdValue::integer(value.whole());
  switch (value.type) {
    case XsdType::Decimal:
      return XsdValue::decimal(std::get<Decimal>(value.data).rounded(rounding));
    case XsdType::Float:
      return XsdValue::single(round_floating(std::get<float>(value.data), rounding));
    case XsdType::Double:
      return XsdValue::real(round_floating(std::get<double>(value.data), rounding));
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<XsdValue> add_values(const XsdValue& a, const XsdValue& b,
                                   const XsdContext& context) {
  if (are_numeric(a, b)) return compute(Operator::Add, a, b, context);
  if (is_duration_type(b.type)) {
    if (is_temporal_type(a.type)) return move(a, b.duration(), b.type);
    if (is_duration_type(a.type)) return sum_of_durations(a, b.duration(), b.type);
  }
  if (is_duration_type(a.type) && is_temporal_type(b.type)) {
    return move(b, a.duration(), a.type);
  }
  return std::nullopt;
}

std::optional<XsdValue> subtract_values(const XsdValue& a, const XsdValue& b,
                                        const XsdContext& context) {
  if (are_numeric(a, b)) return compute(Operator::Subtract, a, b, context);
  if (is_duration_type(b.type)) {
    const auto negated = negate_duration(b.duration());
    if (!negated) return std::nullopt;
    if (is_temporal_type(a.type)) return move(a, *negated, b.type);
    if (is_duration_type(a.type)) return sum_of_durations(a, *negated, b.type);
    return std::nullopt;
  }
  if (operand_type(a.type) != operand_type(b.type) || !is_clock_type(a.type)) return std::nullopt;
  const auto difference = instant_difference(a.moment(), b.moment(), context.implicit_timezone);
  if (!difference) return std::nullopt;
  return XsdValue{XsdType::DayTimeDuration, *difference};
}

std::optional<XsdValue> multiply_values(const XsdValue& a, const XsdValue& b,
                                        const XsdContext& context) {
  if (are_numeric(a, b)) return compute(Operator::Multiply, a, b, context);
  if (is_duration_type(a.type)) return scale_duration(a, b);
  if (is_duration_type(b.type)) return scale_duration(b, a);
  return std::nullopt;
}

std::optional<XsdValue> divide_values(const XsdValue& a, const XsdValue& b,
                                      const XsdContext& context) {
  if (are_numeric(a, b)) return compute(Operator::Divide, a, b, context);
  if (is_duration_type(a.type)) return divide_duration(a, b, context);
  return std::nullopt;
}

std::optional<XsdValue> negate_value(const XsdValue& value) {
  if (is_integer_type(value.type)) return XsdValue::integer(-value.whole());
  if (is_duration_type(value.type)) {
    const auto negated = negate_duration(value.duration());
    if (!negated) return std::nullopt;
    return XsdValue{value.type, *negated};
  }
  switch (value.type) {
    case XsdType::Decimal:
      return XsdValue::decimal(-std::get<Decimal>(value.data));
    case XsdType::Float:
      return XsdValue::single(-std::get<float>(value.data));
    case XsdType::Double:
      return XsdValue::real(-std::get<double>(value.data));
    default:
      return std::nullopt;
  }
}

std::optional<XsdValue> abs_value(const XsdValue& value) {
  if (is_integer_type(value.type)) return XsdValue::integer(value.whole().abs());
  switch (value.type) {
    case XsdType::Decimal:
      return XsdValue::decimal(std::get<Decimal>(value.data).abs());
    case XsdType::Float:
      return XsdValue::single(std::fabs(std::get<float>(value.data)));
    case XsdType::Double:
      return XsdValue::real(std::fabs(std::get<double>(value.data)));
    default:
      return std::nullopt;
  }
}

std::optional<XsdValue> ceiling_value(const XsdValue& value) {
  return round_number(value, Rounding::Ceiling);
}
std::optional<XsdValue> floor_value(const XsdValue& value) {
  return round_number(value, Rounding::Floor);
}
std::optional<XsdValue> round_value(const XsdValue& value) {
  return round_number(value, Rounding::HalfUp);
}

}  // namespace helve::rdf
