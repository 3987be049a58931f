#include "toolkit/sql/sql_value.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <functional>

#include "base/ascii.h"
#include "sources/rdf/xsd_type.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kDecimalDigitsMax = 15;  // every such decimal has a double of its own

enum class NumberType : std::uint8_t { None, Integer, Decimal, Double, Truth };

NumberType number_type(const rdf::TermView& term) {
  const auto type = term.is_literal() ? rdf::xsd_type_of_iri(term.datatype) : std::nullopt;
  if (type == rdf::XsdType::Boolean) return NumberType::Truth;
  if (!type || !rdf::is_numeric_type(*type)) return NumberType::None;
  if (rdf::is_integer_type(*type)) return NumberType::Integer;
  return *type == rdf::XsdType::Decimal ? NumberType::Decimal : NumberType::Double;
}

// from_chars does not take a plus.
std::string_view without_plus(std::string_view text) {
  const bool has_plus = text.size() > 1 && text[0] == '+' && (is_digit(text[1]) || text[1] == '.');
  return has_plus ? text.substr(1) : text;
}

template <typename Number>
std::optional<Number> parse(std::string_view text) {
  text = without_plus(text);
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Digits that count, or more than kDecimalDigitsMax where it is no plain decimal.
std::size_t digits_of(std::string_view text) {
  std::string_view rest = without_plus(text);
  if (rest.starts_with('-')) rest.remove_prefix(1);
  if (rest.find('.') != std::string_view::npos) {
    while (rest.ends_with('0')) rest.remove_suffix(1);
  }
  std::size_t digits = 0;
  bool has_point = false;
  for (const char c : rest) {
    if (c == '.' && !has_point) {
      has_point = true;
    } else if (!is_digit(c)) {
      return kDecimalDigitsMax + 1;
    } else if (digits > 0 || c != '0') {
      ++digits;
    }
  }
  return digits;
}

std::optional<double> real_of(std::string_view text) {
  if (text == "INF" || text == "+INF") return HUGE_VAL;
  if (text == "-INF") return -HUGE_VAL;
  const auto number = parse<double>(text);
  if (!number || !std::isfinite(*number))
    return std::nullopt;  // "nan" and "infinity" are no lexical forms
  return number;
}

// Integers are told apart exactly; other numbers as far as all ways to read their digits agree.
SqlKey key_of_number(double number) {
  constexpr double kIntegersEnd = 9223372036854775808.0;
  if (number >= -kIntegersEnd && number < kIntegersEnd && std::trunc(number) == number) {
    return {
        SqlKey::Kind::Integer, static_cast<std::uint64_t>(static_cast<std::int64_t>(number)), {}};
  }
  return {SqlKey::Kind::Real, std::bit_cast<std::uint32_t>(static_cast<float>(number)), {}};
}

// As SQLite reads numbers in texts: blanks around them do not count.
std::optional<SqlKey> key_of_number_in(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const std::size_t start = text.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return std::nullopt;
  text = text.substr(start, text.find_last_not_of(kBlanks) - start + 1);
  if (text.find_first_not_of("+-.0123456789eE") != std::string_view::npos) return std::nullopt;
  if (const auto number = parse<std::int64_t>(text)) {
    return SqlKey{SqlKey::Kind::Integer, static_cast<std::uint64_t>(*number), {}};
  }
  if (const auto number = parse<double>(text)) return key_of_number(*number);
  return std::nullopt;
}

}  // namespace

bool is_number_term(const rdf::TermView& term) { return number_type(term) != NumberType::None; }

bool is_long_number(const rdf::TermView& term) {
  const NumberType type = number_type(term);
  if (type == NumberType::Integer && parse<std::int64_t>(term.value)) return false;
  if (type != NumberType::Integer && type != NumberType::Decimal) return false;
  return digits_of(term.value) > kDecimalDigitsMax && real_of(term.value).has_value();
}

std::string plain_digits(std::string_view number) {
  number = without_plus(number);
  const bool is_negative = number.starts_with('-');
  if (is_negative) number.remove_prefix(1);
  while (number.starts_with('0')) number.remove_prefix(1);
  if (number.find('.') != std::string_view::npos) {
    while (number.ends_with('0')) number.remove_suffix(1);
    if (number.ends_with('.')) number.remove_suffix(1);
  }
  return (is_negative && !number.empty() ? "-" : "") + std::string(number);
}

sqlite::Value sql_value(const rdf::TermView& term, std::string& blank, LongNumbers long_numbers) {
  if (term.is_blank()) {
    blank = "_:";
    blank += term.value;
    return std::string_view(blank);
  }
  switch (number_type(term)) {
    case NumberType::Integer:
      if (const auto number = parse<std::int64_t>(term.value)) return *number;
      [[fallthrough]];
    case NumberType::Decimal:
      if (digits_of(term.value) > kDecimalDigitsMax &&
          (long_numbers == LongNumbers::AsTexts || !is_long_number(term))) {
        break;
      }
      if (const auto number = parse<double>(term.value)) return *number;
      break;
    case NumberType::Double:
      if (const auto number = real_of(term.value)) return *number;
      break;
    case NumberType::Truth:
      if (term.value == "true" || term.value == "1") return std::int64_t{1};
      if (term.value == "false" || term.value == "0") return std::int64_t{0};
      break;
    case NumberType::None:
      break;
  }
  return term.value;
}

SqlKey comparison_key(const sqlite::Value& value) {
  if (std::holds_alternative<std::int64_t>(value)) return exact_key(value);
  if (const auto* number = std::get_if<double>(&value)) return key_of_number(*number);
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    if (const auto number = key_of_number_in(*text)) return *number;
    return {SqlKey::Kind::Text, 0, *text};
  }
  return {};
}

SqlKey exact_key(const sqlite::Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    return {SqlKey::Kind::Integer, static_cast<std::uint64_t>(*number), {}};
  }
  if (const auto* number = std::get_if<double>(&value)) {
    return {SqlKey::Kind::Real, std::bit_cast<std::uint64_t>(*number), {}};
  }
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    return {SqlKey::Kind::Text, 0, *text};
  }
  return {};
}

std::size_t SqlKeyHash::operator()(const SqlKey& key) const {
  return std::hash<std::string_view>()(key.text) ^ std::hash<std::uint64_t>()(key.number * 31) ^
         static_cast<std::size_t>(key.kind);
}

}  // namespace helve::toolkit
