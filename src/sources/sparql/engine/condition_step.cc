#include "sources/sparql/engine/condition_step.h"

#include <algorithm>
#include <utility>

#include "sources/sparql/engine/function_values.h"

namespace helve::sparql {

namespace {

using Kind = ConditionStep::Kind;
using Node = BoundExpression::Node;
using rdf::Tag;

constexpr std::array<Tag, 7> kInlined = {Tag::Boolean, Tag::Integer, Tag::Decimal,
                                         Tag::Double,  Tag::Date,    Tag::DateTimeZoned,
                                         Tag::DateTime};

Truth& at(TruthByTag& truths, Tag tag) { return truths[static_cast<std::size_t>(tag)]; }

// The same for every term; no variable, no truth.
TruthByTag for_all(Truth truth) {
  TruthByTag truths;
  truths.fill(truth);
  at(truths, Tag::Undefined) = Truth::Error;
  return truths;
}

// What an id is equal to itself by. Among literals of the dictionary is NaN, which is not.
TruthByTag equal_to_itself(Tag kind) {
  TruthByTag truths = for_all(Truth::True);
  for (const Tag tag : {Tag::TypedLiteral, Tag::Delta}) at(truths, tag) = Truth::Unknown;
  if (kind >= Tag::TypedLiteral && kind <= Tag::Local) at(truths, Tag::Local) = Truth::Unknown;
  return truths;
}

void negate(TruthByTag& truths) {
  for (Truth& truth : truths) {
    if (truth == Truth::True) {
      truth = Truth::False;
    } else if (truth == Truth::False) {
      truth = Truth::True;
    }
  }
}

// The columns that a node looks at. EXISTS looks at all of them.
struct Columns {
  std::optional<std::size_t> one;
  bool has_more = false;

  void add(std::size_t column) {
    has_more = has_more || (one && *one != column);
    one = column;
  }
};

void add_columns(const Node& node, Columns& columns) {
  if (node.kind == Node::Kind::Column) columns.add(node.column);
  if (node.kind == Node::Kind::Exists) columns.has_more = true;
  for (const Node& argument : node.arguments) add_columns(argument, columns);
}

bool is_operation(const Node& node, Function function) {
  return node.kind == Node::Kind::Operation && node.function == function;
}

bool is_column_node(const Node& node) { return node.kind == Node::Kind::Column; }

// Whether all variables stand in LANG(...) or DATATYPE(...).
bool asks_qualifiers_only(const Node& node) {
  if (is_column_node(node)) return false;
  const bool is_qualifier =
      is_operation(node, Function::Lang) || is_operation(node, Function::Datatype);
  if (is_qualifier && is_column_node(node.arguments[0])) return true;
  return std::all_of(node.arguments.begin(), node.arguments.end(), asks_qualifiers_only);
}

bool has_function(const Node& node, Function function) {
  return is_operation(node, function) ||
         std::any_of(node.arguments.begin(), node.arguments.end(),
                     [&](const Node& argument) { return has_function(argument, function); });
}

Function swapped(Function comparison) {
  switch (comparison) {
    case Function::Less:
      return Function::Greater;
    case Function::LessEqual:
      return Function::GreaterEqual;
    case Function::Greater:
      return Function::Less;
    case Function::GreaterEqual:
      return Function::LessEqual;
    default:
      return comparison;
  }
}

class StepMaker {
 public:
  explicit StepMaker(EvaluationContext& context) : context_(context) {}

  ConditionStep make(const Node& node) const {
    ConditionStep step;
    step.node = &node;
    if (make_logical(node, step)) return step;
    Columns columns;
    add_columns(node, columns);
    step.has_one_column = columns.one && !columns.has_more;
    step.column = columns.one.value_or(0);
    if (node.kind == Node::Kind::Exists || columns.has_more) {
      if (!set_columns(node, step)) step.kind = Kind::Row;
    } else if (!columns.one) {
      step.kind = Kind::Constant;
    } else {
      set_for_column(node, step);
    }
    return step;
  }

