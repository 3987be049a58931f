#include "sources/sql/mysql/statement_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/near_names.h"
#include "base/text.h"
#include "sources/sql/mysql/function_list.h"
#include "sources/sql/mysql/system_variables.h"
#include "sources/sql_tokens.h"

namespace helve::sql::mysql {

namespace {

constexpr std::string_view kReadHint =
    "only reading is allowed here: SELECT, WITH ... SELECT, VALUES, SHOW TABLES, SHOW COLUMNS, "
    "DESCRIBE, EXPLAIN";

constexpr std::size_t kParenthesesMax = 500;  // of parentheses

// Reserved words of both databases: nothing can be called so without quotation marks.
struct RefusedWord {
  std::string_view word;
  std::string_view what;
};
constexpr auto kRefused = std::to_array<RefusedWord>({
    {"ALTER", "changes tables"},
    {"CALL", "runs a procedure"},
    {"CREATE", "creates"},
    {"DELETE", "deletes rows"},
    {"DROP", "drops"},
    {"GRANT", "gives rights"},
    {"INFILE", "reads files"},
    {"INSERT", "inserts rows"},
    {"INTO", "writes the rows into files or variables"},
    {"KILL", "ends connections"},
    {"LOAD", "loads files"},
    {"LOCK", "locks"},
    {"OUTFILE", "writes files"},
    {"PROCEDURE", "runs a procedure"},
    {"PURGE", "removes logs"},
    {"RENAME", "renames"},
    {"REPLACE", "replaces rows"},
    {"REVOKE", "takes rights"},
    {"SET", "changes settings"},
    {"UNLOCK", "changes locks"},
    {"UPDATE", "updates rows or locks them"},
});

// Other words that statements begin with and that are no typing errors.
constexpr auto kCommands = std::to_array<std::string_view>(
    {"ANALYZE",  "BACKUP", "BEGIN",    "BINLOG",     "CACHE",     "CHANGE",    "CHECK",
     "CHECKSUM", "CLONE",  "COMMIT",   "DEALLOCATE", "DO",        "EXECUTE",   "FLUSH",
     "HANDLER",  "HELP",   "IMPORT",   "INSTALL",    "OPTIMIZE",  "PREPARE",   "RELEASE",
     "REPAIR",   "RESET",  "RESIGNAL", "RESTART",    "ROLLBACK",  "SAVEPOINT", "SHUTDOWN",
     "SIGNAL",   "START",  "STOP",     "TRUNCATE",   "UNINSTALL", "USE",       "XA"});
constexpr auto kStarts = std::to_array<std::string_view>(
    {"SELECT", "WITH", "VALUES", "TABLE", "SHOW", "DESCRIBE", "DESC", "EXPLAIN"});
constexpr auto kShowStatements = std::to_array<std::string_view>(
    {"TABLES", "COLUMNS", "FIELDS", "INDEX", "INDEXES", "KEYS", "DATABASES", "SCHEMAS", "VARIABLES",
     "STATUS", "COLLATION", "TRIGGERS"});

class StatementGuard {
 public:
  StatementGuard(std::string_view sql, std::vector<SqlToken> tokens,
                 StoredFunctions stored_functions, SqlProblem& problem,
                 const PlacedWords* placed = nullptr)
      : sql_(sql),
        tokens_(std::move(tokens)),
        stored_functions_(stored_functions),
        problem_(problem),
        placed_(placed) {}

  Result<GuardedStatement> check() {
    std::string_view whole = sql_;
    if (!tokens_.empty() && is_symbol(tokens_.size() - 1, ";")) {
      whole = sql_.substr(0, tokens_.back().begin);
      tokens_.pop_back();
    }
    if (tokens_.empty()) {
      return Error{ErrorCode::InvalidInput, "the statement is empty", hint()};
    }
    HELVE_TRY(check_depth());
    HELVE_TRY(check_hints());
    if (placed_ != nullptr) {
      HELVE_TRY(check_tokens(0));
      return GuardedStatement{StatementKind::Query, whole, std::move(calls_), false};
    }
    HELVE_ASSIGN(const StatementKind kind, check_start());
    return GuardedStatement{kind, whole, std::move(calls_), is_of_variables_};
  }

