#include "sources/sparql/engine/evaluation_context.h"

#include <chrono>
#include <utility>

#include "sources/rdf/inline_value.h"
#include "sources/rdf/vocabulary.h"
#include "sources/rdf/xsd_compare.h"

namespace helve::sparql {

namespace {

IriResolver resolver_of(const std::string& base_iri) {
  if (base_iri.empty()) return {};
  auto resolver = IriResolver::from_base(base_iri);
  return resolver ? *std::move(resolver) : IriResolver();
}

rdf::XsdContext xsd_context(const Limits& limits) {
  rdf::XsdContext context;
  context.digits_max = limits.number_digits_max;
  return context;
}

// To the millisecond, which is what fits into an id.
rdf::XsdValue moment_of(WallTime time) {
  using std::chrono::milliseconds;
  const auto days = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(days);
  const std::int64_t millis = std::chrono::floor<milliseconds>(time - days).count();
  rdf::XsdDateTime moment;
  moment.year = static_cast<int>(date.year());
  moment.month = static_cast<std::uint8_t>(static_cast<unsigned>(date.month()));
  moment.day = static_cast<std::uint8_t>(static_cast<unsigned>(date.day()));
  moment.hour = static_cast<std::uint8_t>(millis / 3'600'000);
  moment.minute = static_cast<std::uint8_t>(millis / 60'000 % 60);
  moment.second = static_cast<std::uint8_t>(millis / 1'000 % 60);
  moment.attoseconds = millis % 1'000 * (rdf::kAttosecondsPerSecond / 1'000);
  moment.timezone = 0;
  return {rdf::XsdType::DateTime, moment};
}

// Decimals are written with a point ("2.0"), as in Turtle and in queries, where "2" would be an
// integer; this is also the spelling that has an inlined id.
std::string lexical_of(const rdf::XsdValue& value) {
  std::string text = rdf::canonical_lexical(value);
  if (value.type == rdf::XsdType::Decimal && text.find('.') == std::string::npos) text += ".0";
  return text;
}

rdf::TermView term_of(const rdf::XsdValue& value, std::string& scratch) {
  if (value.type == rdf::XsdType::String) return rdf::TermView::literal(value.text());
  scratch = lexical_of(value);
  return rdf::TermView::literal(scratch, rdf::iri_of_xsd_type(value.type));
}

std::optional<rdf::XsdValue> xsd_of(const rdf::TermView& term, const rdf::XsdContext& context) {
  if (!term.is_literal() || !term.language.empty()) return std::nullopt;
  if (term.datatype.empty()) return rdf::XsdValue::string(std::string(term.value));
  const auto type = rdf::xsd_type_of_iri(term.datatype);
  if (!type) return std::nullopt;
  return rdf::parse_xsd_value(term.value, *type, rdf::XsdSpace::Reject, context);
}

std::optional<bool> truth_of(const rdf::TermView& term, const rdf::XsdContext& context,
                             Version version) {
  const bool is_lenient = version == Version::Sparql11;
  if (!term.is_literal() || (!is_lenient && !term.language.empty())) return std::nullopt;
  if (term.datatype.empty()) return !term.value.empty();
  const auto type = rdf::xsd_type_of_iri(term.datatype);
  if (!type) return std::nullopt;
  const auto value = rdf::parse_xsd_value(term.value, *type, rdf::XsdSpace::Reject, context);
  if (value) return rdf::effective_boolean_value(*value);
  const bool is_known = *type == rdf::XsdType::Boolean || rdf::is_numeric_type(*type);
  if (is_known && is_lenient) return false;
  return std::nullopt;
}

}  // namespace

EvaluationContext::EvaluationContext(const OpContext& op, TermTable& terms, Env& env,
                                     const std::string& base_iri, Version version, PassSet passes)
    : op_(op),
      terms_(terms),
      random_(env.random()),
      xsd_(xsd_context(op.limits)),
      base_(resolver_of(base_iri)),
      version_(version),
      passes_(passes),
      now_(moment_of(env.clock().wall())),
      regexes_(op.limits),
      pace_(op) {}

EvaluationContext::EvaluationContext(const EvaluationContext& like, TermTable& terms)
    : op_(like.op_),
      terms_(terms),
      random_(like.random_),
      xsd_(like.xsd_),
      base_(like.base_),
      version_(like.version_),
      passes_(like.passes_),
      now_(like.now_),
      regexes_(like.op_.limits),
      pace_(like.op_) {}

bool EvaluationContext::spend(std::uint64_t bytes) {
  if (auto checked = pace_.add(bytes); !checked) fail(std::move(checked).error());
  return !failure_;
}

Id EvaluationContext::to_id(const Value& value) {
  if (const auto* id = std::get_if<Id>(&value)) return *id;
  if (const auto* computed = std::get_if<rdf::XsdValue>(&value)) {
    if (const auto inlined = rdf::inline_value(*computed)) return *inlined;
  }
  std::string scratch;
  const auto term = to_term(value, scratch);
  if (!term) return {};
  auto id = terms_.intern(*term);
  if (id) return *id;
  fail(std::move(id).error());
  return {};
}

std::optional<rdf::TermView> EvaluationContext::to_term(const Value& value,
                                                        std::string& scratch) const {
  if (const auto* id = std::get_if<Id>(&value)) return terms_.term(*id, scratch);
  if (const auto* computed = std::get_if<rdf::XsdValue>(&value)) return term_of(*computed, scratch);
  if (const auto* term = std::get_if<rdf::Term>(&value)) return term->view();
  return std::nullopt;
}

std::optional<rdf::XsdValue> EvaluationContext::to_xsd(const Value& value) const {
  if (const auto* computed = std::get_if<rdf::XsdValue>(&value)) return *computed;
  const auto* id = std::get_if<Id>(&value);
  if (id != nullptr && id->is_inlined()) return rdf::inlined_value(*id);
  std::string scratch;
  const auto term = to_term(value, scratch);
  if (!term) return std::nullopt;
  return xsd_of(*term, xsd_);
}

std::optional<bool> EvaluationContext::truth(const Value& value) const {
  if (const auto* computed = std::get_if<rdf::XsdValue>(&value)) {
    return rdf::effective_boolean_value(*computed);
  }
  if (const auto* id = std::get_if<Id>(&value)) {
    if (id->tag() == rdf::Tag::Boolean) return id->payload() != 0;
    if (id->is_inlined()) return rdf::effective_boolean_value(rdf::inlined_value(*id));
  }
  std::string scratch;
  const auto term = to_term(value, scratch);
  if (!term) return std::nullopt;
  return truth_of(*term, xsd_, version_);
}

}  // namespace helve::sparql
