// What to say of mistakes in expressions. parser_mistakes.cc is its neighbour.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/near_names.h"
#include "sources/sparql/algebra/functions.h"
#include "sources/sparql/algebra/parser_state.h"

namespace helve::sparql {

namespace {

struct Habit {
  std::string_view word;
  std::string_view instead;
};

// Words between operands.
constexpr auto kOperators = std::to_array<Habit>({
    {"AND", "and is '&&'"},
    {"OR", "or is '||'"},
    {"XOR", "exclusive or of two conditions is '!='"},
    {"LIKE", "write REGEX(?x, \"pattern\"), CONTAINS(?x, \"part\") or STRSTARTS(?x, \"start\")"},
    {"ILIKE", "write REGEX(?x, \"pattern\", \"i\") or CONTAINS(LCASE(?x), \"part\")"},
    {"RLIKE", "write REGEX(?x, \"pattern\")"},
    {"MATCHES", "write REGEX(?x, \"pattern\")"},
    {"SIMILAR", "write REGEX(?x, \"pattern\")"},
    {"IS", "IS NULL is !BOUND(?x), IS NOT NULL is BOUND(?x)"},
    {"BETWEEN", "write ?x >= 1 && ?x <= 9"},
    {"MOD", "there is no remainder operator: ?a - ?b * FLOOR(?a / ?b)"},
    {"DIV", "write FLOOR(?a / ?b)"},
    {"EQ", "equal is '='"},
    {"NE", "not equal is '!='"},
    {"CONTAINS", "write CONTAINS(?text, \"part\")"},
    {"REGEX", "write REGEX(?text, \"pattern\")"},
    {"STRSTARTS", "write STRSTARTS(?text, \"start\")"},
    {"DISTINCT", "DISTINCT stands before what it belongs to: COUNT(DISTINCT ?x)"},
    {"THEN", "write IF(condition, then, else)"},
});

// Functions of other languages.
constexpr auto kForeignFunctions = std::to_array<Habit>({
    {"LOWER", "LCASE(?x)"},
    {"UPPER", "UCASE(?x)"},
    {"TOLOWER", "LCASE(?x)"},
    {"TOUPPER", "UCASE(?x)"},
    {"LENGTH", "STRLEN(?x)"},
    {"LEN", "STRLEN(?x)"},
    {"CHAR_LENGTH", "STRLEN(?x)"},
    {"SUBSTRING", "SUBSTR(?x, start, length)"},
    {"STARTSWITH", "STRSTARTS(?x, \"start\")"},
    {"STARTS_WITH", "STRSTARTS(?x, \"start\")"},
    {"ENDSWITH", "STRENDS(?x, \"end\")"},
    {"ENDS_WITH", "STRENDS(?x, \"end\")"},
    {"MATCH", "REGEX(?x, \"pattern\")"},
    {"MATCHES", "REGEX(?x, \"pattern\")"},
    {"LIKE", "REGEX(?x, \"pattern\")"},
    {"TRIM", "REPLACE(?x, \"^\\\\s+|\\\\s+$\", \"\")"},
    {"NVL", "COALESCE(?x, default)"},
    {"IFNULL", "COALESCE(?x, default)"},
    {"ISNULL", "!BOUND(?x)"},
    {"NULLIF", "IF(?x = ?y, 1/0, ?x)"},
    {"IIF", "IF(condition, then, else)"},
    {"CASE", "IF(condition, then, else)"},
    {"CAST", "a cast such as xsd:integer(?x)"},
    {"CONVERT", "a cast such as xsd:integer(?x)"},
    {"INT", "xsd:integer(?x)"},
    {"INTEGER", "xsd:integer(?x)"},
    {"FLOAT", "xsd:float(?x)"},
    {"DOUBLE", "xsd:double(?x)"},
    {"DECIMAL", "xsd:decimal(?x)"},
    {"STRING", "STR(?x)"},
    {"TOSTRING", "STR(?x)"},
    {"DATE", "xsd:date(?x)"},
    {"DATETIME", "xsd:dateTime(?x)"},
    {"CURRENT_DATE", "NOW()"},
    {"GETDATE", "NOW()"},
    {"STRING_AGG", "GROUP_CONCAT(?x; SEPARATOR=\", \")"},
    {"LISTAGG", "GROUP_CONCAT(?x; SEPARATOR=\", \")"},
    {"ARRAY_AGG", "GROUP_CONCAT(?x; SEPARATOR=\", \")"},
    {"GROUPCONCAT", "GROUP_CONCAT(?x; SEPARATOR=\", \")"},
    {"AVERAGE", "AVG(?x)"},
    {"MEAN", "AVG(?x)"},
    {"ANY_VALUE", "SAMPLE(?x)"},
    {"FIRST", "SAMPLE(?x)"},
    {"CEILING", "CEIL(?x)"},
    {"POW", "a product: ?x * ?x"},
    {"POWER", "a product: ?x * ?x"},
    {"HOUR", "HOURS(?x)"},
    {"MINUTE", "MINUTES(?x)"},
    {"SECOND", "SECONDS(?x)"},
});

template <std::size_t kSize>
const Habit* habit(const std::array<Habit, kSize>& habits, std::string_view word) {
  const auto* const found = std::find_if(habits.begin(), habits.end(), [word](const Habit& known) {
    return same_keyword(known.word, word);
  });
  return found == habits.end() ? nullptr : found;
}

std::vector<std::string_view> function_names() {
  std::vector<std::string_view> names;
  for (std::size_t i = static_cast<std::size_t>(Function::Bound); i < kFunctionCount; ++i) {
    names.push_back(function_info(static_cast<Function>(i)).name);
  }
  for (std::size_t i = 0; i <= static_cast<std::size_t>(AggregateKind::GroupConcat); ++i) {
    names.push_back(aggregate_name(static_cast<AggregateKind>(i)));
  }
  return names;
}

}  // namespace

void Parser::fail_unknown_function() {
  const std::string word = excerpt(token_.span);
  if (same_keyword(word, "TRIPLE") || same_keyword(word, "isTRIPLE") ||
      same_keyword(word, "SUBJECT") || same_keyword(word, "PREDICATE") ||
      same_keyword(word, "OBJECT")) {
    return fail_here(fmt::format("{}: triple terms are not supported", word));
  }
  std::string hint;
  if (const Habit* known = habit(kForeignFunctions, word)) {
    hint = fmt::format("SPARQL has {}", known->instead);
  } else if (const auto near = near_names(word, function_names()); !near.empty()) {
    hint = fmt::format("did you mean {}?", fmt::join(near, " or "));
  } else {
    hint = "functions of one's own are named by an IRI: ex:name(?x)";
  }
  fail_here(fmt::format("there is no function {}", word), std::move(hint));
}

// EXIST { ... } and NOT EXIST { ... }
bool Parser::fail_near_exists() {
  const bool is_negated = at_word("NOT");
  const Token word = is_negated ? peek() : token_;
  if (failed() || word.kind != TokenKind::Word || near_names(word.text, {"EXISTS"}).empty()) {
    return false;
  }
  fail_at(word.span.begin, fmt::format("there is no {} in SPARQL", excerpt(word.span)),
          fmt::format("did you mean {}EXISTS {{ ... }}?", is_negated ? "NOT " : ""));
  return true;
}

// Where an operand must begin.
void Parser::fail_in_operand() {
  if (failed() || fail_open_iri()) return;
  const std::string word = excerpt(token_.span);
  if (at(TokenKind::Word)) {
    if (fail_near_exists()) return;
    if (at_word("NOT")) {
      return fail_here("NOT is no operator of SPARQL", "negation is '!': !(...)");
    }
    if (at_word("NULL")) {
      return fail_here("there is no NULL in SPARQL",
                       "what has no value is not bound: !BOUND(?x) or BOUND(?x)");
    }
    if (at_word("SELECT")) {
      return fail_here("a sub-query cannot stand in an expression",
                       "put it into the pattern: { SELECT ... }, and use its variables");
    }
    if (at_word("DISTINCT")) {
      return fail_here("DISTINCT cannot stand here",
                       "DISTINCT stands in SELECT DISTINCT and in COUNT(DISTINCT ?x)");
    }
    if (peek().kind == TokenKind::LeftParenthesis ||
        habit(kForeignFunctions, token_.text) != nullptr) {
      return fail_unknown_function();
    }
    return fail_here(fmt::format("'{}' is neither a variable, a literal nor a function", word),
                     fmt::format("write ?{0} for a variable, \"{0}\" for a text, ex:{0} for a name "
                                 "with its prefix",
                                 word));
  }
  const bool is_stuck = is_next_to(last_, token_) && last_.kind != TokenKind::LeftParenthesis;
  if (is_stuck && (at(TokenKind::Equal) || at(TokenKind::Greater))) {
    const std::string sign = excerpt({last_.span.begin, token_.span.end});
    return fail_at(last_.span.begin, fmt::format("'{}' is no operator of SPARQL", sign),
                   "the comparisons are = != < > <= >=");
  }
  if (at(TokenKind::BlankLabel) || at(TokenKind::LeftBracket)) {
    return fail_here("a blank node cannot stand in an expression", "use a variable");
  }
  if (at(TokenKind::LeftBrace)) {
    return fail_here("a pattern cannot stand in an expression", "write EXISTS { ... }");
  }
  if (at(TokenKind::Star)) {
    return fail_here("'*' is no operand", "only COUNT takes it: COUNT(*)");
  }
  fail_expected(fmt::format("an expression after '{}'", excerpt(last_.span)));
}

// Where an operator or the end of the expression must follow. Does nothing where it knows nothing.
void Parser::fail_behind_operand() {
  if (failed()) return;
  if (at(TokenKind::IriRef) && token_.text.empty()) {
    return fail_here("'<>' is no operator of SPARQL", "not equal is '!='");
  }
  if (at(TokenKind::String) && last_.kind == TokenKind::String && is_next_to(last_, token_)) {
    return fail_here(
        "a string ends and another begins: doubled quotation marks are no escape",
        "write \\' or \\\" inside a string, or use the other quotation mark around it");
  }
  if (at(TokenKind::LangTag)) {
    return fail_here(fmt::format("a language tag cannot follow {}", excerpt(last_.span)),
                     "to ask for a language write LANG(?x) = \"en\"");
  }
  if (at(TokenKind::Question)) {
    return fail_here("'?' is no operator", "write IF(condition, then, else)");
  }
  if (!at(TokenKind::Word)) return;
  if (at_word("AS")) {
    return fail_here(
        "AS cannot stand here",
        "names are given in SELECT (... AS ?x), BIND(... AS ?x) and GROUP BY (... AS ?x)");
  }
  if (at_word("NOT")) {
    const Habit* next = habit(kOperators, peek().text);
    return fail_here(fmt::format("NOT {} is no operator of SPARQL", excerpt(peek().span)),
                     next == nullptr ? "there is NOT IN (...), and '!' before a condition"
                                     : fmt::format("{}, with '!' before it", next->instead));
  }
  if (const Habit* known = habit(kOperators, token_.text)) {
    return fail_here(fmt::format("{} is no operator of SPARQL", token_.text),
                     std::string(known->instead));
  }
  if (last_.kind == TokenKind::String && last_.text.empty() && is_next_to(last_, token_)) {
    fail_here("an empty string, and then a word: doubled quotation marks are no escape",
              "use one pair of quotation marks: \"...\"");
  }
}

}  // namespace helve::sparql
