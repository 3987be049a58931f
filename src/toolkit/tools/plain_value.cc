#include "toolkit/tools/plain_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/redaction.h"

namespace helve::toolkit {

namespace {

constexpr std::string_view kXsd = "http://www.w3.org/2001/XMLSchema#";
constexpr std::array<std::string_view, 13> kWholeTypes = {
    "integer",         "int",          "long",
    "short",           "byte",         "nonNegativeInteger",
    "positiveInteger", "unsignedLong", "unsignedInt",
    "unsignedShort",   "unsignedByte", "nonPositiveInteger",
    "negativeInteger"};
// Python reads whole numbers of 4,300 digits and refuses longer ones.
constexpr std::size_t kDigitsMax = 1'000;

bool has_only(std::string_view text, std::string_view characters) {
  return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

// A number of XSD as JSON writes it: "+07." is 7. Empty: it is none.
std::string json_number(std::string_view lexical) {
  std::string out;
  if (lexical.starts_with('-') || lexical.starts_with('+')) {
    if (lexical.front() == '-') out = '-';
    lexical.remove_prefix(1);
  }
  const std::size_t exponent = std::min(lexical.find_first_of("eE"), lexical.size());
  const std::string_view mantissa = lexical.substr(0, exponent);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  std::string_view whole = mantissa.substr(0, point);
  const std::string_view fraction = mantissa.substr(std::min(point + 1, mantissa.size()));
  while (whole.size() > 1 && whole.front() == '0') whole.remove_prefix(1);
  constexpr std::string_view kDigits = "0123456789";
  if (whole.empty() && fraction.empty()) return {};
  if (!whole.empty() && !has_only(whole, kDigits)) return {};
  if (!fraction.empty() && !has_only(fraction, kDigits)) return {};
  out += whole.empty() ? "0" : whole;
  if (!fraction.empty()) out += fmt::format(".{}", fraction);
  return out + std::string(lexical.substr(exponent));
}

std::optional<JsonValue> whole_number(std::string_view lexical) {
  std::string digits = json_number(lexical);
  if (digits.empty() || digits.size() > kDigitsMax || !has_only(digits, "-0123456789")) {
    return std::nullopt;
  }
  if (digits == "-0") digits = "0";
  auto parsed = parse_json(digits);
  if (!parsed) return std::nullopt;
  const bool is_small = parsed->kind() == JsonKind::Int || parsed->kind() == JsonKind::UInt;
  return is_small ? *std::move(parsed) : JsonValue(JsonNumber{std::move(digits)});
}

// The nearest double: numbers of one column are of one type, however many digits they have.
std::optional<JsonValue> real_number(std::string_view lexical, bool is_decimal) {
  const std::string number = json_number(lexical);
  if (number.empty() || number.size() > kDigitsMax) return std::nullopt;
  if (is_decimal && number.find_first_of("eE") != std::string::npos) return std::nullopt;
  const auto parsed = parse_json(number);
  if (!parsed || !parsed->is_number()) return std::nullopt;
  const auto real = parsed->to_double();
  if (!real || !std::isfinite(*real)) return std::nullopt;
  return JsonValue(*real);
}

std::optional<JsonValue> typed_value(const rdf::TermView& literal) {
  if (!literal.datatype.starts_with(kXsd)) return std::nullopt;
  const std::string_view type = literal.datatype.substr(kXsd.size());
  const std::string_view lexical = literal.value;
  if (type == "boolean") {
    if (lexical == "true" || lexical == "1") return JsonValue(true);
    if (lexical == "false" || lexical == "0") return JsonValue(false);
    return std::nullopt;
  }
  if (std::find(kWholeTypes.begin(), kWholeTypes.end(), type) != kWholeTypes.end()) {
    return whole_number(lexical);
  }
  if (type == "decimal") return real_number(lexical, true);
  if (type == "double" || type == "float") return real_number(lexical, false);
  return std::nullopt;
}

JsonValue list_value(const ReplyValue::List& items) {
  JsonValue::Array out;
  out.reserve(items.size());
  for (const ReplyValue& item : items) out.push_back(plain_value(item));
  return JsonValue(std::move(out));
}

JsonValue members_value(const ReplyValue::Members& members) {
  JsonValue::Object out;
  out.reserve(members.size());
  for (const auto& [key, value] : members) out.push_back({key, plain_value(value)});
  return JsonValue(std::move(out));
}

}  // namespace

JsonValue plain_text(std::string_view text) {
  std::string out(text);
  redact_known(out);
  return JsonValue(std::move(out));
}

JsonValue plain_value(const rdf::TermView& term) {
  if (term.is_blank()) return plain_text(fmt::format("_:{}", term.value));
  if (term.is_literal()) {
    if (auto typed = typed_value(term)) return *std::move(typed);
  }
  return plain_text(term.value);
}

JsonValue plain_value(const ReplyValue& value) {
  if (const auto* term = value.if_is<rdf::Term>()) return plain_value(term->view());
  if (const auto* text = value.if_is<std::string>()) return plain_text(*text);
  if (const auto* flag = value.if_is<bool>()) return JsonValue(*flag);
  if (const auto* number = value.if_is<std::int64_t>()) return JsonValue(*number);
  if (const auto* number = value.if_is<std::uint64_t>()) return JsonValue(*number);
  if (const auto* number = value.if_is<double>()) {
    return std::isfinite(*number) ? JsonValue(*number) : JsonValue();
  }
  if (const auto* items = value.if_is<ReplyValue::List>()) return list_value(*items);
  if (const auto* members = value.if_is<ReplyValue::Members>()) return members_value(*members);
  return {};
}

}  // namespace helve::toolkit
