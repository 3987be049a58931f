#include "toolkit/tables/condition_reader.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "sources/rdf/vocabulary.h"

namespace helve::toolkit {

namespace {

using Tokens = std::span<const SqlToken>;

constexpr std::size_t kUnwrapMax = 8;
constexpr std::size_t kConditionsMax = 64;

bool is_symbol(const SqlToken& token, std::string_view symbol) {
  return token.kind == SqlTokenKind::Symbol && token.text == symbol;
}

bool is_name(const SqlToken& token) {
  return token.kind == SqlTokenKind::Name ||
         (token.kind == SqlTokenKind::Word && !is_sql_keyword(token));
}

SqlSpan span_of(Tokens tokens) {
  if (tokens.empty()) return {};
  return {tokens.front().begin, tokens.back().begin + tokens.back().text.size()};
}

// How a token changes the depth: parentheses, and CASE ... END.
int depth_change(const SqlToken& token) {
  if (is_symbol(token, "(") || is_word(token, "CASE")) return 1;
  return is_symbol(token, ")") || is_word(token, "END") ? -1 : 0;
}

// The token at depth 0 that the test is true for; the size where there is none.
template <typename Test>
std::size_t find_outside(Tokens tokens, std::size_t from, Test test) {
  int depth = 0;
  for (std::size_t i = from; i < tokens.size(); ++i) {
    if (depth == 0 && test(tokens[i])) return i;
    depth = std::max(0, depth + depth_change(tokens[i]));
  }
  return tokens.size();
}

// (a AND b) without its parentheses; anything else as it is.
Tokens unwrapped(Tokens tokens) {
  for (std::size_t i = 0; i < kUnwrapMax; ++i) {
    if (tokens.size() < 3 || !is_symbol(tokens.front(), "(") || !is_symbol(tokens.back(), ")")) {
      break;
    }
    int depth = 0;
    std::size_t close = 0;
    while (close < tokens.size()) {
      depth += depth_change(tokens[close]);
      if (depth == 0) break;
      ++close;
    }
    if (close + 1 != tokens.size()) break;
    tokens = tokens.subspan(1, tokens.size() - 2);
  }
  return tokens;
}

std::string_view comparison_of(const SqlToken& token) {
  constexpr std::array<std::string_view, 7> kSymbols = {"=", "<>", "!=", "<", "<=", ">", ">="};
  if (token.kind == SqlTokenKind::Symbol) {
    const auto* found = std::find(kSymbols.begin(), kSymbols.end(), token.text);
    if (found == kSymbols.end()) return {};
    return *found == "!=" ? "<>" : *found;
  }
  for (const std::string_view word : {"LIKE", "ILIKE", "IN", "BETWEEN", "IS"}) {
    if (is_word(token, word)) return word;
  }
  return {};
}

std::string_view turned(std::string_view comparison) {
  if (comparison == "<") return ">";
  if (comparison == "<=") return ">=";
  if (comparison == ">") return "<";
  return comparison == ">=" ? "<=" : comparison;
}

class ConditionReader {
 public:
  ConditionReader(SqlDialect dialect, const ValueOfMark& value_of_mark)
      : dialect_(dialect), value_of_mark_(value_of_mark) {}

  SqlCondition read(Tokens all) const {
    SqlCondition condition;
    condition.span = span_of(all);
    note_columns(all, condition);
    const Tokens tokens = unwrapped(all);
    const std::size_t at = find_outside(
        tokens, 0, [](const SqlToken& token) { return !comparison_of(token).empty(); });
    if (at == 0 || at + 1 >= tokens.size() || is_word(tokens[0], "NOT") ||
        is_word(tokens[0], "EXISTS")) {
      return condition;
    }
    condition.comparison = comparison_of(tokens[at]);
    Tokens left = tokens.first(at);
    if (is_word(left.back(), "NOT")) {
      condition.is_negated = true;
      left = left.first(left.size() - 1);
    }
    condition.expression = span_of(left);
    if (!left.empty()) read_right(left, tokens.subspan(at + 1), condition);
    return condition;
  }

