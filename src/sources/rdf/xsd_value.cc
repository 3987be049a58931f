#include "sources/rdf/xsd_value.h"

#include <limits>

#include "base/ascii.h"
#include "sources/rdf/xsd_float.h"
#include "sources/rdf/xsd_text.h"

namespace helve::rdf {

namespace {

template <typename Part>
std::optional<XsdValue> with_type(XsdType type, std::optional<Part> part) {
  if (!part) return std::nullopt;
  return XsdValue{type, XsdValue::Data(*std::move(part))};
}

std::optional<XsdValue> parse_text(std::string_view lexical, XsdType type, XsdSpace space) {
  std::string text;
  if (type == XsdType::String || space == XsdSpace::Reject) {
    text = lexical;
  } else if (type == XsdType::NormalizedString) {
    text = replace_xml_space(lexical);
  } else {
    text = collapse_xml_space(lexical);
  }
  const XsdType facet = type == XsdType::AnyUri ? XsdType::Token : type;
  if (!is_in_string_type(text, facet)) return std::nullopt;
  return XsdValue{type, std::move(text)};
}

std::optional<bool> parse_boolean(std::string_view text) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return std::nullopt;
}

std::optional<XsdValue> parse_integer(std::string_view text, XsdType type, std::size_t digits_max) {
  auto value = Integer::parse(text, digits_max);
  if (!value || !is_in_range(*value, type)) return std::nullopt;
  return XsdValue{type, *std::move(value)};
}

struct Range {
  std::optional<std::int64_t> least;
  std::optional<std::int64_t> greatest;
};

// Not for UnsignedLong, whose end is outside.
Range range_of(XsdType type) {
  switch (type) {
    case XsdType::NonPositiveInteger:
      return {{}, 0};
    case XsdType::NegativeInteger:
      return {{}, -1};
    case XsdType::NonNegativeInteger:
      return {0, {}};
    case XsdType::PositiveInteger:
      return {1, {}};
    case XsdType::Long:
      return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
    case XsdType::Int:
      return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    case XsdType::Short:
      return {std::numeric_limits<std::int16_t>::min(), std::numeric_limits<std::int16_t>::max()};
    case XsdType::Byte:
      return {std::numeric_limits<std::int8_t>::min(), std::numeric_limits<std::int8_t>::max()};
    case XsdType::UnsignedInt:
      return {0, std::numeric_limits<std::uint32_t>::max()};
    case XsdType::UnsignedShort:
      return {0, std::numeric_limits<std::uint16_t>::max()};
    case XsdType::UnsignedByte:
      return {0, std::numeric_limits<std::uint8_t>::max()};
    default:
      return {};
  }
}

}  // namespace

bool is_in_range(const Integer& value, XsdType type) {
  if (type == XsdType::Integer) return true;
  if (type == XsdType::UnsignedLong) {
    static const Integer end = Integer{std::int64_t{1} << 32}.times_power_of_two(32);
    return value.sign() >= 0 && value < end;
  }
  const Range range = range_of(type);
  return (!range.least || value >= Integer{*range.least}) &&
         (!range.greatest || value <= Integer{*range.greatest});
}

std::optional<XsdValue> parse_xsd_value(std::string_view lexical, XsdType type, XsdSpace space,
                                        const XsdContext& context) {
  if (is_string_type(type) || type == XsdType::AnyUri) return parse_text(lexical, type, space);
  const std::string_view text = trimmed(lexical);
  if (space == XsdSpace::Reject && text.size() != lexical.size()) return std::nullopt;
  if (is_integer_type(type)) return parse_integer(text, type, context.digits_max);
  if (is_temporal_type(type)) return with_type(type, parse_datetime(text, type));
  if (is_duration_type(type)) return with_type(type, parse_duration(text, type));
  switch (type) {
    case XsdType::Boolean:
      return with_type(type, parse_boolean(text));
    case XsdType::Decimal:
      return with_type(type, Decimal::parse(text, context.digits_max));
    case XsdType::Float:
      return with_type(type, parse_xsd_float(text));
    case XsdType::Double:
      return with_type(type, parse_xsd_double(text));
    case XsdType::HexBinary:
      return with_type(type, decode_hex(text));
    default:  // Base64Binary
      if (space == XsdSpace::Reject) return with_type(type, decode_base64(text));
      return with_type(type, decode_base64(collapse_xml_space(text)));
  }
}

std::string canonical_lexical(const XsdValue& value) {
  const XsdType type = value.type;
  if (is_integer_type(type)) return value.whole().to_string();
  if (is_temporal_type(type)) return canonical_datetime(value.moment(), type);
  if (is_duration_type(type)) return canonical_duration(value.duration(), type);
  switch (type) {
    case XsdType::Boolean:
      return value.truth() ? "true" : "false";
    case XsdType::Decimal:
      return std::get<Decimal>(value.data).to_string();
    case XsdType::Float:
      return canonical_float(std::get<float>(value.data));
    case XsdType::Double:
      return canonical_double(std::get<double>(value.data));
    case XsdType::HexBinary:
      return encode_hex(value.text());
    case XsdType::Base64Binary:
      return encode_base64(value.text());
    default:
      return value.text();
  }
}

int numeric_rank(XsdType type) {
  if (type == XsdType::Double) return 3;
  if (type == XsdType::Float) return 2;
  return type == XsdType::Decimal ? 1 : 0;
}

Decimal as_decimal(const XsdValue& value) {
  if (const auto* whole = std::get_if<Integer>(&value.data)) return {*whole};
  return std::get<Decimal>(value.data);
}

float as_float(const XsdValue& value) {
  if (const auto* number = std::get_if<float>(&value.data)) return *number;
  return as_decimal(value).to_float();
}

double as_double(const XsdValue& value) {
  if (const auto* number = std::get_if<double>(&value.data)) return *number;
  if (const auto* number = std::get_if<float>(&value.data)) return double{*number};
  if (const auto* whole = std::get_if<Integer>(&value.data)) return whole->to_double();
  return std::get<Decimal>(value.data).to_double();
}

}  // namespace helve::rdf
