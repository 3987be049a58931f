#include "sources/sparql/engine/function_values.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "sources/sparql/engine/term_comparison.h"

namespace helve::sparql {

bool StringArgument::has_same_language(const StringArgument& other) const {
  return direction == other.direction && equal_ignoring_case(language, other.language);
}

bool read_string(const Value& value, EvaluationContext& context, StringArgument& out) {
  const auto* id = std::get_if<Id>(&value);
  if (id != nullptr && id->is_inlined()) return false;
  if (const auto* computed = std::get_if<rdf::XsdValue>(&value)) {
    if (computed->type != rdf::XsdType::String) return false;
    out.text = computed->text();
    return context.spend(out.text.size());
  }
  const auto term = context.to_term(value, out.scratch);
  if (!term || !term->is_literal() || !term->datatype.empty()) return false;
  out.text = term->value;
  out.language = term->language;
  out.direction = term->direction;
  return context.spend(out.text.size());
}

bool read_simple_string(const Value& value, EvaluationContext& context, StringArgument& out) {
  return read_string(value, context, out) && out.is_simple();
}

bool may_make_text(std::size_t bytes, EvaluationContext& context) {
  const std::size_t bytes_max = context.op().limits.literal_bytes_max;
  if (bytes <= bytes_max) return true;
  context.fail(Error(ErrorCode::LimitExceeded,
                     fmt::format("a computed text of {} is longer than the limit of {}",
                                 format_bytes(bytes), format_bytes(bytes_max)),
                     "cut it with SUBSTR, or put fewer texts together"));
  return false;
}

Value string_value(std::string text, EvaluationContext& context) {
  if (!may_make_text(text.size(), context)) return error_value();
  return rdf::XsdValue::string(std::move(text));
}

Value string_value_like(const StringArgument& model, std::string text, EvaluationContext& context) {
  if (model.is_simple()) return string_value(std::move(text), context);
  if (!may_make_text(text.size(), context)) return error_value();
  rdf::Term term(rdf::TermView::lang_literal({}, model.language));
  term.value = std::move(text);
  term.direction = model.direction;
  return term;
}

}  // namespace helve::sparql
