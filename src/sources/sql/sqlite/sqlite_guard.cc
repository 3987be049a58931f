#include "sources/sql/sqlite/sqlite_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"
#include "sources/sql_tokens.h"

namespace helve::sql {

namespace {

using ProblemKind = SqlProblem::Kind;

constexpr const char* kOwner = "let the owner of the database do it";

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
  return Error(ErrorCode::Denied,
               fmt::format("{} is not allowed: only statements that read are", ascii_upper(word)),
               "write one SELECT statement")
      .at("sql", sql_position(sql, byte));
}

Error denied(std::string why, std::string hint) {
  return {ErrorCode::Denied, std::move(why), std::move(hint)};
}

// Refusals in words that say more than a grammar could.
Result<void> check_first_words(const std::vector<SqlToken>& tokens) {
  constexpr std::size_t kWordsMax = 4;
  if (tokens.empty()) return {};
  for (const std::string_view upkeep : {"VACUUM", "REINDEX", "ANALYZE"}) {
    if (is_word(tokens[0], upkeep)) {
      return denied(
          fmt::format("{} is not allowed: it keeps the file up and changes no data", upkeep),
          kOwner);
    }
  }
  if (is_word(tokens[0], "TRUNCATE")) {
    return Error{ErrorCode::InvalidInput, "SQLite has no TRUNCATE", "write DELETE FROM the table"};
  }
  if (!is_word(tokens[0], "CREATE") && !is_word(tokens[0], "DROP")) return {};
  for (std::size_t i = 1; i < std::min(tokens.size(), kWordsMax); ++i) {
    if (is_word(tokens[i], "TABLE") || is_word(tokens[i], "VIEW") || is_word(tokens[i], "INDEX")) {
      break;
    }
    if (is_word(tokens[i], "TRIGGER")) {
      return denied("triggers cannot be made or dropped: they are code that runs later, for others",
                    kOwner);
    }
    if (is_word(tokens[i], "VIRTUAL")) return denied("virtual tables cannot be made", kOwner);
    if (is_word(tokens[i], "TEMP") || is_word(tokens[i], "TEMPORARY")) {
      return denied("temporary tables, indexes and views cannot be made",
                    "results of queries stay behind their handles: result_sql joins them");
    }
  }
  return {};
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

Result<WriteShape> sqlite_write_shape(std::string_view sql) {
  constexpr std::array<std::string_view, 7> kDefinitions = {
      "CREATE TABLE", "CREATE INDEX", "CREATE VIEW", "ALTER TABLE",
      "DROP TABLE",   "DROP INDEX",   "DROP VIEW"};
  HELVE_ASSIGN(const auto tokens, read_sql_tokens(sql, SqlDialect::Sqlite));
  HELVE_TRY(check_first_words(tokens));
  HELVE_ASSIGN(WriteShape shape, read_write_shape(sql, SqlDialect::Sqlite));
  if (shape.kind == WriteKind::Definition &&
      std::find(kDefinitions.begin(), kDefinitions.end(), shape.verb) == kDefinitions.end()) {
    return Error{ErrorCode::InvalidInput, fmt::format("SQLite has no {}", shape.verb),
                 "tables, indexes and views can be made, altered and dropped"};
  }
  if (!shape.schema.empty() && !is_same_in_any_case(shape.schema, "main")) {
    return denied(fmt::format("the schema '{}' cannot be changed", shape.schema),
                  "leave the schema out");
  }
  if (ascii_lower(shape.table).starts_with("sqlite_")) {
    return denied(fmt::format("'{}' is SQLite's own: it may not be changed", shape.table),
                  "change tables and columns that are allowed");
  }
  return shape;
}

std::string_view view_body(std::string_view sql) {
  const auto tokens = read_sql_tokens(sql, SqlDialect::Sqlite);
  if (!tokens || tokens->size() < 2 || !is_word((*tokens)[0], "CREATE")) return {};
  if (!is_word((*tokens)[1], "VIEW")) return {};
  int depth = 0;
  for (const SqlToken& token : *tokens) {
    if (token.text == "(") ++depth;
    if (token.text == ")") --depth;
    if (depth == 0 && is_word(token, "AS")) return sql.substr(token.begin + token.text.size());
  }
  return {};
}

std::string_view without_explain(std::string_view sql) {
  const auto tokens = read_sql_tokens(sql, SqlDialect::Sqlite);
  if (!tokens) return sql;
  const std::size_t first = behind_explain(*tokens);
  return first > 0 && first < tokens->size() ? sql.substr((*tokens)[first].begin) : sql;
}

SqlProblem problem_of(Error& error, std::string_view sql) {
  constexpr std::pair<std::string_view, ProblemKind> kUnknown[] = {
      {"no such table: ", ProblemKind::UnknownTable},
      {"no such column: ", ProblemKind::UnknownColumn},
      {"no such function: ", ProblemKind::UnknownFunction}};
  constexpr std::pair<std::string_view, ProblemKind> kMistakes[] = {
      {"unrecognized token", ProblemKind::Syntax},
      {"incomplete input", ProblemKind::Syntax},
      {"ambiguous column name", ProblemKind::AmbiguousName},
      {"misuse of aggregate", ProblemKind::Grouping},
      {"aggregate functions are not allowed", ProblemKind::Grouping},
      {"a GROUP BY clause is required", ProblemKind::Grouping},
      {"datatype mismatch", ProblemKind::WrongValue}};
  SqlProblem problem;
  const std::string_view text = error.detail;
  for (const auto& [start, kind] : kUnknown) {
    if (text.starts_with(start)) problem = {kind, std::string(text.substr(start.size()))};
  }
  if (error.code == ErrorCode::InvalidInput) {
    for (const auto& [start, kind] : kMistakes) {
      if (text.starts_with(start)) problem.kind = kind;
    }
    if (text.ends_with("syntax error")) problem.kind = ProblemKind::Syntax;
    if (problem.kind == ProblemKind::Syntax) error.message = "the SQL is malformed";
  }
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
