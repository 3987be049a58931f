#include "sources/sparql/engine/term_comparison.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "sources/rdf/inline_value.h"
#include "sources/rdf/xsd_compare.h"
#include "sources/sparql/engine/term_functions.h"

namespace helve::sparql {

namespace {

using rdf::Tag;
using rdf::TermView;
using rdf::XsdValue;

// A value as comparisons see it. Not movable: the views point into it.
class Operand {
 public:
  enum class Kind : std::uint8_t {
    Node,     // an IRI or a blank node
    Tagged,   // a string with a language
    Text,     // a string without
    Typed,    // a value of another XSD type
    Unknown,  // of a datatype unknown here, or ill-typed
  };

  Operand(const Value& value, const EvaluationContext& context) {
    if (const auto* computed = std::get_if<XsdValue>(&value)) {
      set(computed);
      return;
    }
    const auto* id = std::get_if<Id>(&value);
    if (id != nullptr && id->is_inlined()) {
      parsed_ = rdf::inlined_value(*id);
      set(&*parsed_);
      return;
    }
    term_ = context.to_term(value, scratch_).value_or(TermView());
    read_term(context);
  }
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;

  Kind kind() const { return kind_; }
  std::string_view text() const { return term_.value; }  // Text, Tagged
  const TermView& term() const { return term_; }         // all but Typed
  const XsdValue& value() const { return *value_; }      // Typed

 private:
  void set(const XsdValue* value) {
    if (rdf::is_string_type(value->type)) {
      kind_ = Kind::Text;
      term_ = TermView::literal(value->text());
      return;
    }
    kind_ = Kind::Typed;
    value_ = value;
  }

  void read_term(const EvaluationContext& context) {
    if (!term_.is_literal()) {
      kind_ = Kind::Node;
    } else if (!term_.language.empty()) {
      kind_ = Kind::Tagged;
    } else if (term_.datatype.empty()) {
      kind_ = Kind::Text;
    } else if (const auto type = rdf::xsd_type_of_iri(term_.datatype)) {
      parsed_ = rdf::parse_xsd_value(term_.value, *type, rdf::XsdSpace::Reject, context.xsd());
      if (parsed_) set(&*parsed_);
    }
  }

