#include "toolkit/tools/argument_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/ascii.h"
#include "base/text.h"
#include "toolkit/tools/nearest_name.h"
#include "toolkit/tools/shown_text.h"

namespace helve::toolkit {

namespace {

using Warnings = std::vector<std::string>;
using Read = Result<std::optional<Arguments::Value>>;

constexpr std::size_t kBriefChars = 60;
constexpr std::size_t kUnwrappingMax = 4;  // lists and objects around what is meant
constexpr double kSecondsMax = 1e9;

std::string_view json_kind_name(const JsonValue& value) {
  constexpr std::array<std::string_view, 9> kNames = {"null",     "a boolean", "a number",
                                                      "a number", "a number",  "a number",
                                                      "a text",   "a list",    "an object"};
  return kNames.at(static_cast<std::size_t>(value.kind()));
}

Error mismatch(const Parameter& parameter, const JsonValue& given, std::string_view expected,
               std::string_view example) {
  return {ErrorCode::InvalidInput,
          fmt::format("{} is {}: {}; expected {}", parameter.name, json_kind_name(given),
                      brief_json(given), expected),
          fmt::format("write {}={}", parameter.name, example)};
}

bool is_word_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// A number that is written as a text: "10", "10.0", "1,000".
std::optional<JsonValue> number_in(std::string_view text) {
  std::string digits;
  for (const char c : trimmed(text)) {
    if (c != ',' && c != '_') digits += c;
    if (digits.size() > 400) return std::nullopt;
  }
  if (digits.starts_with('+')) digits.erase(0, 1);
  auto value = parse_json(digits);
  if (!value || !value->is_number()) return std::nullopt;
  return *std::move(value);
}

// The number brought into the range of its parameter.
std::int64_t clamped(const Parameter& parameter, double number, std::int64_t exact,
                     std::string_view unit, Warnings& warnings) {
  const bool is_low = number < static_cast<double>(parameter.min) || exact < parameter.min;
  const bool is_high = number > static_cast<double>(parameter.max) || exact > parameter.max;
  if (!is_low && !is_high) return exact;
  const std::int64_t bound = is_low ? parameter.min : parameter.max;
  warnings.push_back(fmt::format("{}={:.15g}{} is {} {}{}; {}{} is used", parameter.name, number,
                                 unit, is_low ? "below" : "above", bound, unit, bound, unit));
  return bound;
}

Read read_integer(const Parameter& parameter, const JsonValue& given, Warnings& warnings) {
  JsonValue number = given;
  if (const std::string* text = given.if_string()) {
    const std::string word = folded_name(trimmed(*text));
    if (is_word_of(word, {"", "none", "null", "default"})) return std::optional<Arguments::Value>();
    if (is_word_of(word, {"all", "max", "unlimited", "inf", "infinity"}) &&
        parameter.max != INT64_MAX) {
      warnings.push_back(
          fmt::format("{}={} was read as the most, {}", parameter.name, word, parameter.max));
      return Arguments::Value(parameter.max);
    }
    auto read = number_in(*text);
    if (!read) return mismatch(parameter, given, "a whole number", "10");
    number = *std::move(read);
  }
  if (!number.is_number()) return mismatch(parameter, given, "a whole number", "10");
  const auto value = number.to_double();
  double as_double = value ? *value : (brief_json(number).starts_with('-') ? -1e300 : 1e300);
  std::int64_t exact = 0;
  if (const auto whole = number.to_int64()) {
    exact = *whole;
  } else if (std::abs(as_double) < 9e18) {
    exact = static_cast<std::int64_t>(as_double);
    if (std::trunc(as_double) != as_double) {
      warnings.push_back(fmt::format("{}={} is no whole number; it was read as {}", parameter.name,
                                     brief_json(number), exact));
      as_double = std::trunc(as_double);
    }
  } else {
    exact = as_double < 0 ? INT64_MIN : INT64_MAX;
  }
  return Arguments::Value(clamped(parameter, as_double, exact, "", warnings));
}

Read read_boolean(const Parameter& parameter, const JsonValue& given) {
  if (const bool* truth = given.if_bool()) return Arguments::Value(*truth);
  std::string word;
  if (const std::string* text = given.if_string()) word = folded_name(trimmed(*text));
  if (const auto number = given.to_int64()) word = std::to_string(*number);
  if (is_word_of(word, {"true", "1", "yes", "on", "y", "t"})) return Arguments::Value(true);
  if (is_word_of(word, {"false", "0", "no", "off", "n", "f"})) return Arguments::Value(false);
  return mismatch(parameter, given, "true or false", "true");
}

Read read_choice(const Parameter& parameter, const JsonValue& given) {
  const std::string* text = given.if_string();
  std::string listed;
  for (const std::string& choice : parameter.choices) {
    listed += (listed.empty() ? "" : ", ") + choice;
  }
  if (text == nullptr) {
    return mismatch(parameter, given, "one of " + listed, parameter.choices.front());
  }
  const std::string word = folded_name(trimmed(*text));
  for (const std::string& choice : parameter.choices) {
    if (folded_name(choice) == word) return Arguments::Value(choice);
  }
  const std::vector<std::string_view> choices(parameter.choices.begin(), parameter.choices.end());
  return Error(ErrorCode::InvalidInput,
               fmt::format("{} is \"{}\", which is none of {}{}", parameter.name, brief_text(*text),
                           listed, did_you_mean(word, choices)),
               fmt::format("write {}={}", parameter.name, parameter.choices.front()));
}

// Seconds in "30", "30s", "500 ms", "2 min", "1h".
std::optional<double> seconds_in(std::string_view text) {
  text = trimmed(text);
  double amount = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), amount);
  if (problem != std::errc() || !std::isfinite(amount)) return std::nullopt;
  const std::string unit =
      folded_name(trimmed(text.substr(static_cast<std::size_t>(end - text.data()))));
  if (is_word_of(unit, {"", "s", "sec", "secs", "second", "seconds"})) return amount;
  if (is_word_of(unit, {"ms", "msec", "millisecond", "milliseconds"})) return amount / 1e3;
  if (is_word_of(unit, {"us", "microsecond", "microseconds"})) return amount / 1e6;
  if (is_word_of(unit, {"m", "min", "mins", "minute", "minutes"})) return amount * 60;
  if (is_word_of(unit, {"h", "hour", "hours"})) return amount * 3'600;
  return std::nullopt;
}

