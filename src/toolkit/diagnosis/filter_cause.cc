#include "toolkit/diagnosis/filter_cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/unicode_case.h"
#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/algebra/functions.h"
#include "toolkit/diagnosis/build_expression.h"
#include "toolkit/diagnosis/literal_variants.h"
#include "toolkit/diagnosis/query_edit.h"

namespace helve::toolkit {

namespace {

using sparql::Expression;
using sparql::Function;
using sparql::Operation;
using sparql::Pattern;

constexpr std::uint64_t kFilterCountedMax = 10'000;
constexpr std::size_t kShownMax = 5;

// The condition in other words, and what it would mean if rows came.
struct Rewording {
  Expression condition;
  EmptyCause cause = EmptyCause::FilterRemovesAll;
  std::string says;
};

const rdf::Term* constant_operand(const Expression& expression) {
  const auto* found = expression.if_is<sparql::Constant>();
  return found == nullptr ? nullptr : &found->term;
}
const Operation* operation_in(const Expression& expression, Function function) {
  const auto* found = expression.if_is<Operation>();
  return found != nullptr && found->function == function ? found : nullptr;
}
bool looks_like_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}
bool is_number(const rdf::Term& term) {
  return term.datatype == rdf::kXsdInteger || term.datatype == rdf::kXsdDecimal ||
         term.datatype == rdf::kXsdDouble || term.datatype == rdf::kXsdFloat;
}

class FilterInquiry {
 public:
  FilterInquiry(GroupProbes& group, const PartSet& core, const Part& killer, Inquiry& inquiry)
      : group_(group), killer_(killer), inquiry_(inquiry), core_(assembled(group.parts(), core)) {}

  Diagnosis run() {
    Diagnosis out = finding(EmptyCause::FilterRemovesAll, killer_);
    const auto rows = probes().count(core_, group_.scope(), kFilterCountedMax);
    reaching_ = rows ? count_text(*rows) : "some";
    if (killer_.kind == Part::Kind::Minus) {
      out.says = fmt::format("MINUS removes all {} rows that reach it.", reaching_);
      return out;
    }
    const Expression& condition = killer_.conditions.front();
    if (const auto* exists = condition.if_is<sparql::Exists>()) {
      out.says = fmt::format("{} {} rows that reach it.",
                             exists->is_negated ? "NOT EXISTS has a match for all"
                                                : "EXISTS has no match for any of the",
                             reaching_);
      return out;
    }
    if (look_into(condition, out)) return out;
    out.says = fmt::format("The filter removes all {} rows that reach it.", reaching_);
    add_values(out);
    return out;
  }

 private:
  Probes& probes() { return inquiry_.probes; }

  bool look_into(const Expression& condition, Diagnosis& out) {
    const auto* operation = condition.if_is<Operation>();
    if (operation == nullptr) return false;
    switch (operation->function) {
      case Function::Or:
        return std::any_of(operation->arguments.begin(), operation->arguments.end(),
                           [&](const Expression& argument) { return look_into(argument, out); });
      case Function::Equal:
      case Function::SameTerm:
        return look_at_equal(operation->arguments[0], operation->arguments[1], out) ||
               look_at_equal(operation->arguments[1], operation->arguments[0], out);
      case Function::In:
        for (std::size_t i = 1; i < operation->arguments.size() && i <= kShownMax; ++i) {
          if (look_at_equal(operation->arguments[0], operation->arguments[i], out)) return true;
        }
        return false;
      case Function::LangMatches:
        return look_at_language(operation->arguments[0], operation->arguments[1], out);
      case Function::Less:
      case Function::LessEqual:
      case Function::Greater:
      case Function::GreaterEqual:
        return try_all(in_other_types(*operation), out);
      case Function::Contains:
      case Function::StrStarts:
      case Function::StrEnds:
        return try_all(in_other_texts(*operation), out);
      case Function::Regex:
        return try_all(in_other_regexes(*operation), out);
      default:
        return false;
    }
  }

  // value = "constant"
  bool look_at_equal(const Expression& value, const Expression& other, Diagnosis& out) {
    const rdf::Term* wanted = constant_operand(other);
    if (wanted == nullptr) return false;
    if (operation_in(value, Function::Lang) != nullptr) {
      return look_at_language(value, other, out);
    }
    if (const auto* datatype = operation_in(value, Function::Datatype)) {
      return look_at_datatype(datatype->arguments[0], *wanted, out);
    }
    if (wanted->kind == rdf::TermKind::Iri) return look_at_iri(value, *wanted, out);
    if (const auto* name = value.if_is<sparql::Variable>()) {
      return look_at_variants(name->name, *wanted, other, out);
    }
    return try_all(in_other_letters(value, *wanted), out);
  }

