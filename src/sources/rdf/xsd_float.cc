#include "sources/rdf/xsd_float.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <system_error>

#include "base/ascii.h"

namespace helve::rdf {

namespace {

// Moves `at` behind the digits there and returns how many there were.
std::size_t count_digits(std::string_view text, std::size_t& at) {
  const std::size_t begin = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  return at - begin;
}

// numericalRep without its sign: ([0-9]+(\.[0-9]*)?|\.[0-9]+)([Ee][+-]?[0-9]+)?
bool is_numeral(std::string_view text) {
  std::size_t at = 0;
  std::size_t digits = count_digits(text, at);
  if (at < text.size() && text[at] == '.') {
    ++at;
    digits += count_digits(text, at);
  }
  if (digits == 0) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (count_digits(text, at) == 0) return false;
  }
  return at == text.size();
}

// Whether an unsigned numeral that no finite number is near enough to is too large (and not too
// small): where its first digit other than zero stands.
bool is_huge(std::string_view numeral) {
  const std::size_t exponent_at = std::min(numeral.find_first_of("eE"), numeral.size());
  const std::string_view digits = numeral.substr(0, exponent_at);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = std::min(digits.find_first_not_of("0."), digits.size());
  std::int64_t magnitude = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  if (exponent_at < numeral.size()) {
    std::string_view exponent = numeral.substr(exponent_at + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    std::int64_t value = 0;
    const auto result = std::from_chars(exponent.data(), exponent.data() + exponent.size(), value);
    // No text is long enough to make up for an exponent of more than 64 bits.
    if (result.ec != std::errc{}) return !exponent.starts_with('-');
    if (__builtin_add_overflow(magnitude, value, &magnitude)) return value > 0;
  }
  return magnitude > 0;
}

template <typename Float>
std::optional<Float> parse(std::string_view text) {
  if (text == "NaN") return std::numeric_limits<Float>::quiet_NaN();
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  Float value = 0;
  if (text == "INF") {
    value = std::numeric_limits<Float>::infinity();
  } else {
    if (!is_numeral(text)) return std::nullopt;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec == std::errc::result_out_of_range) {
      value = is_huge(text) ? std::numeric_limits<Float>::infinity() : Float{0};
    }
  }
  return negative ? -value : value;
}

template <typename Float>
std::optional<std::string> special_form(Float value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-INF" : "INF";
  return std::nullopt;
}

template <typename Float>
std::string canonical(Float value) {
  if (auto special = special_form(value)) return *std::move(special);
  std::array<char, 48> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                    std::chars_format::scientific);
  // "1e+00" or "1.5e-07": XSD wants a point, no "+", no leading zeros in the exponent.
  const std::string_view text(buffer.data(), static_cast<std::size_t>(result.ptr - buffer.data()));
  const std::size_t e = text.find('e');
  std::string out(text.substr(0, e));
  if (out.find('.') == std::string::npos) out += ".0";
  out += 'E';
  std::string_view exponent = text.substr(e + 1);
  if (exponent[0] == '-') out += '-';
  exponent.remove_prefix(1);
  exponent.remove_prefix(std::min(exponent.find_first_not_of('0'), exponent.size() - 1));
  out += exponent;
  return out;
}

template <typename Float>
std::string cast_to_string(Float value) {
  const Float size = std::fabs(value);
  const bool plain = size == 0 || (size >= static_cast<Float>(1e-6) && size < Float{1'000'000});
  if (!plain) return canonical(value);
  std::array<char, 48> buffer;
  const auto result =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  return {buffer.data(), result.ptr};
}

}  // namespace

std::optional<double> parse_xsd_double(std::string_view text) { return parse<double>(text); }
std::optional<float> parse_xsd_float(std::string_view text) { return parse<float>(text); }
std::string canonical_double(double value) { return canonical(value); }
std::string canonical_float(float value) { return canonical(value); }
std::string cast_double_to_string(double value) { return cast_to_string(value); }
std::string cast_float_to_string(float value) { return cast_to_string(value); }

}  // namespace helve::rdf