Read read_seconds(const Parameter& parameter, const JsonValue& given, Warnings& warnings) {
  std::optional<double> seconds;
  if (const std::string* text = given.if_string()) {
    if (is_word_of(folded_name(trimmed(*text)), {"", "none", "null", "default"})) {
      return std::optional<Arguments::Value>();
    }
    seconds = seconds_in(*text);
  } else if (given.is_number()) {
    seconds = given.to_double().value_or(kSecondsMax);
  }
  if (!seconds) {
    return mismatch(parameter, given, "a number of seconds or a text like \"500 ms\"", "30");
  }
  if (*seconds <= 0) {
    warnings.push_back(fmt::format("{}={:.15g} s is no time to run in; the default is used",
                                   parameter.name, *seconds));
    return std::optional<Arguments::Value>();
  }
  const double amount = std::clamp(*seconds, -kSecondsMax, kSecondsMax);
  const auto low = static_cast<double>(parameter.min);
  const auto high = std::min(static_cast<double>(parameter.max), kSecondsMax);
  double used = amount;
  if (amount < low || amount > high) {
    used = std::clamp(amount, low, high);
    warnings.push_back(fmt::format("{}={:.15g} s is {} {:.15g} s; {:.15g} s is used",
                                   parameter.name, *seconds, amount < low ? "below" : "above", used,
                                   used));
  }
  return Arguments::Value(Duration(static_cast<std::int64_t>(std::llround(used * 1e9))));
}

// results_0 of "@results_0", "Ref('results_0', ...)", "'results_0'".
std::string key_in(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with("Ref(")) {
    text.remove_prefix(4);
    text = trimmed(text.substr(0, text.find_first_of(",)")));
    if (text.starts_with("key=")) text.remove_prefix(4);
  }
  if (text.starts_with('@')) text.remove_prefix(1);
  if (text.size() >= 2 && (text[0] == '\'' || text[0] == '"') && text.back() == text[0]) {
    text = text.substr(1, text.size() - 2);
  }
  return std::string(trimmed(text));
}

// Where the attribute of a handle begins: the dot of "results_0.rows". npos where there is none,
// and in addresses of cells, "results_0[3].name".
std::size_t attribute_of(std::string_view key) {
  const std::size_t dot = key.find('.');
  const auto is_word = [](std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(),
                                        [](char c) { return is_letter_or_digit(c) || c == '_'; });
  };
  const bool is_attribute = dot != std::string_view::npos && is_word(key.substr(0, dot)) &&
                            is_word(key.substr(dot + 1)) &&
                            key.substr(0, dot).find('_') != std::string_view::npos;
  return is_attribute ? dot : std::string_view::npos;
}

Read read_handle(const Parameter& parameter, const JsonValue& given, Warnings& warnings) {
  const JsonValue* value = &given;
  for (std::size_t i = 0; i < kUnwrappingMax; ++i) {
    if (const auto* list = value->if_array(); list != nullptr && list->size() == 1) {
      value = &list->front();
    } else if (value->if_object() != nullptr) {
      const JsonValue* inside = nullptr;
      for (const char* name : {"key", "ref", "result", "handle"}) {
        if (inside == nullptr) inside = value->find(name);
      }
      if (inside == nullptr) break;
      value = inside;
    } else {
      break;
    }
  }
  if (value->is_null()) return std::optional<Arguments::Value>();
  const std::string* text = value->if_string();
  if (text == nullptr) {
    return mismatch(parameter, given, "the key of one handle", "results_0");
  }
  std::string key = key_in(*text);
  if (key.empty()) return std::optional<Arguments::Value>();
  if (const std::size_t dot = attribute_of(key); dot != std::string::npos) {
    warnings.push_back(fmt::format("{}={} was read as the whole of {}", parameter.name,
                                   brief_text(key), brief_text(key.substr(0, dot))));
    key.resize(dot);
  }
  return Arguments::Value(std::move(key));
}