  bool look_at_variants(const std::string& name, const rdf::Term& wanted, const Expression& where,
                        Diagnosis& out) {
    const auto variants = variants_among(wanted, core_, name, group_.scope(), probes());
    if (variants.empty()) return false;
    out.cause = variants.front().cause;
    for (const LiteralVariant& variant : variants) {
      out.candidates.push_back(inquiry_.shown(variant.term));
    }
    out.says = fmt::format("The filter wants {} and removes all {} rows; the data has {}.",
                           inquiry_.shown(wanted), reaching_, list_text(out.candidates, 3));
    suggest_at(out, where, constant(variants.front().term));
    return true;
  }

  bool look_at_iri(const Expression& value, const rdf::Term& wanted, Diagnosis& out) {
    const auto known = probes().knows(wanted.view());
    if (known && !*known) {
      out.cause = EmptyCause::UnknownIri;
      out.says =
          fmt::format("The filter wants {}, which is not in the data.", inquiry_.shown(wanted));
      offer_names(out, wanted.value, NameKind::Any, {}, inquiry_);
      return true;
    }
    return try_all(
        {{call(Function::Equal, {str(value), text(wanted.value)}), EmptyCause::LiteralDatatype,
          "The values are texts, not IRIs; compare STR()."}},
        out);
  }

  bool look_at_language(const Expression& value, const Expression& other, Diagnosis& out) {
    const auto* lang = operation_in(value, Function::Lang);
    const rdf::Term* wanted = constant_operand(other);
    if (lang == nullptr || wanted == nullptr) return false;
    const auto tags = computed(value);
    if (tags.empty()) return false;
    out.cause = EmptyCause::LiteralLanguage;
    const bool has_none = tags.size() == 1 && tags.front().value.empty();
    for (const rdf::Term& tag : tags) out.candidates.push_back(fmt::format("\"{}\"", tag.value));
    out.says = fmt::format("None of the {} rows has the language tag \"{}\"; {}.", reaching_,
                           wanted->value,
                           has_none ? "the literals have no tags"
                                    : "tags that occur: " + list_text(out.candidates, kShownMax));
    for (const rdf::Term& tag : tags) {
      if (suggest_at(out, other, text(tag.value))) break;
    }
    return true;
  }

  bool look_at_datatype(const Expression& value, const rdf::Term& wanted, Diagnosis& out) {
    const auto types = computed(call(Function::Datatype, {value}));
    if (types.empty()) return false;
    out.cause = EmptyCause::LiteralDatatype;
    for (const rdf::Term& type : types) out.candidates.push_back(inquiry_.shown(type));
    out.says = fmt::format("None of the {} rows has the datatype {}; datatypes that occur: {}.",
                           reaching_, inquiry_.shown(wanted), list_text(out.candidates, kShownMax));
    return true;
  }

  // Values of an expression over the rows that reach the filter.
  std::vector<rdf::Term> computed(const Expression& expression) {
    const Pattern pattern(sparql::Extend{core_, variable(".computed"), expression});
    auto values = probes().values(pattern, group_.scope(), ".computed", 2 * kShownMax);
    return values ? *std::move(values) : std::vector<rdf::Term>();
  }

  // STR(?x) = "Constant", LCASE(?x) = "Constant" and the like.
  static std::vector<Rewording> in_other_letters(const Expression& value, const rdf::Term& wanted) {
    const auto is = [](Expression a, Expression b) {
      return call(Function::Equal, {std::move(a), std::move(b)});
    };
    return {{is(str(value), text(wanted.value)), EmptyCause::LiteralDatatype,
             "The values are the same as text only; compare STR()."},
            {is(lower_case(str(value)), text(to_lower_case(wanted.value))), EmptyCause::LiteralCase,
             "The values are there in other letters; compare LCASE()."},
            {is(lower_case(squeezed(str(value))), text(folded(wanted.value))),
             EmptyCause::LiteralSpace, "The values are there with other white space."}};
  }

  static std::vector<Rewording> in_other_types(const Operation& comparison) {
    std::vector<Rewording> out;
    const auto again = [&](Expression a, Expression b) {
      return call(comparison.function, {std::move(a), std::move(b)});
    };
    const Expression& left = comparison.arguments[0];
    const Expression& right = comparison.arguments[1];
    const auto as_double = [](const Expression& e) { return cast(rdf::kXsdDouble, str(e)); };
    const rdf::Term* wanted =
        constant_operand(right) != nullptr ? constant_operand(right) : constant_operand(left);
    if (wanted == nullptr || wanted->kind != rdf::TermKind::Literal) return out;
    if (is_number(*wanted)) {
      out.push_back({again(as_double(left), as_double(right)), EmptyCause::LiteralDatatype,
                     "The values are not numbers but texts that look like them."});
      return out;
    }
    // As numbers first: "100" < "20" as texts.
    if (wanted->datatype.empty() && looks_like_number(wanted->value)) {
      out.push_back({again(as_double(left), as_double(right)), EmptyCause::LiteralDatatype,
                     "The values are numbers and are compared with a text."});
    }
    out.push_back({again(str(left), str(right)), EmptyCause::LiteralDatatype,
                   "The values have another datatype than what they are compared with."});
    return out;
  }

