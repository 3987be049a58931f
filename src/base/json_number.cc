// Choosing the representation of a number: the first of int64, uint64 and double that keeps every
// digit, else the text.
#include "base/json_number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>

namespace helve {

namespace {

// A decimal number as 0.DIGITS * 10^exponent, without zeros at either end; zero has no digits.
struct Decimal {
  std::string digits;
  long exponent = 0;

  friend bool operator==(const Decimal&, const Decimal&) = default;
};

// REQUIRES: a JSON number whose exponent fits (which reading it as a finite double has shown).
Decimal normalise(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  long exponent = 0;
  if (e < text.size()) {
    std::string_view power = text.substr(e + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    std::from_chars(power.data(), power.data() + power.size(), exponent);
  }
  const std::string_view mantissa = text.substr(0, e);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  Decimal decimal;
  decimal.digits = mantissa.substr(0, point);
  if (point < mantissa.size()) decimal.digits += mantissa.substr(point + 1);
  decimal.exponent = exponent + static_cast<long>(point);
  const std::size_t zeros = std::min(decimal.digits.find_first_not_of('0'), decimal.digits.size());
  decimal.digits.erase(0, zeros);
  decimal.exponent -= static_cast<long>(zeros);
  decimal.digits.erase(decimal.digits.find_last_not_of('0') + 1);  // npos + 1 == 0
  if (decimal.digits.empty()) decimal.exponent = 0;
  return decimal;
}

bool keeps_every_digit(std::string_view text, double number) {
  // 15 significant digits survive the way through a normal double.
  constexpr std::size_t kSafeChars = 15;
  if (text.size() <= kSafeChars && (number == 0 || std::isnormal(number))) return true;
  std::array<char, 32> shortest{};
  const auto end = std::to_chars(shortest.data(), shortest.data() + shortest.size(), number).ptr;
  return normalise(text) ==
         normalise({shortest.data(), static_cast<std::size_t>(end - shortest.data())});
}

}  // namespace

JsonValue json_number_value(std::string_view text) {
  const char* end = text.data() + text.size();
  if (text.find_first_of(".eE") == std::string_view::npos && text != "-0") {
    std::int64_t whole = 0;
    if (std::from_chars(text.data(), end, whole).ec == std::errc()) return JsonValue(whole);
    std::uint64_t natural = 0;
    if (text[0] != '-' && std::from_chars(text.data(), end, natural).ec == std::errc()) {
      return JsonValue(natural);
    }
  }
  double number = 0;
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec == std::errc() && std::isfinite(number) && keeps_every_digit(text, number)) {
    return JsonValue(number);
  }
  return JsonValue(JsonNumber{std::string(text)});
}

}  // namespace helve