// The text of a scalar, and of what holds just one.
std::optional<std::string> text_of(const Parameter& parameter, const JsonValue& given,
                                   Warnings& warnings) {
  if (const std::string* text = given.if_string()) return *text;
  if (given.is_number() || given.kind() == JsonKind::Bool) {
    warnings.push_back(fmt::format("{}: {} was read as a text", parameter.name, brief_json(given)));
    return to_json(given);
  }
  const JsonValue* inside = nullptr;
  if (const auto* list = given.if_array(); list != nullptr && list->size() == 1) {
    inside = &list->front();
  }
  for (const char* name : {"value", "uri", "iri", "key"}) {
    if (inside == nullptr) inside = given.find(name);
  }
  if (inside == nullptr || inside->if_string() == nullptr) return std::nullopt;
  warnings.push_back(fmt::format("{}: of {} the text {} was taken", parameter.name,
                                 json_kind_name(given), brief_json(*inside)));
  return *inside->if_string();
}

Read read_text(const Parameter& parameter, const JsonValue& given, Warnings& warnings) {
  auto text = text_of(parameter, given, warnings);
  if (!text) return mismatch(parameter, given, "a text", "\"...\"");
  if (parameter.is_required && trimmed(*text).empty()) return std::optional<Arguments::Value>();
  return Arguments::Value(*std::move(text));
}

Read read_texts(const Parameter& parameter, const JsonValue& given, Warnings& warnings) {
  std::vector<std::string> texts;
  if (const auto* list = given.if_array()) {
    for (const JsonValue& item : *list) {
      if (item.is_null()) continue;
      auto text = text_of(parameter, item, warnings);
      if (!text) return mismatch(parameter, item, "a list of texts", "[\"a\",\"b\"]");
      texts.push_back(*std::move(text));
    }
  } else if (const std::string* text = given.if_string()) {
    if (trimmed(*text).starts_with('[')) {
      const auto parsed = parse_json(*text);
      if (parsed && parsed->if_array()) return read_texts(parameter, *parsed, warnings);
    }
    for (std::string_view rest = *text; !rest.empty();) {
      const std::size_t comma = rest.find(',');
      if (const auto word = trimmed(rest.substr(0, comma)); !word.empty()) texts.emplace_back(word);
      rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    }
  } else {
    auto one = text_of(parameter, given, warnings);
    if (!one) return mismatch(parameter, given, "a list of texts", "[\"a\",\"b\"]");
    texts.push_back(*std::move(one));
  }
  if (texts.empty()) return std::optional<Arguments::Value>();
  return Arguments::Value(std::move(texts));
}

Read read_json(const Parameter& parameter, const JsonValue& given) {
  if (const std::string* text = given.if_string()) {
    const std::string_view start = trimmed(*text);
    if (start.starts_with('{') || start.starts_with('[')) {
      if (auto parsed = parse_json(*text)) return Arguments::Value(*std::move(parsed));
    }
  }
  if (parameter.type != ParameterType::Object || given.if_object()) return Arguments::Value(given);
  return mismatch(parameter, given, "an object", "{\"name\":\"value\"}");
}

}  // namespace

std::string brief_text(std::string_view text) {
  std::string out;
  const ShownPart part = append_shown(out, text, Spelling::Plain, ReplyForm::Text, kBriefChars);
  if (part.bytes < text.size()) out += "…";
  return out;
}

std::string brief_json(const JsonValue& value) {
  if (const std::string* text = value.if_string()) return "\"" + brief_text(*text) + "\"";
  if (const auto* list = value.if_array()) return fmt::format("[{} items]", list->size());
  if (const auto* object = value.if_object()) return fmt::format("{{{} members}}", object->size());
  return brief_text(to_json(value));
}

Result<std::optional<Arguments::Value>> read_argument(const Parameter& parameter,
                                                      const JsonValue& given,
                                                      std::vector<std::string>& warnings) {
  if (given.is_null()) return std::optional<Arguments::Value>();
  const auto* list = given.if_array();
  if (list != nullptr && list->empty() && parameter.type != ParameterType::Json) {
    return std::optional<Arguments::Value>();
  }
  switch (parameter.type) {
    case ParameterType::Handle:
      return read_handle(parameter, given, warnings);
    case ParameterType::Text:
      return read_text(parameter, given, warnings);
    case ParameterType::Texts:
      return read_texts(parameter, given, warnings);
    case ParameterType::Object:
    case ParameterType::Json:
    case ParameterType::Values:
      return read_json(parameter, given);
    default:
      break;
  }
  // A list around one number, word or truth.
  const JsonValue& one = list != nullptr && list->size() == 1 ? list->front() : given;
  if (one.is_null()) return std::optional<Arguments::Value>();
  if (parameter.type == ParameterType::Integer) return read_integer(parameter, one, warnings);
  if (parameter.type == ParameterType::Seconds) return read_seconds(parameter, one, warnings);
  if (parameter.type == ParameterType::Choice) return read_choice(parameter, one);
  return read_boolean(parameter, one);
}

}  // namespace helve::toolkit