 private:
  std::string hint() const { return std::string(placed_ == nullptr ? kReadHint : placed_->hint); }
  bool is_placed(std::vector<std::size_t> PlacedWords::*list, std::size_t i) const {
    if (placed_ == nullptr) return false;
    const auto& bytes = placed_->*list;
    return std::binary_search(bytes.begin(), bytes.end(), tokens_[i].begin);
  }

  bool has(std::size_t i) const { return i < tokens_.size(); }
  bool is(std::size_t i, std::string_view word) const {
    return has(i) && is_word(tokens_[i], word);
  }
  bool is_symbol(std::size_t i, std::string_view text) const {
    return has(i) && tokens_[i].kind == SqlTokenKind::Symbol && tokens_[i].text == text;
  }
  bool is_name(std::size_t i) const {
    return has(i) &&
           (tokens_[i].kind == SqlTokenKind::Word || tokens_[i].kind == SqlTokenKind::Name);
  }
  template <std::size_t kCount>
  bool is_one_of(std::size_t i, const std::array<std::string_view, kCount>& words) const {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return is(i, word); });
  }
  std::size_t end_of(std::size_t i) const { return tokens_[i].begin + tokens_[i].text.size(); }
  bool starts_query(std::size_t i) const {
    return is(i, "SELECT") || is(i, "WITH") || is(i, "VALUES") || is(i, "TABLE");
  }

  std::string shown(std::size_t i) const {
    return elide_end(escape_for_terminal(tokens_[i].text), 60);
  }

  Error wrong(ErrorCode code, std::size_t i, std::string message, std::string hint) const {
    const std::size_t byte = has(i) ? tokens_[i].begin : sql_.size();
    return Error(code, std::move(message), std::move(hint)).at("sql", sql_position(sql_, byte));
  }
  Error denied(std::size_t i, std::string message, std::string advice) const {
    return wrong(ErrorCode::Denied, i, std::move(message), std::move(advice));
  }
  Error denied(std::size_t i, std::string message) const {
    return denied(i, std::move(message), hint());
  }

  // The databases work through parentheses by recursion.
  Result<void> check_depth() const {
    std::size_t depth = 0;
    for (std::size_t i = 0; has(i); ++i) {
      if (is_symbol(i, ")") && depth > 0) --depth;
      if (is_symbol(i, "(") && ++depth > kParenthesesMax) {
        return wrong(ErrorCode::LimitExceeded, i, "the statement is nested too deeply",
                     fmt::format("{} parentheses within each other at most", kParenthesesMax));
      }
    }
    return {};
  }

  // Hints of the optimizer are comments, but some of them change settings.
  Result<void> check_hints() const {
    for (std::size_t i = 0; i <= tokens_.size(); ++i) {
      const std::size_t begin = i == 0 ? 0 : end_of(i - 1);
      const std::size_t end = has(i) ? tokens_[i].begin : sql_.size();
      const std::string gap = ascii_lower(sql_.substr(begin, end - begin));
      if (gap.find("/*+") == std::string::npos) continue;
      for (const std::string_view setting : {"set_var", "resource_group"}) {
        if (gap.find(setting) != std::string::npos) {
          return denied(i, "a hint that changes settings is not allowed", "leave the hint out");
        }
      }
    }
    return {};
  }

  Result<StatementKind> check_start() {
    if (is(0, "SHOW")) {
      HELVE_TRY(check_show());
      return StatementKind::Show;
    }
    if (is(0, "EXPLAIN") || is(0, "DESCRIBE") || is(0, "DESC")) return check_explain();
    HELVE_TRY(check_query(0));
    return StatementKind::Query;
  }

  Result<void> check_query(std::size_t begin) {
    std::size_t i = begin;
    while (is_symbol(i, "(")) ++i;
    if (!starts_query(i)) return no_query(i);
    if (is(i, "WITH")) HELVE_TRY(check_with(i));
    return check_tokens(begin);
  }