 private:
  bool make_logical(const Node& node, ConditionStep& step) const {
    if (is_operation(node, Function::And)) {
      step.kind = Kind::And;
    } else if (is_operation(node, Function::Or)) {
      step.kind = Kind::Or;
    } else if (is_operation(node, Function::Not)) {
      step.kind = Kind::Not;
    } else {
      return false;
    }
    for (const Node& argument : node.arguments) step.parts.push_back(make(argument));
    return true;
  }

  // Row stays for what depends on one column in a way that its ids say nothing about.
  void set_for_column(const Node& node, ConditionStep& step) const {
    if (node.kind != Node::Kind::Operation) return;
    if (set_by_tag(node, step) || set_comparison(node, step) || set_list(node, step)) return;
    if (set_text(node, step)) return;
    if (!asks_qualifiers_only(node)) return;
    step.kind = Kind::ByQualifier;
    step.asks_datatype = has_function(node, Function::Datatype);
  }

  static bool set_by_tag(const Node& node, ConditionStep& step) {
    if (node.arguments.empty() || !is_column_node(node.arguments[0])) return false;
    TruthByTag& truths = step.others;
    truths = for_all(Truth::False);
    switch (node.function) {
      case Function::Bound:
        truths = for_all(Truth::True);
        at(truths, Tag::Undefined) = Truth::False;
        step.kind = Kind::ByTag;
        return true;
      case Function::IsIri:
        at(truths, Tag::Iri) = Truth::True;
        break;
      case Function::IsBlank:
        at(truths, Tag::Blank) = Truth::True;
        break;
      case Function::IsLiteral:
        truths = for_all(Truth::True);
        for (const Tag tag : {Tag::Iri, Tag::Blank}) at(truths, tag) = Truth::False;
        break;
      case Function::IsNumeric:
        for (const Tag tag : {Tag::Integer, Tag::Decimal, Tag::Double}) {
          at(truths, tag) = Truth::True;
        }
        at(truths, Tag::TypedLiteral) = Truth::Unknown;
        break;
      default:
        return false;
    }
    for (const Tag tag : {Tag::Delta, Tag::Local}) at(truths, tag) = Truth::Unknown;
    step.kind = Kind::ByTag;
    return true;
  }

  bool set_comparison(const Node& node, ConditionStep& step) const {
    const bool is_same_term = node.function == Function::SameTerm;
    if (!is_same_term && !is_comparison(node.function)) return false;
    const bool is_swapped = !is_column_node(node.arguments[0]);
    const Node& column = node.arguments[is_swapped ? 1 : 0];
    const Node& constant = node.arguments[is_swapped ? 0 : 1];
    if (!is_column_node(column)) return false;
    if (is_column_node(constant)) return set_columns(node, step);
    if (constant.kind != Node::Kind::Constant) return false;
    const auto* id = std::get_if<Id>(&constant.constant);
    if (id == nullptr) return false;
    step.constant = *id;
    step.comparison = is_swapped ? swapped(node.function) : node.function;
    if (is_same_term) {
      step.kind = Kind::EqualId;
      step.same = for_all(Truth::True);
      step.others = for_all(Truth::False);
    } else if (node.function == Function::Equal || node.function == Function::NotEqual) {
      set_equality(step);
      if (node.function == Function::NotEqual) {
        negate(step.same);
        negate(step.others);
      }
    } else {
      return set_order(step);
    }
    return true;
  }

  static bool is_comparison(Function function) {
    return function >= Function::Equal && function <= Function::GreaterEqual;
  }

  // The tag that a term would have in the dictionary.
  Tag kind_of(Id id) const {
    if (id.tag() != Tag::Local) return id.tag();
    std::string scratch;
    const rdf::TermView term = context_.terms().term(id, scratch);
    if (term.is_iri()) return Tag::Iri;
    if (term.is_blank()) return Tag::Blank;
    if (!term.language.empty()) return Tag::LangString;
    return term.datatype.empty() ? Tag::String : Tag::TypedLiteral;
  }

