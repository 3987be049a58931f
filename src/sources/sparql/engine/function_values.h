// What functions take and give: string literals with their language, numbers, results within the
// limits. Shared by the files of term_functions.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sources/sparql/engine/evaluation_context.h"
#include "sources/sparql/engine/value.h"

namespace helve::sparql {

inline Value error_value() { return std::monostate(); }
inline Value boolean_value(bool truth) { return Id(rdf::Tag::Boolean, truth ? 1 : 0); }
inline Value boolean_value(std::optional<bool> truth) {
  return truth ? boolean_value(*truth) : error_value();
}
inline Value integer_value(std::int64_t number) { return rdf::XsdValue::integer(number); }
inline Value xsd_value(std::optional<rdf::XsdValue> value) {
  return value ? Value(*std::move(value)) : error_value();
}

// A string literal of an argument. The views live as long as this and the argument do; not movable.
struct StringArgument {
  StringArgument() = default;
  StringArgument(const StringArgument&) = delete;
  StringArgument& operator=(const StringArgument&) = delete;

  std::string_view text;
  std::string_view language;  // empty for xsd:string
  rdf::Direction direction = rdf::Direction::None;
  std::string scratch;

  bool is_simple() const { return language.empty(); }
  bool has_same_language(const StringArgument& other) const;
};

// xsd:string or a string with a language. False for every other value. Counts its bytes as work.
bool read_string(const Value& value, EvaluationContext& context, StringArgument& out);
// xsd:string alone.
bool read_simple_string(const Value& value, EvaluationContext& context, StringArgument& out);

// A computed text. Beyond Limits::literal_bytes_max the query fails.
Value string_value(std::string text, EvaluationContext& context);
// With the language of an argument.
Value string_value_like(const StringArgument& model, std::string text, EvaluationContext& context);
// False, and the query fails, when a text of that size must not be made.
bool may_make_text(std::size_t bytes, EvaluationContext& context);

}  // namespace helve::sparql