  // The statement behind the tables that WITH names must read.
  Result<void> check_with(std::size_t i) const {
    ++i;
    if (is(i, "RECURSIVE")) ++i;
    while (true) {
      if (!is_name(i)) return unreadable_with(i);
      ++i;
      if (is_symbol(i, "(")) i = behind_parentheses(i);
      if (!is(i, "AS") || !is_symbol(i + 1, "(")) return unreadable_with(i);
      i = behind_parentheses(i + 1);
      if (is(i, "CYCLE")) {
        while (has(i) && !is(i, "RESTRICT")) ++i;
        ++i;
      }
      if (!is_symbol(i, ",")) break;
      ++i;
    }
    while (is_symbol(i, "(")) ++i;
    return is(i, "SELECT") || is(i, "VALUES") || is(i, "TABLE") ? Result<void>() : no_query(i);
  }
  Error unreadable_with(std::size_t i) const {
    return wrong(ErrorCode::InvalidInput, i, "WITH is not written as it should be",
                 "WITH name AS (SELECT ...) SELECT ...");
  }
  std::size_t behind_parentheses(std::size_t i) const {
    std::size_t depth = 0;
    for (; has(i); ++i) {
      if (is_symbol(i, "(")) ++depth;
      if (is_symbol(i, ")") && --depth == 0) return i + 1;
    }
    return i;
  }

  Error no_query(std::size_t i) const {
    if (!has(i)) {
      return wrong(ErrorCode::InvalidInput, i, "the statement has no SELECT",
                   std::string(kReadHint));
    }
    const std::string word = shown(i);
    for (const RefusedWord& refused : kRefused) {
      if (is(i, refused.word)) {
        return denied(i, fmt::format("{} {}: it is not allowed", refused.word, refused.what));
      }
    }
    if (is_one_of(i, kCommands)) {
      return denied(i, fmt::format("{} does not read: it is not allowed", word));
    }
    const auto near = near_names(word, {kStarts.begin(), kStarts.end()}, 1);
    return wrong(
        ErrorCode::InvalidInput, i, fmt::format("a statement cannot begin with {}", word),
        near.empty() ? std::string(kReadHint) : fmt::format("did you mean {}?", near.front()));
  }

  Result<void> check_show() {
    std::size_t i = 1;
    while (is(i, "FULL") || is(i, "EXTENDED") || is(i, "GLOBAL") || is(i, "SESSION")) ++i;
    if (is(i, "CREATE")) {
      const bool is_harmless =
          is(i + 1, "TABLE") || is(i + 1, "VIEW") || is(i + 1, "DATABASE") || is(i + 1, "SCHEMA");
      if (!is_harmless) return no_show(i);
      return check_tokens(i + 2);
    }
    const bool is_pair =
        (is(i, "TABLE") && is(i + 1, "STATUS")) || (is(i, "CHARACTER") && is(i + 1, "SET"));
    if (is_pair) return check_tokens(i + 2);
    is_of_variables_ = is(i, "VARIABLES");
    return is_one_of(i, kShowStatements) ? check_tokens(i + 1) : no_show(i);
  }
  Error no_show(std::size_t i) const {
    return denied(i, "this form of SHOW is not allowed",
                  "SHOW TABLES, COLUMNS, INDEX, CREATE TABLE, CREATE VIEW, DATABASES, TABLE "
                  "STATUS, VARIABLES and STATUS are");
  }

  // EXPLAIN SELECT ..., EXPLAIN FORMAT=JSON SELECT ..., and DESCRIBE table, which is the same word.
  Result<StatementKind> check_explain() {
    std::size_t i = 1;
    while (is(i, "EXTENDED") || is(i, "PARTITIONS")) ++i;
    if (is(i, "FORMAT") && is_symbol(i + 1, "=")) {
      if (!is_name(i + 2)) return no_query(i + 2);
      i += 3;
    }
    if (is(i, "ANALYZE")) {
      return denied(i, "EXPLAIN ANALYZE runs the statement: it is not allowed",
                    "leave ANALYZE out: EXPLAIN SELECT ...");
    }
    if (is_symbol(i, "(") || starts_query(i)) {
      HELVE_TRY(check_query(i));
      return StatementKind::Explain;
    }
    const bool is_command = std::any_of(kRefused.begin(), kRefused.end(),
                                        [&](const auto& refused) { return is(i, refused.word); });
    if (is_command || !is_name(i) || i > 1) return no_query(i);
    std::size_t end = i + 1;
    if (is_symbol(end, ".") && is_name(end + 1)) end += 2;
    if (is_name(end) || (has(end) && tokens_[end].kind == SqlTokenKind::Text)) ++end;
    if (has(end)) return no_query(end == i + 1 ? i : end);
    return StatementKind::Show;
  }

  Result<void> check_tokens(std::size_t begin) {
    for (std::size_t i = begin; has(i); ++i) HELVE_TRY(check_token(i));
    return {};
  }