 private:
  void read_right(Tokens left, Tokens right, SqlCondition& condition) const {
    const std::string& comparison = condition.comparison;
    if (comparison == "IS") return read_is(right, condition);
    if (comparison == "IN") return read_in(right, condition);
    if (comparison == "BETWEEN") {
      const std::size_t end =
          find_outside(right, 0, [](const SqlToken& token) { return is_word(token, "AND"); });
      if (end >= right.size() || !take(right.first(end), condition) ||
          !take(right.subspan(end + 1), condition)) {
        return;
      }
      condition.kind = SqlCondition::Kind::Between;
    } else if (comparison.ends_with("LIKE")) {
      const std::size_t end =
          find_outside(right, 0, [](const SqlToken& token) { return is_word(token, "ESCAPE"); });
      if (take(right.first(end), condition)) condition.kind = SqlCondition::Kind::Like;
    } else if (take(right, condition)) {
      condition.kind = SqlCondition::Kind::Compare;
    } else if (is_column(left) && is_column(right)) {
      condition.kind = SqlCondition::Kind::Columns;
    } else if (take(left, condition)) {
      condition.kind = SqlCondition::Kind::Compare;
      condition.comparison = turned(comparison);
      condition.expression = span_of(right);
    }
  }

  static void read_is(Tokens right, SqlCondition& condition) {
    const bool is_not = right.size() == 2 && is_word(right[0], "NOT");
    if (!(is_not || right.size() == 1) || !is_word(right.back(), "NULL")) return;
    condition.kind = is_not ? SqlCondition::Kind::IsNotNull : SqlCondition::Kind::IsNull;
  }

  void read_in(Tokens right, SqlCondition& condition) const {
    if (right.size() < 3 || !is_symbol(right.front(), "(") || !is_symbol(right.back(), ")")) return;
    Tokens rest = right.subspan(1, right.size() - 2);
    while (!rest.empty()) {
      const std::size_t end =
          find_outside(rest, 0, [](const SqlToken& token) { return is_symbol(token, ","); });
      if (!take(rest.first(end), condition)) return condition.values.clear();
      rest = rest.subspan(std::min(end + 1, rest.size()));
    }
    condition.kind = SqlCondition::Kind::In;
  }

  // One value and nothing else.
  bool take(Tokens tokens, SqlCondition& condition) const {
    auto value = read_value(unwrapped(tokens));
    if (!value) return false;
    condition.values.push_back(*std::move(value));
    return true;
  }

  std::optional<OutlineValue> read_value(Tokens tokens) const {
    // DATE '2009-01-01', and '2009-01-01'::date
    const bool is_typed = tokens.size() == 2 && tokens[0].kind == SqlTokenKind::Word &&
                          tokens[1].kind == SqlTokenKind::Text;
    const bool is_cast = tokens.size() == 3 && is_symbol(tokens[1], "::");
    const bool is_minus =
        tokens.size() == 2 && is_symbol(tokens[0], "-") && tokens[1].kind == SqlTokenKind::Number;
    if (tokens.size() != 1 && !is_typed && !is_cast && !is_minus) return std::nullopt;
    const SqlToken& token = is_typed || is_minus ? tokens[1] : tokens[0];
    OutlineValue value;
    value.span = span_of(tokens);
    switch (token.kind) {
      case SqlTokenKind::Text:
        value.is_text = true;
        value.value = rdf::Term(rdf::TermView::literal(value_of(token, dialect_)));
        return value;
      case SqlTokenKind::Number:
        value.value = number((is_minus ? "-" : "") + std::string(token.text));
        return value;
      case SqlTokenKind::Parameter:
        if (const SqlValue* given = value_of_mark_(token)) {
          value.value = *given;
          value.is_parameter = true;
          value.is_text = given->has_value() && (*given)->datatype.empty();
          return value;
        }
        return std::nullopt;
      case SqlTokenKind::Word:
        if (is_word(token, "NULL")) return value;
        if (!is_word(token, "TRUE") && !is_word(token, "FALSE")) return std::nullopt;
        value.value = rdf::Term(rdf::TermView::literal(ascii_lower(token.text), rdf::kXsdBoolean));
        return value;
      default:
        return std::nullopt;
    }
  }

  static SqlValue number(const std::string& text) {
    const bool is_whole = text.find_first_of(".eEx") == std::string::npos;
    const bool is_exact = text.find_first_of("eEx") == std::string::npos;
    return rdf::Term(rdf::TermView::literal(
        text, is_whole ? rdf::kXsdInteger : (is_exact ? rdf::kXsdDecimal : rdf::kXsdDouble)));
  }

