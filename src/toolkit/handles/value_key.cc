#include "toolkit/handles/value_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>

#include "base/ascii.h"
#include "sources/rdf/xsd_float.h"
#include "sources/rdf/xsd_timeline.h"
#include "sources/rdf/xsd_value.h"

namespace helve::toolkit {

namespace {

using rdf::XsdType;
using rdf::XsdValue;

// Digits without zeros at either end, times ten to the power of the exponent.
struct Digits {
  bool is_negative = false;
  std::string digits;  // empty: zero
  std::int64_t exponent = 0;
};

// Of "-12.50" and of "1.25E1". REQUIRES: a number in the lexical form of XSD.
Digits digits_of(std::string_view text) {
  Digits number;
  if (text.starts_with('-') || text.starts_with('+')) {
    number.is_negative = text.front() == '-';
    text.remove_prefix(1);
  }
  const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
  if (mark < text.size()) {
    std::string_view power = text.substr(mark + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    std::from_chars(power.data(), power.data() + power.size(), number.exponent);
  }
  bool is_behind_point = false;
  for (const char c : text.substr(0, mark)) {
    if (c == '.') {
      is_behind_point = true;
      continue;
    }
    if (is_behind_point) --number.exponent;
    if (c != '0' || !number.digits.empty()) number.digits += c;
  }
  while (number.digits.ends_with('0')) {
    number.digits.pop_back();
    ++number.exponent;
  }
  return number;
}

std::string key_of(const Digits& number) {
  if (number.digits.empty()) return "n0";
  return fmt::format("n{}{}e{}", number.is_negative ? "-" : "", number.digits, number.exponent);
}

// Nothing where it is beyond all doubles.
std::optional<double> near_number(const std::string& key) {
  double number = 0;
  const char* const end = key.data() + key.size();
  const auto read = std::from_chars(key.data() + 1, end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

ValueKey number_key(const XsdValue& value, std::string_view lexical) {
  ValueKey key;
  std::string text(lexical);
  bool is_finite = true;
  if (const auto* const real = std::get_if<double>(&value.data)) {
    key.is_approximate = true;
    text = rdf::canonical_double(*real);
    is_finite = std::isfinite(*real);
  } else if (const auto* const single = std::get_if<float>(&value.data)) {
    key.is_approximate = key.is_single = true;
    text = rdf::canonical_float(*single);
    is_finite = std::isfinite(*single);
  }
  if (!is_finite) {
    key.exact = "n" + text;
    return key;
  }
  key.exact = key_of(digits_of(text));
  key.number = near_number(key.exact);
  return key;
}

// Without a value where the type has none of ours, or the form does not belong to it.
std::string other_key(const XsdValue& value, std::string_view lexical) {
  const XsdType type = rdf::operand_type(value.type);
  if (type == XsdType::Boolean) return value.truth() ? "o1" : "o0";
  if (rdf::is_temporal_type(type)) {
    const auto utc = rdf::adjust_timezone(value.moment(), std::int16_t{0}, type);
    return fmt::format("d{} {}", static_cast<int>(type),
                       rdf::canonical_datetime(utc.value_or(value.moment()), type));
  }
  if (rdf::is_duration_type(type)) return "u" + rdf::canonical_lexical(value);
  if (rdf::is_string_type(type)) return fmt::format("t{}", lexical);
  return fmt::format("v{} {}", static_cast<int>(type), rdf::canonical_lexical(value));
}

bool has_shape(std::string_view text, std::string_view shape) {
  return text.size() == shape.size() &&
         std::equal(text.begin(), text.end(), shape.begin(), [](char c, char wanted) {
           return wanted == '0' ? is_digit(c) : wanted == 'T' ? c == 'T' || c == ' ' : c == wanted;
         });
}

std::string text_key(std::string_view text) {
  std::optional<XsdType> type;
  if (has_shape(text, "0000-00-00")) type = XsdType::Date;
  if (has_shape(text, "0000-00-00T00:00:00")) type = XsdType::DateTime;
  if (type) {
    std::string form(text);
    if (*type == XsdType::DateTime) form[std::string_view("0000-00-00").size()] = 'T';
    if (const auto value = rdf::parse_xsd_value(form, *type)) return other_key(*value, form);
  }
  return fmt::format("t{}", text);
}

ValueKey literal_key(const rdf::TermView& term) {
  ValueKey key;
  if (!term.language.empty()) {
    key.exact = fmt::format("t{}", term.value);
    key.language = ascii_lower(term.language);
    return key;
  }
  if (term.datatype.empty()) {
    key.exact = text_key(term.value);
    return key;
  }
  const auto type = rdf::xsd_type_of_iri(term.datatype);
  const auto value =
      type ? rdf::parse_xsd_value(term.value, *type, rdf::XsdSpace::Reject) : std::nullopt;
  if (!value) {
    key.exact = fmt::format("x{} {}", term.datatype, term.value);
  } else if (rdf::is_numeric_type(*type)) {
    return number_key(*value, term.value);
  } else if (*type == XsdType::String) {
    key.exact = text_key(term.value);
  } else {
    key.exact = other_key(*value, term.value);
  }
  return key;
}

}  // namespace

bool are_close(double left, double right, bool is_single) {
  constexpr double kClose = 1e-12;
  constexpr double kCloseSingle = 1e-6;
  if (left == right) return true;
  if (std::trunc(left) == left && std::trunc(right) == right) return false;
  const double larger = std::max(std::abs(left), std::abs(right));
  return std::abs(left - right) <= larger * (is_single ? kCloseSingle : kClose);
}

ValueKey value_key(const rdf::TermView& term) {
  ValueKey key;
  if (term.is_literal()) {
    key = literal_key(term);
  } else {
    key.exact = fmt::format("{}{}", term.is_blank() ? 'b' : 'i', term.value);
  }
  return key;
}

}  // namespace helve::toolkit