  Result<void> check_token(std::size_t i) {
    const SqlToken& token = tokens_[i];
    const bool has_parenthesis = is_symbol(i + 1, "(");
    switch (token.kind) {
      case SqlTokenKind::Symbol:
        return check_symbol(i);
      case SqlTokenKind::Feed:
        return wrong(ErrorCode::InvalidInput, i,
                     fmt::format("{} stands where no column of a handle can", shown(i)),
                     "write it as IN (@results_0.column)");
      case SqlTokenKind::Variable:
        HELVE_TRY(check_variable(i));
        if (has_parenthesis) break;
        return {};
      case SqlTokenKind::Word:
        HELVE_TRY(check_word(i));
        return has_parenthesis ? check_call(i) : Result<void>();
      case SqlTokenKind::Name:
        HELVE_TRY(check_schema(i));
        return has_parenthesis ? check_call(i) : Result<void>();
      case SqlTokenKind::Number:
        // The databases read 1.e and the like in ways of their own.
        if (has_parenthesis || (is_name(i + 1) && tokens_[i + 1].begin == end_of(i))) break;
        return {};
      default:
        if (has_parenthesis) break;
        return {};
    }
    return wrong(ErrorCode::InvalidInput, i,
                 fmt::format("what follows {} cannot be read", shown(i)),
                 "put an operator or a comma between them");
  }

  Result<void> check_symbol(std::size_t i) const {
    if (tokens_[i].text == ";") {
      return denied(i, "there is more than one statement", "send one statement in each call");
    }
    if (tokens_[i].text == ":=") {
      return denied(i, "':=' sets a variable: it is not allowed",
                    "use a window function or WITH instead of variables");
    }
    return {};
  }

  bool is_behind_dot(std::size_t i) const {
    return i > 0 && is_symbol(i - 1, ".") && end_of(i - 1) == tokens_[i].begin;
  }

  // @@datadir, @@global.datadir and the like tell of files; @a is a variable of the session.
  Result<void> check_variable(std::size_t i) const {
    std::string_view name = tokens_[i].text;
    if (!name.starts_with("@@")) return {};
    name.remove_prefix(2);
    if (name.size() > 2 && name.front() == '`') name = name.substr(1, name.size() - 2);
    for (const std::string_view scope : {"global.", "session.", "local."}) {
      if (is_same_in_any_case(name.substr(0, scope.size()), scope)) {
        name.remove_prefix(scope.size());
        break;
      }
    }
    if (is_shown_variable(name)) return {};
    return denied(i, fmt::format("the variable {} may not be seen", shown(i)),
                  "variables that may be: @@version, @@sql_mode, @@time_zone and the like");
  }

  // information_schema.global_variables and the like, and the same where that is the database.
  Result<void> check_variable_table(std::size_t i) const {
    if (!is_variable_table(value_of(tokens_[i], SqlDialect::MySql))) return {};
    const bool is_qualified = i > 1 && is_symbol(i - 1, ".");
    const std::string schema = is_qualified ? value_of(tokens_[i - 2], SqlDialect::MySql) : "";
    const bool is_of_system = is_same_in_any_case(schema, "information_schema") ||
                              is_same_in_any_case(schema, "performance_schema");
    const bool is_bare_table = !is_qualified && i > 0 &&
                               (is(i - 1, "FROM") || is(i - 1, "JOIN") || is(i - 1, "TABLE") ||
                                is_symbol(i - 1, ",") || is_symbol(i - 1, "("));
    if (!is_of_system && !is_bare_table) return {};
    return denied(i,
                  fmt::format("{} may not be read: it has all variables of the server", shown(i)),
                  "SHOW VARIABLES has those that may be seen");
  }

  // The schema mysql has the passwords and rights of all users.
  Result<void> check_schema(std::size_t i) const {
    HELVE_TRY(check_variable_table(i));
    const bool is_first = i == 0 || !is_symbol(i - 1, ".");
    const bool is_schema = is_first && is_symbol(i + 1, ".") &&
                           is_same_in_any_case(value_of(tokens_[i], SqlDialect::MySql), "mysql");
    if (!is_schema) return {};
    return denied(i, "the tables of the schema mysql are not allowed",
                  "information_schema tells of tables and columns");
  }