  Kind kind_ = Kind::Unknown;
  TermView term_;
  std::string scratch_;
  std::optional<XsdValue> parsed_;
  const XsdValue* value_ = nullptr;
};

// As compare_values, but for dates and times: the tests of SPARQL want an error where the answer
// depends on a time zone that is not there.
std::optional<std::partial_ordering> order_typed(const XsdValue& a, const XsdValue& b,
                                                 const rdf::XsdContext& context) {
  if (!rdf::is_temporal_type(a.type) || !rdf::is_temporal_type(b.type)) {
    return rdf::compare_values(a, b, context);
  }
  const auto order = rdf::compare_values_strictly(a, b);
  if (!order || *order == std::partial_ordering::unordered) return std::nullopt;
  return order;
}

// Values of types that have nothing in common are known to differ.
std::optional<bool> equal_typed(const XsdValue& a, const XsdValue& b,
                                const rdf::XsdContext& context) {
  if (rdf::is_temporal_type(a.type) && rdf::is_temporal_type(b.type)) {
    const auto order = rdf::compare_values_strictly(a, b);
    if (!order) return false;
    if (*order == std::partial_ordering::unordered) return std::nullopt;
    return std::is_eq(*order);
  }
  return rdf::equal_values(a, b, context).value_or(false);
}

std::optional<bool> equal_operands(const Operand& a, const Operand& b,
                                   const EvaluationContext& context) {
  using Kind = Operand::Kind;
  const auto either_is = [&](Kind kind) { return a.kind() == kind || b.kind() == kind; };
  if (either_is(Kind::Node)) return a.kind() == b.kind() && a.term() == b.term();
  if (either_is(Kind::Tagged)) {
    return a.kind() == b.kind() && a.text() == b.text() &&
           a.term().direction == b.term().direction &&
           equal_ignoring_case(a.term().language, b.term().language);
  }
  if (either_is(Kind::Unknown)) {
    if (a.kind() == b.kind() && a.term() == b.term()) return true;
    return std::nullopt;
  }
  if (a.kind() != b.kind()) return false;
  if (a.kind() == Kind::Text) return a.text() == b.text();
  return equal_typed(a.value(), b.value(), context.xsd());
}

std::uint64_t comparable_payload(Id id) {
  return id.tag() == Tag::DateTimeZoned ? id.payload() >> rdf::kZoneBits : id.payload();
}

// Different ids are different terms; often that is all there is to know. nullopt: look closer.
std::optional<bool> equal_distinct_ids(Id a, Id b) {
  const auto is_node = [](Id id) { return id.tag() == Tag::Iri || id.tag() == Tag::Blank; };
  const auto is_string = [](Id id) {
    return id.tag() == Tag::String || id.tag() == Tag::LangString;
  };
  if (is_node(a) || is_node(b)) return false;
  if (a.tag() == b.tag() && a.is_inlined()) return comparable_payload(a) == comparable_payload(b);
  if (is_string(a) && is_string(b) && (a.tag() == Tag::String || b.tag() == Tag::String)) {
    return false;
  }
  return std::nullopt;
}

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return is_same_in_any_case(a, b);
}

std::optional<bool> equal(const Value& a, const Value& b, EvaluationContext& context) {
  if (is_error(a) || is_error(b)) return std::nullopt;
  const auto* id_a = std::get_if<Id>(&a);
  const auto* id_b = std::get_if<Id>(&b);
  if (id_a != nullptr && id_b != nullptr) {
    if (*id_a != *id_b) {
      if (const auto known = equal_distinct_ids(*id_a, *id_b)) return known;
    } else if (id_a->is_inlined() || id_a->tag() < Tag::TypedLiteral) {
      return true;  // among the others is NaN, which is not equal to itself
    }
  }
  const Operand left(a, context);
  const Operand right(b, context);
  return equal_operands(left, right, context);
}

std::optional<std::partial_ordering> order_of(const Value& a, const Value& b,
                                              EvaluationContext& context) {
  if (is_error(a) || is_error(b)) return std::nullopt;
  const auto* id_a = std::get_if<Id>(&a);
  const auto* id_b = std::get_if<Id>(&b);
  if (id_a != nullptr && id_b != nullptr && id_a->tag() == id_b->tag() && id_a->is_inlined()) {
    return comparable_payload(*id_a) <=> comparable_payload(*id_b);
  }
  const Operand left(a, context);
  const Operand right(b, context);
  if (left.kind() != right.kind()) return std::nullopt;
  if (left.kind() == Operand::Kind::Text) return left.text().compare(right.text()) <=> 0;
  if (left.kind() != Operand::Kind::Typed) return std::nullopt;
  return order_typed(left.value(), right.value(), context.xsd());
}

std::optional<bool> less(const Value& a, const Value& b, EvaluationContext& context) {
  return compare(Function::Less, a, b, context);
}

bool same_term(const Value& a, const Value& b, EvaluationContext& context) {
  const auto* id_a = std::get_if<Id>(&a);
  const auto* id_b = std::get_if<Id>(&b);
  if (id_a != nullptr && id_b != nullptr) return *id_a == *id_b;
  std::string scratch_a;
  std::string scratch_b;
  return context.to_term(a, scratch_a) == context.to_term(b, scratch_b);
}

std::optional<bool> compare(Function comparison, const Value& a, const Value& b,
                            EvaluationContext& context) {
  if (comparison == Function::Equal) return equal(a, b, context);
  if (comparison == Function::NotEqual) {
    const auto is_equal = equal(a, b, context);
    if (!is_equal) return std::nullopt;
    return !*is_equal;
  }
  const auto order = order_of(a, b, context);
  if (!order) return std::nullopt;
  switch (comparison) {
    case Function::Less:
      return std::is_lt(*order);
    case Function::LessEqual:
      return std::is_lteq(*order);
    case Function::Greater:
      return std::is_gt(*order);
    default:
      return std::is_gteq(*order);
  }
}

}  // namespace helve::sparql