  static std::vector<Rewording> in_other_texts(const Operation& test) {
    std::vector<Rewording> out;
    const rdf::Term* wanted = constant_operand(test.arguments[1]);
    if (wanted == nullptr) return out;
    const Expression value = str(test.arguments[0]);
    const auto again = [&](Expression a, std::string_view b) {
      return call(test.function, {std::move(a), text(b)});
    };
    out.push_back({again(value, wanted->value), EmptyCause::LiteralDatatype,
                   "The values are no plain texts; test STR()."});
    out.push_back({again(lower_case(value), to_lower_case(wanted->value)), EmptyCause::LiteralCase,
                   "The text is there in other letters; test LCASE()."});
    out.push_back({again(lower_case(squeezed(value)), folded(wanted->value)),
                   EmptyCause::LiteralSpace, "The text is there with other white space."});
    return out;
  }

  static std::vector<Rewording> in_other_regexes(const Operation& regex) {
    std::vector<Rewording> out;
    const Expression value = str(regex.arguments[0]);
    std::vector<Expression> arguments = regex.arguments;
    arguments[0] = value;
    out.push_back({call(Function::Regex, arguments), EmptyCause::LiteralDatatype,
                   "The values are no plain texts; test STR()."});
    arguments.resize(2, text(""));
    arguments.push_back(text("i"));
    out.push_back({call(Function::Regex, std::move(arguments)), EmptyCause::LiteralCase,
                   "The text is there in other letters; add the flag \"i\"."});
    return out;
  }

  bool try_all(const std::vector<Rewording>& rewordings, Diagnosis& out) {
    for (const Rewording& rewording : rewordings) {
      const auto rows = probes().count(filtered(core_, rewording.condition), group_.scope(), 1'000);
      if (!rows || rows->n == 0) continue;
      out.cause = rewording.cause;
      out.says = fmt::format("The filter removes all {} rows that reach it. {} Then {} remain.",
                             reaching_, rewording.says, count_text(*rows));
      add_values(out);
      suggest_at(out, killer_.conditions.front(), rewording.condition);
      return true;
    }
    return false;
  }

  // `where` is inside the killer's condition, which is a copy of what stands in the query: the
  // suggestion is made on the copy and put in its place as a whole.
  bool suggest_at(Diagnosis& out, const Expression& where, const Expression& replacement) {
    if (killer_.expression_in_query == nullptr) return false;
    Expression changed = killer_.conditions.front();
    if (&where == &killer_.conditions.front()) {
      changed = replacement;
    } else {
      replace_equal(changed, where, replacement);
    }
    return suggest(out, with_expression(inquiry_.query, killer_.expression_in_query, changed),
                   inquiry_);
  }

  static void replace_equal(Expression& tree, const Expression& old,
                            const Expression& replacement) {
    if (tree == old) {
      tree = replacement;
      return;
    }
    if (auto* operation = std::get_if<Operation>(&tree.node)) {
      for (Expression& argument : operation->arguments) replace_equal(argument, old, replacement);
    }
  }

  // What the rows have instead, if the filter speaks of one variable.
  void add_values(Diagnosis& out) {
    const auto names = mentioned_variables(killer_.conditions.front());
    if (names.size() != 1) return;
    const auto values = probes().values(core_, group_.scope(), *names.begin(), kShownMax);
    if (!values || values->empty()) return;
    std::vector<std::string> shown;
    for (const rdf::Term& value : *values) shown.push_back(inquiry_.shown(value));
    out.says += fmt::format(" Values of ?{} there: {}.", *names.begin(), list_text(shown, 3));
    for (std::string& value : shown) out.candidates.push_back(std::move(value));
  }

  GroupProbes& group_;
  const Part& killer_;
  Inquiry& inquiry_;
  Pattern core_;
  std::string reaching_;
};

}  // namespace

Diagnosis filter_cause(GroupProbes& group, const PartSet& core, std::size_t killer,
                       Inquiry& inquiry) {
  return FilterInquiry(group, core, group.parts()[killer], inquiry).run();
}

}  // namespace helve::toolkit