  Result<void> check_word(std::size_t i) const {
    if (is_behind_dot(i)) return check_variable_table(i);
    HELVE_TRY(check_schema(i));
    if (is(i, "FOR") && (is(i + 1, "UPDATE") || is(i + 1, "SHARE"))) {
      return denied(i,
                    fmt::format("FOR {} locks rows: it is not allowed",
                                is(i + 1, "UPDATE") ? "UPDATE" : "SHARE"),
                    "leave it out");
    }
    if (is(i, "LOCK") && is(i + 1, "IN")) {
      return denied(i, "LOCK IN SHARE MODE locks rows: it is not allowed", "leave it out");
    }
    // No reserved word: it may be the name of a column.
    if (is(i, "DUMPFILE") && has(i + 1) && tokens_[i + 1].kind == SqlTokenKind::Text) {
      return denied(i, "DUMPFILE writes files: it is not allowed");
    }
    if ((is(i, "NEXT") || is(i, "PREVIOUS")) && is(i + 1, "VALUE") && is(i + 2, "FOR")) {
      return denied(i, "the values of sequences are not allowed");
    }
    const auto refused = std::find_if(kRefused.begin(), kRefused.end(),
                                      [&](const auto& one) { return is(i, one.word); });
    if (refused == kRefused.end() || is_placed(&PlacedWords::words, i)) return {};
    const bool is_function = is_symbol(i + 1, "(") && is_allowed_function(refused->word);
    const bool is_charset = is(i, "SET") && i > 0 && (is(i - 1, "CHARACTER") || is(i - 1, "CHAR"));
    if (is_function || is_charset) return {};
    return denied(i, fmt::format("{} {}: it is not allowed", refused->word, refused->what),
                  fmt::format("{}; put a name that is spelled so into back-ticks", hint()));
  }

  // A word or a name before a parenthesis: a function, unless the grammar has it there.
  Result<void> check_call(std::size_t i) {
    const std::string_view name = tokens_[i].text;
    if (is_placed(&PlacedWords::lists, i)) return {};
    if (is_allowed_stored_function(i)) return {};
    if (i > 0 && is_symbol(i - 1, ".")) {
      return denied(i, fmt::format("{} is a stored function: it is not allowed", shown(i)),
                    "built-in functions are, without a schema before them; an operator can add "
                    "stored ones by allowed_functions in the policy");
    }
    if (is_column_list(i)) return {};
    if (tokens_[i].kind == SqlTokenKind::Name) {
      return denied(i,
                    fmt::format("{} is called like a stored function: it is not allowed", shown(i)),
                    "write built-in functions without quotation marks");
    }
    calls_.push_back({std::string(name), tokens_[i].begin});
    const bool is_derived = is(i, "LATERAL") && starts_query(i + 2);
    if (is_derived || is_syntax_before_parenthesis(name)) return {};
    if (!is_allowed_function(name)) return unknown_function(i);
    // With a comment between them the name could be that of a stored function.
    const std::string_view gap = sql_.substr(end_of(i), tokens_[i + 1].begin - end_of(i));
    if (gap.find_first_not_of(" \t\n\v\f\r") != std::string_view::npos) {
      return denied(i, fmt::format("a comment stands between {} and its parenthesis", name),
                    "leave the comment out");
    }
    if (is(i, "LAST_INSERT_ID") && !is_symbol(i + 2, ")")) {
      return denied(i, "LAST_INSERT_ID with an argument changes the session: it is not allowed");
    }
    return {};
  }

  // Whether the server has it is for check_calls().
  bool is_allowed_stored_function(std::size_t i) {
    std::string name = value_of(tokens_[i], SqlDialect::MySql);
    const bool has_schema =
        i > 1 && is_symbol(i - 1, ".") && is_name(i - 2) && (i == 2 || !is_symbol(i - 3, "."));
    const bool is_plain = i == 0 || !is_symbol(i - 1, ".");
    if (has_schema) name = value_of(tokens_[i - 2], SqlDialect::MySql) + "." + name;
    const bool is_allowed =
        (has_schema || is_plain) &&
        std::any_of(stored_functions_.begin(), stored_functions_.end(),
                    [&](const std::string& one) { return is_same_in_any_case(one, name); });
    if (is_allowed) calls_.push_back({std::move(name), tokens_[i].begin, true});
    return is_allowed;
  }