  static bool is_column(Tokens tokens) {
    if (tokens.empty() || tokens.size() > 5 || tokens.size() % 2 == 0) return false;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (i % 2 == 0 ? !is_name(tokens[i]) : !is_symbol(tokens[i], ".")) return false;
    }
    return true;
  }

  void note_columns(Tokens tokens, SqlCondition& condition) const {
    for (std::size_t i = 0; i < tokens.size() && condition.columns.size() < kConditionsMax; ++i) {
      if (!is_name(tokens[i])) continue;
      ColumnUse column;
      column.name = value_of(tokens[i], dialect_);
      while (i + 2 < tokens.size() && is_symbol(tokens[i + 1], ".") && is_name(tokens[i + 2])) {
        column.qualifier += (column.qualifier.empty() ? "" : ".") + column.name;
        i += 2;
        column.name = value_of(tokens[i], dialect_);
      }
      const SqlToken* next = i + 1 < tokens.size() ? &tokens[i + 1] : nullptr;
      const bool is_type_or_call =
          next != nullptr && (is_symbol(*next, "(") || next->kind == SqlTokenKind::Text);
      const bool is_cast = i > 0 && is_symbol(tokens[i - 1], "::");
      if (!is_type_or_call && !is_cast) condition.columns.push_back(std::move(column));
    }
  }

  SqlDialect dialect_;
  const ValueOfMark& value_of_mark_;
};

}  // namespace

bool is_sql_keyword(const SqlToken& token) {
  constexpr std::array<std::string_view, 60> kWords = {
      "ALL",    "AND",     "ANY",    "AS",    "ASC",      "BETWEEN",   "BY",       "CASE",
      "CAST",   "COLLATE", "CROSS",  "DESC",  "DISTINCT", "ELSE",      "END",      "ESCAPE",
      "EXCEPT", "EXISTS",  "FALSE",  "FETCH", "FOR",      "FROM",      "FULL",     "GLOB",
      "GROUP",  "HAVING",  "ILIKE",  "IN",    "INNER",    "INTERSECT", "INTERVAL", "IS",
      "JOIN",   "LATERAL", "LEFT",   "LIKE",  "LIMIT",    "NATURAL",   "NOT",      "NULL",
      "OFFSET", "ON",      "OR",     "ORDER", "OUTER",    "OVER",      "REGEXP",   "RIGHT",
      "SELECT", "SIMILAR", "SOME",   "THEN",  "TRUE",     "UNION",     "USING",    "VALUES",
      "WHEN",   "WHERE",   "WINDOW", "WITH"};
  if (token.kind != SqlTokenKind::Word || token.text.size() > 9) return false;
  std::array<char, 9> upper{};
  std::transform(token.text.begin(), token.text.end(), upper.begin(),
                 [](char c) { return ascii_upper(c); });
  return std::binary_search(kWords.begin(), kWords.end(),
                            std::string_view(upper.data(), token.text.size()));
}

std::vector<SqlCondition> read_conditions(Tokens tokens, SqlDialect dialect,
                                          const ValueOfMark& value_of_mark) {
  const ConditionReader reader(dialect, value_of_mark);
  std::vector<SqlCondition> conditions;
  Tokens rest = unwrapped(tokens);
  const std::size_t alternative =
      find_outside(rest, 0, [](const SqlToken& token) { return is_word(token, "OR"); });
  if (alternative < rest.size()) return {reader.read(rest)};
  while (!rest.empty() && conditions.size() < kConditionsMax) {
    bool is_between = false;
    const std::size_t end = find_outside(rest, 0, [&](const SqlToken& token) {
      if (is_word(token, "BETWEEN")) is_between = true;
      if (!is_word(token, "AND")) return false;
      return !std::exchange(is_between, false);
    });
    const bool is_last = conditions.size() + 1 == kConditionsMax;
    const Tokens one = is_last ? rest : rest.first(end);
    if (!one.empty()) conditions.push_back(reader.read(one));
    rest = rest.subspan(is_last ? rest.size() : std::min(end + 1, rest.size()));
  }
  return conditions;
}

}  // namespace helve::toolkit
