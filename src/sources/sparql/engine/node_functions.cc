#include "sources/sparql/engine/node_functions.h"

#include <optional>
#include <string>
#include <utility>

#include "base/iri.h"
#include "sources/rdf/statement_check.h"
#include "sources/rdf/vocabulary.h"
#include "sources/sparql/engine/function_values.h"

namespace helve::sparql {

namespace {

using Arguments = std::span<const Value>;
using rdf::TermKind;
using rdf::TermView;

constexpr std::string_view kRdfDirLangString =
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString";

TermKind kind_of(const Value& value, EvaluationContext& context) {
  if (const auto* id = std::get_if<Id>(&value)) return context.terms().kind(*id);
  if (const auto* term = std::get_if<rdf::Term>(&value)) return term->kind;
  return TermKind::Literal;
}

bool is_numeric(const Value& value, EvaluationContext& context) {
  const auto number = context.to_xsd(value);
  return number && rdf::is_numeric_type(number->type);
}

Value iri_value(std::string iri) {
  rdf::Term term;
  term.value = std::move(iri);
  return term;
}

Value str(const Value& value, EvaluationContext& context) {
  std::string scratch;
  const auto term = context.to_term(value, scratch);
  if (!term || term->is_blank() || !context.spend(term->value.size())) return error_value();
  return string_value(std::string(term->value), context);
}

// The language or datatype of a literal of the data, without its text, which may be long.
std::optional<std::string_view> stored_qualifier(const Value& value, rdf::Tag tag,
                                                 EvaluationContext& context) {
  const auto* id = std::get_if<Id>(&value);
  if (id == nullptr || id->tag() != tag) return std::nullopt;
  return context.terms().snapshot().qualifier(*id);
}

Value lang(const Value& value, EvaluationContext& context) {
  if (std::holds_alternative<rdf::XsdValue>(value)) return string_value({}, context);
  if (const auto tag = stored_qualifier(value, rdf::Tag::LangString, context)) {
    return string_value(std::string(*tag), context);
  }
  std::string scratch;
  const auto term = context.to_term(value, scratch);
  if (!term || !term->is_literal()) return error_value();
  return string_value(std::string(term->language), context);
}

Value lang_dir(const Value& value, EvaluationContext& context) {
  std::string scratch;
  const auto term = context.to_term(value, scratch);
  if (!term || !term->is_literal()) return error_value();
  switch (term->direction) {
    case rdf::Direction::Ltr:
      return string_value("ltr", context);
    case rdf::Direction::Rtl:
      return string_value("rtl", context);
    default:
      return string_value({}, context);
  }
}

// False, not an error, for what is no literal.
Value has_lang(const Value& value, EvaluationContext& context, bool needs_direction) {
  std::string scratch;
  const auto term = context.to_term(value, scratch);
  if (!term) return error_value();
  return boolean_value(term->is_literal() && !term->language.empty() &&
                       (!needs_direction || term->direction != rdf::Direction::None));
}

Value datatype(const Value& value, EvaluationContext& context) {
  if (const auto* computed = std::get_if<rdf::XsdValue>(&value)) {
    return iri_value(std::string(rdf::iri_of_xsd_type(computed->type)));
  }
  if (const auto type = stored_qualifier(value, rdf::Tag::TypedLiteral, context)) {
    return iri_value(std::string(*type));
  }
  std::string scratch;
  const auto term = context.to_term(value, scratch);
  if (!term || !term->is_literal()) return error_value();
  if (term->direction != rdf::Direction::None) return iri_value(std::string(kRdfDirLangString));
  if (!term->language.empty()) return iri_value(std::string(rdf::kRdfLangString));
  if (term->datatype.empty()) return iri_value(std::string(rdf::kXsdString));
  return iri_value(std::string(term->datatype));
}

// An IRI stays; a string is resolved against the base.
Value iri(const Value& value, EvaluationContext& context) {
  if (kind_of(value, context) == TermKind::Iri) return value;
  StringArgument text;
  if (!read_simple_string(value, context, text)) return error_value();
  if (find_bad_iri_character(text.text)) return error_value();
  std::string resolved;
  if (!context.base().resolve(text.text, resolved)) return error_value();
  if (!may_make_text(resolved.size(), context)) return error_value();
  return iri_value(std::move(resolved));
}

Value fresh_blank(EvaluationContext& context) {
  auto id = context.terms().make_blank();
  if (id) return *id;
  context.fail(std::move(id).error());
  return error_value();
}

Value bnode(Arguments arguments, EvaluationContext& context) {
  if (arguments.empty()) return fresh_blank(context);
  StringArgument label;
  if (!read_simple_string(arguments[0], context, label)) return error_value();
  auto& labelled = context.labelled_blanks();
  const auto known = labelled.find(std::string(label.text));
  if (known != labelled.end()) return known->second;
  Value blank = fresh_blank(context);
  if (const auto* id = std::get_if<Id>(&blank)) labelled.emplace(label.text, *id);
  return blank;
}

Value str_dt(Arguments arguments, EvaluationContext& context) {
  StringArgument text;
  if (!read_simple_string(arguments[0], context, text)) return error_value();
  std::string scratch;
  const auto type = context.to_term(arguments[1], scratch);
  if (!type || !type->is_iri()) return error_value();
  if (type->value == rdf::kRdfLangString || type->value == kRdfDirLangString) return error_value();
  if (type->value == rdf::kXsdString) return arguments[0];
  return rdf::Term(TermView::literal(text.text, type->value));
}

Value str_lang(Arguments arguments, EvaluationContext& context) {
  StringArgument text;
  StringArgument tag;
  if (!read_simple_string(arguments[0], context, text)) return error_value();
  if (!read_simple_string(arguments[1], context, tag)) return error_value();
  if (!rdf::is_language_tag(tag.text)) return error_value();
  rdf::Term term(TermView::lang_literal(text.text, tag.text));
  if (arguments.size() > 2) {
    StringArgument direction;
    if (!read_simple_string(arguments[2], context, direction)) return error_value();
    if (direction.text != "ltr" && direction.text != "rtl") return error_value();
    term.direction = direction.text == "ltr" ? rdf::Direction::Ltr : rdf::Direction::Rtl;
  }
  return term;
}

// Version 4: https://www.rfc-editor.org/rfc/rfc4122#section-4.4
std::string uuid(Random& random) {
  std::string hex = random.hex(16);
  hex[12] = '4';
  const auto variant = std::string_view("0123456789abcdef").find(hex[16]);
  hex[16] = "89ab"[variant % 4];
  for (const std::size_t at : {20U, 16U, 12U, 8U}) hex.insert(at, 1, '-');
  return hex;
}

}  // namespace

Value call_node_function(Function function, Arguments arguments, EvaluationContext& context) {
  switch (function) {
    case Function::IsIri:
      return boolean_value(kind_of(arguments[0], context) == TermKind::Iri);
    case Function::IsBlank:
      return boolean_value(kind_of(arguments[0], context) == TermKind::BlankNode);
    case Function::IsLiteral:
      return boolean_value(kind_of(arguments[0], context) == TermKind::Literal);
    case Function::IsNumeric:
      return boolean_value(is_numeric(arguments[0], context));
    case Function::Str:
      return str(arguments[0], context);
    case Function::Lang:
      return lang(arguments[0], context);
    case Function::Datatype:
      return datatype(arguments[0], context);
    case Function::Iri:
      return iri(arguments[0], context);
    case Function::BNode:
      return bnode(arguments, context);
    case Function::StrDt:
      return str_dt(arguments, context);
    case Function::StrLang:
    case Function::StrLangDir:
      return str_lang(arguments, context);
    case Function::Uuid:
      return iri_value("urn:uuid:" + uuid(context.random()));
    case Function::StrUuid:
      return string_value(uuid(context.random()), context);
    case Function::HasLang:
      return has_lang(arguments[0], context, false);
    case Function::HasLangDir:
      return has_lang(arguments[0], context, true);
    default:
      return lang_dir(arguments[0], context);
  }
}

}  // namespace helve::sparql
