#include "sources/sparql/engine/string_functions.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/digest.h"
#include "base/unicode_case.h"
#include "base/utf8.h"
#include "sources/rdf/xsd_arithmetic.h"
#include "sources/sparql/engine/function_values.h"
#include "sources/sparql/engine/term_comparison.h"

namespace helve::sparql {

namespace {

using Arguments = std::span<const Value>;

// https://www.w3.org/TR/sparql11-query/#func-arg-compatibility
bool read_compatible(Arguments arguments, EvaluationContext& context, StringArgument& text,
                     StringArgument& part) {
  if (!read_string(arguments[0], context, text)) return false;
  if (!read_string(arguments[1], context, part)) return false;
  return part.is_simple() || text.has_same_language(part);
}

Value test_part(Function function, Arguments arguments, EvaluationContext& context) {
  StringArgument text;
  StringArgument part;
  if (!read_compatible(arguments, context, text, part)) return error_value();
  switch (function) {
    case Function::StrStarts:
      return boolean_value(text.text.starts_with(part.text));
    case Function::StrEnds:
      return boolean_value(text.text.ends_with(part.text));
    default:
      return boolean_value(find_text(text.text, part.text) != std::string_view::npos);
  }
}

// What is not found gives a simple empty string; what is keeps the language.
Value str_before(Arguments arguments, EvaluationContext& context) {
  StringArgument text;
  StringArgument part;
  if (!read_compatible(arguments, context, text, part)) return error_value();
  const std::size_t at = find_text(text.text, part.text);
  if (at == std::string_view::npos) return string_value({}, context);
  return string_value_like(text, std::string(text.text.substr(0, at)), context);
}

Value str_after(Arguments arguments, EvaluationContext& context) {
  StringArgument text;
  StringArgument part;
  if (!read_compatible(arguments, context, text, part)) return error_value();
  const std::size_t at = find_text(text.text, part.text);
  if (at == std::string_view::npos) return string_value({}, context);
  return string_value_like(text, std::string(text.text.substr(at + part.text.size())), context);
}

// A position as fn:substring rounds it; nullopt for what is no number.
std::optional<double> rounded_position(const Value& value, const EvaluationContext& context) {
  const auto number = context.to_xsd(value);
  if (!number || !rdf::is_numeric_type(number->type)) return std::nullopt;
  const auto rounded = rdf::round_value(*number);
  if (!rounded) return std::nullopt;
  return rdf::as_double(*rounded);
}

// The byte offset of the character with this number, from 0; the end if there are fewer.
std::size_t offset_of_character(std::string_view text, double number) {
  const char* at = text.data();
  const char* const end = at + text.size();
  for (double i = 0; i < number && at < end; ++i) decode_utf8(at, end);
  return static_cast<std::size_t>(at - text.data());
}

// https://www.w3.org/TR/xpath-functions/#func-substring
Value substr(Arguments arguments, EvaluationContext& context) {
  StringArgument text;
  if (!read_string(arguments[0], context, text)) return error_value();
  const auto start = rounded_position(arguments[1], context);
  if (!start) return error_value();
  double end = HUGE_VAL;
  if (arguments.size() > 2) {
    const auto length = rounded_position(arguments[2], context);
    if (!length) return error_value();
    end = *start + *length;
  }
  // False for NaN on either side.
  const bool is_something = *start < end && end > 1;
  if (!is_something) return string_value_like(text, {}, context);
  std::string_view rest = text.text;
  const double first = std::max(*start, 1.0);
  rest.remove_prefix(offset_of_character(rest, first - 1));
  return string_value_like(
      text, std::string(rest.substr(0, offset_of_character(rest, end - first))), context);
}

Value change_case(Function function, Arguments arguments, EvaluationContext& context) {
  StringArgument text;
  if (!read_string(arguments[0], context, text)) return error_value();
  return string_value_like(
      text, function == Function::UCase ? to_upper_case(text.text) : to_lower_case(text.text),
      context);
}

// https://www.w3.org/TR/xpath-functions/#func-encode-for-uri
Value encode_for_uri(Arguments arguments, EvaluationContext& context) {
  static constexpr std::string_view kDigits = "0123456789ABCDEF";
  StringArgument text;
  if (!read_string(arguments[0], context, text)) return error_value();
  if (!may_make_text(text.text.size(), context)) return error_value();
  std::string out;
  for (const char c : text.text) {
    const bool is_kept = is_letter_or_digit(c) || c == '-' || c == '_' || c == '.' || c == '~';
    if (is_kept) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 0xFU];
  }
  return string_value(std::move(out), context);
}

// The language stays if all arguments have the same one.
Value concat(Arguments arguments, EvaluationContext& context) {
  std::string out;
  StringArgument first;
  bool is_uniform = true;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    StringArgument text;
    if (!read_string(arguments[i], context, i == 0 ? first : text)) return error_value();
    const StringArgument& next = i == 0 ? first : text;
    is_uniform = is_uniform && next.has_same_language(first);
    if (!may_make_text(out.size() + next.text.size(), context)) return error_value();
    out += next.text;
  }
  return is_uniform ? string_value_like(first, std::move(out), context)
                    : string_value(std::move(out), context);
}