  // Different ids are different terms, which is all there is to know of nodes and strings.
  void set_equality(ConditionStep& step) const {
    const Tag kind = kind_of(step.constant);
    step.kind = Kind::EqualId;
    step.same = equal_to_itself(kind);
    step.others = unequal_to(kind);
  }

  static TruthByTag unequal_to(Tag kind) {
    if (kind == Tag::Iri || kind == Tag::Blank) return for_all(Truth::False);
    TruthByTag truths = for_all(Truth::Unknown);
    for (const Tag tag : {Tag::Iri, Tag::Blank}) at(truths, tag) = Truth::False;
    if (kind == Tag::String || kind == Tag::LangString) {
      for (const Tag tag : kInlined) at(truths, tag) = Truth::False;
      at(truths, Tag::String) = Truth::False;
      if (kind == Tag::String) at(truths, Tag::LangString) = Truth::False;
    } else if (kind >= Tag::Boolean) {
      for (const Tag tag : {Tag::String, Tag::LangString}) at(truths, tag) = Truth::False;
      // The same instant in two time zones is equal.
      if (kind != Tag::DateTimeZoned) at(truths, kind) = Truth::False;
    }
    return truths;
  }

  static bool set_order(ConditionStep& step) {
    if (!step.constant.is_inlined()) return false;
    step.kind = Kind::OrderId;
    step.others = for_all(Truth::Unknown);
    for (const Tag tag : {Tag::Iri, Tag::Blank, Tag::String, Tag::LangString}) {
      at(step.others, tag) = Truth::Error;
    }
    return true;
  }

  static bool set_columns(const Node& node, ConditionStep& step) {
    if (node.kind != Node::Kind::Operation || node.arguments.size() != 2) return false;
    if (!is_column_node(node.arguments[0]) || !is_column_node(node.arguments[1])) return false;
    step.is_same_term = node.function == Function::SameTerm;
    if (!step.is_same_term && !is_comparison(node.function)) return false;
    step.kind = Kind::Columns;
    step.comparison = step.is_same_term ? Function::Equal : node.function;
    step.column = node.arguments[0].column;
    step.other_column = node.arguments[1].column;
    return true;
  }

  bool set_list(const Node& node, ConditionStep& step) const {
    const bool is_in = node.function == Function::In || node.function == Function::NotIn;
    if (!is_in || node.listed.empty() || !is_column_node(node.arguments[0])) return false;
    step.kind = Kind::OneOf;
    step.others = for_all(Truth::False);
    step.same = equal_to_itself(Tag::TypedLiteral);
    for (const Id id : node.listed) {
      const TruthByTag unequal = unequal_to(kind_of(id));
      for (std::size_t tag = 0; tag < unequal.size(); ++tag) {
        if (unequal[tag] == Truth::Unknown) step.others[tag] = Truth::Unknown;
      }
    }
    if (node.function == Function::NotIn) {
      negate(step.same);
      negate(step.others);
    }
    return true;
  }

  bool set_text(const Node& node, ConditionStep& step) const {
    const bool is_part = node.function == Function::Contains ||
                         node.function == Function::StrStarts || node.function == Function::StrEnds;
    const bool is_regex = node.function == Function::Regex && node.regex && !node.regex->error();
    if (!is_part && !is_regex) return false;
    step.is_of_str = is_operation(node.arguments[0], Function::Str);
    const Node& subject = step.is_of_str ? node.arguments[0].arguments[0] : node.arguments[0];
    if (!is_column_node(subject)) return false;
    if (is_part) {
      if (node.arguments[1].kind != Node::Kind::Constant) return false;
      StringArgument part;
      if (!read_simple_string(node.arguments[1].constant, context_, part)) return false;
      step.text = part.text;
    }
    step.kind = Kind::Text;
    return true;
  }

  EvaluationContext& context_;
};

}  // namespace

ConditionStep make_condition_step(const Node& node, EvaluationContext& context) {
  return StepMaker(context).make(node);
}

bool is_repeatable(const Node& node) {
  for (const Function function :
       {Function::Rand, Function::Uuid, Function::StrUuid, Function::BNode}) {
    if (has_function(node, function)) return false;
  }
  return true;
}

}  // namespace helve::sparql
