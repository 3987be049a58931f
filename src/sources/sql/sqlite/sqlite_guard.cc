#include "sources/sql/sqlite/sqlite_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "sources/sql_tokens.h"

namespace helve::sql {

namespace {

using Kind = SqlProblem::Kind;

bool is_any_word(const SqlToken& token, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return is_word(token, word); });
}

std::size_t behind_explain(const std::vector<SqlToken>& tokens) {
  if (tokens.empty() || !is_word(tokens[0], "EXPLAIN")) return 0;
  const bool is_plan =
      tokens.size() > 2 && is_word(tokens[1], "QUERY") && is_word(tokens[2], "PLAN");
  return is_plan ? 3 : 1;
}

Error not_reading(std::string_view word, std::string_view sql, std::size_t byte) {
  std::string upper(word);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return Error(ErrorCode::Denied,
               fmt::format("{} is not allowed: only statements that read are", upper),
               "write one SELECT statement")
      .at("sql", sql_position(sql, byte));
}

// "main.custmer" -> "custmer"
std::string_view last_part(std::string_view name) {
  const std::size_t point = name.rfind('.');
  return point == std::string_view::npos ? name : name.substr(point + 1);
}

}  // namespace

Result<void> check_sqlite_statement(std::string_view sql) {
  HELVE_ASSIGN(const auto tokens, read_sql_tokens(sql, SqlDialect::Sqlite));
  const std::size_t first = behind_explain(tokens);
  if (first >= tokens.size()) {
    return Error{ErrorCode::InvalidInput, "there is no SQL statement",
                 "write one SELECT statement"};
  }
  const SqlToken& word = tokens[first];
  const bool is_writing =
      is_any_word(word, {"INSERT", "UPDATE", "DELETE", "REPLACE", "CREATE", "DROP", "ALTER",
                         "VACUUM", "REINDEX", "ANALYZE", "ATTACH", "DETACH", "BEGIN", "COMMIT",
                         "END", "ROLLBACK", "SAVEPOINT", "RELEASE"});
  // A plan of something that is not run by itself.
  const bool is_odd_plan = first > 0 && !is_any_word(word, {"SELECT", "VALUES", "WITH"});
  if (is_writing || is_odd_plan) return not_reading(word.text, sql, word.begin);
  return {};
}

std::string_view without_explain(std::string_view sql) {
  const auto tokens = read_sql_tokens(sql, SqlDialect::Sqlite);
  if (!tokens) return sql;
  const std::size_t first = behind_explain(*tokens);
  return first > 0 && first < tokens->size() ? sql.substr((*tokens)[first].begin) : sql;
}

SqlProblem problem_of(Error& error, std::string_view sql) {
  constexpr std::pair<std::string_view, Kind> kUnknown[] = {
      {"no such table: ", Kind::UnknownTable},
      {"no such column: ", Kind::UnknownColumn},
      {"no such function: ", Kind::UnknownFunction}};
  SqlProblem problem;
  const std::string_view message = error.message;
  for (const auto& [start, kind] : kUnknown) {
    if (!message.starts_with(start)) continue;
    problem.kind = kind;
    problem.name = message.substr(start.size());
  }
  const bool is_syntax = message.ends_with("syntax error") || message == "incomplete input" ||
                         message.starts_with("unrecognized token");
  if (error.code == ErrorCode::InvalidInput && is_syntax) problem.kind = Kind::Syntax;
  if (error.position || problem.name.empty()) return problem;
  const auto tokens = read_sql_tokens(sql, SqlDialect::Sqlite);
  if (!tokens) return problem;
  const std::string_view name = last_part(problem.name);
  const auto found = std::find_if(tokens->begin(), tokens->end(), [&](const SqlToken& token) {
    return (token.kind == SqlTokenKind::Word || token.kind == SqlTokenKind::Name) &&
           is_same_in_any_case(value_of(token, SqlDialect::Sqlite), name);
  });
  if (found != tokens->end()) error.at("sql", sql_position(sql, found->begin));
  return problem;
}

}  // namespace helve::sql