// Basic filtering of RFC 4647.
Value lang_matches(Arguments arguments, EvaluationContext& context) {
  StringArgument tag;
  StringArgument range;
  if (!read_simple_string(arguments[0], context, tag)) return error_value();
  if (!read_simple_string(arguments[1], context, range)) return error_value();
  if (range.text == "*") return boolean_value(!tag.text.empty());
  if (range.text.empty()) return boolean_value(tag.text.empty());
  return boolean_value(
      equal_ignoring_case(tag.text.substr(0, range.text.size()), range.text) &&
      (tag.text.size() == range.text.size() || tag.text[range.text.size()] == '-'));
}

// An error of an expression: nullopt when it is good.
std::optional<Value> error_of(const Regex& regex, EvaluationContext& context) {
  if (!regex.error()) return std::nullopt;
  if (regex.is_hard_error()) context.fail(*regex.error());
  return error_value();
}

// A failed run: too much work ends the query, a bad replacement is an error of this row.
void note_run_error(Error error, EvaluationContext& context) {
  if (error.code != ErrorCode::InvalidInput) context.fail(std::move(error));
}

// The compiled expression of pattern and flags; null when they are no simple strings.
std::shared_ptr<const Regex> find_regex(const Value& pattern, const Value* flags,
                                        EvaluationContext& context) {
  StringArgument pattern_text;
  StringArgument flag_text;
  if (!read_simple_string(pattern, context, pattern_text)) return nullptr;
  if (flags != nullptr && !read_simple_string(*flags, context, flag_text)) return nullptr;
  auto regex = context.regexes().find(pattern_text.text, flag_text.text);
  context.spend(regex->work(1));
  return regex;
}

Value regex(Arguments arguments, EvaluationContext& context) {
  const auto found =
      find_regex(arguments[1], arguments.size() > 2 ? &arguments[2] : nullptr, context);
  return found ? call_regex(arguments[0], *found, context) : error_value();
}

Value replace(Arguments arguments, EvaluationContext& context) {
  const auto found =
      find_regex(arguments[1], arguments.size() > 3 ? &arguments[3] : nullptr, context);
  return found ? call_replace(arguments[0], *found, arguments[2], context) : error_value();
}

Value digest(Function function, Arguments arguments, EvaluationContext& context) {
  StringArgument text;
  if (!read_simple_string(arguments[0], context, text)) return error_value();
  const auto kind = [function] {
    switch (function) {
      case Function::Md5:
        return DigestKind::Md5;
      case Function::Sha1:
        return DigestKind::Sha1;
      case Function::Sha256:
        return DigestKind::Sha256;
      case Function::Sha384:
        return DigestKind::Sha384;
      default:
        return DigestKind::Sha512;
    }
  }();
  return string_value(digest_hex(kind, text.text), context);
}

Value str_len(Arguments arguments, EvaluationContext& context) {
  StringArgument text;
  if (!read_string(arguments[0], context, text)) return error_value();
  return integer_value(static_cast<std::int64_t>(utf8_length(text.text)));
}

}  // namespace

Value call_regex(const Value& text, const Regex& regex, EvaluationContext& context) {
  StringArgument subject;
  if (!read_string(text, context, subject)) return error_value();
  if (const auto error = error_of(regex, context)) return *error;
  return boolean_value(test_regex(subject.text, regex, context));
}

std::optional<bool> test_regex(std::string_view text, const Regex& regex,
                               EvaluationContext& context) {
  if (!context.spend(regex.work(text.size()))) return std::nullopt;
  auto matched = regex.matches(text);
  if (matched) return *matched;
  note_run_error(std::move(matched).error(), context);
  return std::nullopt;
}

std::size_t find_text(std::string_view text, std::string_view wanted) {
  if (wanted.empty()) return 0;
  const void* found = ::memmem(text.data(), text.size(), wanted.data(), wanted.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

Value call_replace(const Value& text, const Regex& regex, const Value& replacement,
                   EvaluationContext& context) {
  StringArgument subject;
  StringArgument by;
  if (!read_string(text, context, subject)) return error_value();
  if (!read_simple_string(replacement, context, by)) return error_value();
  if (const auto error = error_of(regex, context)) return *error;
  if (!context.spend(regex.work(subject.text.size()))) return error_value();
  PacedCheck pace(context.op());
  auto replaced = regex.replace(subject.text, by.text, &pace);
  if (!replaced) {
    note_run_error(std::move(replaced).error(), context);
    return error_value();
  }
  return string_value_like(subject, *std::move(replaced), context);
}

Value call_string_function(Function function, Arguments arguments, EvaluationContext& context) {
  switch (function) {
    case Function::StrLen:
      return str_len(arguments, context);
    case Function::Substr:
      return substr(arguments, context);
    case Function::UCase:
    case Function::LCase:
      return change_case(function, arguments, context);
    case Function::StrStarts:
    case Function::StrEnds:
    case Function::Contains:
      return test_part(function, arguments, context);
    case Function::StrBefore:
      return str_before(arguments, context);
    case Function::StrAfter:
      return str_after(arguments, context);
    case Function::EncodeForUri:
      return encode_for_uri(arguments, context);
    case Function::Concat:
      return concat(arguments, context);
    case Function::LangMatches:
      return lang_matches(arguments, context);
    case Function::Regex:
      return regex(arguments, context);
    case Function::Replace:
      return replace(arguments, context);
    default:
      return digest(function, arguments, context);
  }
}

}  // namespace helve::sparql