  // c (a, b) AS ( of WITH, and AS d (a, b) or ) d (a, b) of a derived table: no function can stand
  // there.
  bool is_column_list(std::size_t i) const {
    if (i == 0) return false;
    std::size_t end = i + 2;
    while (is_name(end) && is_symbol(end + 1, ",")) end += 2;
    if (!is_name(end) || !is_symbol(end + 1, ")")) return false;
    end += 2;
    if (is(i - 1, "AS") || is_symbol(i - 1, ")")) return true;
    const bool may_be_with = is(i - 1, "WITH") || is(i - 1, "RECURSIVE") || is_symbol(i - 1, ",");
    return may_be_with && is(end, "AS") && is_symbol(end + 1, "(");
  }

  Error unknown_function(std::size_t i) const {
    const std::string_view name = tokens_[i].text;
    const auto near = near_names(name, allowed_functions());
    problem_ = {SqlProblem::Kind::UnknownFunction, std::string(name)};
    return denied(i, fmt::format("the function {} is not one of those that are allowed", shown(i)),
                  near.empty() ? "built-in functions that only compute are allowed"
                               : fmt::format("did you mean {}?", fmt::join(near, ", ")));
  }

  std::string_view sql_;
  std::vector<SqlToken> tokens_;
  std::vector<CalledName> calls_;
  StoredFunctions stored_functions_;
  SqlProblem& problem_;
  const PlacedWords* placed_;
  bool is_of_variables_ = false;
};

}  // namespace

Result<GuardedStatement> check_statement(std::string_view sql, StoredFunctions stored_functions,
                                         SqlProblem& problem) {
  problem = {};
  HELVE_ASSIGN(auto tokens, read_sql_tokens(sql, SqlDialect::MySql));
  auto statement = StatementGuard(sql, std::move(tokens), stored_functions, problem).check();
  if (!statement && statement.error().code == ErrorCode::InvalidInput) {
    problem.kind = SqlProblem::Kind::Syntax;
  }
  return statement;
}

Result<GuardedStatement> check_placed(std::string_view sql, const PlacedWords& placed,
                                      SqlProblem& problem) {
  problem = {};
  HELVE_ASSIGN(auto tokens, read_sql_tokens(sql, SqlDialect::MySql));
  return StatementGuard(sql, std::move(tokens), placed.stored_functions, problem, &placed).check();
}

Result<void> check_calls(const GuardedStatement& statement, const StoredNames& stored) {
  for (const CalledName& call : statement.calls) {
    const auto refused = [&](std::string message, const char* hint) {
      return Error(ErrorCode::Denied, std::move(message), hint)
          .at("sql", sql_position(statement.sql, call.begin));
    };
    if (call.is_stored) {
      if (std::binary_search(stored.all.begin(), stored.all.end(), ascii_upper(call.name)))
        continue;
      return refused(
          fmt::format("{} is not a stored function that the user may call", quote_name(call.name)),
          "built-in functions that only compute are allowed");
    }
    if (!is_listed_name(stored.taken, call.name)) continue;
    return refused(
        fmt::format("{} is the name of a stored function of this server: it is not allowed",
                    call.name),
        "use other built-in functions");
  }
  return {};
}

Result<void> check_databases(const GuardedStatement& statement,
                             const std::vector<std::string>& others) {
  if (others.empty()) return {};
  HELVE_ASSIGN(const auto tokens, read_sql_tokens(statement.sql, SqlDialect::MySql));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const SqlToken& token = tokens[i];
    if (token.kind != SqlTokenKind::Word && token.kind != SqlTokenKind::Name) continue;
    // What stands before a dot may be a database; SHOW has databases without one.
    // A table of digits (sakila.2024) is read as a number.
    const bool has_dot = i + 1 < tokens.size() && tokens[i + 1].text.starts_with('.');
    if (!has_dot && statement.kind != StatementKind::Show) continue;
    const std::string name = value_of(token, SqlDialect::MySql);
    const bool is_other = std::any_of(others.begin(), others.end(), [&](const std::string& other) {
      return may_be_same_name(other, name);
    });
    if (!is_other) continue;
    return Error(ErrorCode::Denied,
                 fmt::format("{} is another database than that of the source", quote_name(name)),
                 "leave it out; an operator can add databases to the address of the source by "
                 "?databases=NAME,NAME")
        .at("sql", sql_position(statement.sql, token.begin));
  }
  return {};
}

}  // namespace helve::sql::mysql
