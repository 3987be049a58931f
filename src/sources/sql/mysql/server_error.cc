#include "sources/sql/mysql/server_error.h"

#include <errmsg.h>
#include <fmt/format.h>
#include <mysqld_error.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "base/utf8.h"
#include "sources/sql_tokens.h"

namespace helve::sql::mysql {

namespace {

// Of MySQL 8 alone: the header does not have them.
constexpr unsigned kQueryTimeout = 3024;  // max_execution_time
constexpr unsigned kClientInteractionTimeout = 4031;
// A syntax error shows the statement from its place on, cut when it is longer than this.
constexpr std::size_t kNearBytesMin = 76;

using Kind = SqlProblem::Kind;

// Bytes of a message that are no UTF-8 are left out.
std::string clean(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t valid = utf8_valid_prefix(text);
    out += text.substr(0, valid);
    text.remove_prefix(std::min(valid + 1, text.size()));
  }
  return out;
}

// The first text between ' and ' of a message.
std::string quoted(std::string_view message) {
  const std::size_t begin = message.find('\'');
  if (begin == std::string_view::npos) return {};
  const std::size_t end = message.find('\'', begin + 1);
  if (end == std::string_view::npos) return {};
  return std::string(message.substr(begin + 1, end - begin - 1));
}

// "FUNCTION shop.f does not exist"
std::string function_name(std::string_view message) {
  constexpr std::string_view kBefore = "FUNCTION ";
  const std::size_t begin = message.find(kBefore);
  if (begin == std::string_view::npos) return quoted(message);
  message.remove_prefix(begin + kBefore.size());
  return std::string(message.substr(0, message.find(' ')));
}

std::string without_database(std::string name, std::string_view database) {
  const bool has_it =
      !database.empty() && name.size() > database.size() + 1 && name[database.size()] == '.' &&
      is_same_in_any_case(std::string_view(name).substr(0, database.size()), database);
  return has_it ? name.substr(database.size() + 1) : name;
}

// Where a name stands in the statement; "t.a" only where t is before it.
std::optional<TextPosition> find_name(std::string_view sql, std::string_view name) {
  const auto tokens = read_sql_tokens(sql, SqlDialect::MySql);
  if (!tokens || name.empty()) return std::nullopt;
  const std::size_t dot = name.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
  std::string_view before = dot == std::string_view::npos ? "" : name.substr(0, dot);
  before = before.substr(before.rfind('.') + 1);
  const auto is_named = [&](std::size_t i, std::string_view text) {
    const SqlToken& token = (*tokens)[i];
    return (token.kind == SqlTokenKind::Word || token.kind == SqlTokenKind::Name) &&
           is_same_in_any_case(value_of(token, SqlDialect::MySql), text);
  };
  for (std::size_t i = 0; i < tokens->size(); ++i) {
    if (!is_named(i, last)) continue;
    const bool is_behind_dot = i >= 2 && (*tokens)[i - 1].text == ".";
    if (before.empty()) {
      const bool is_qualifier = i + 1 < tokens->size() && (*tokens)[i + 1].text == ".";
      if (is_qualifier) continue;
      return sql_position(sql, (*tokens)[i].begin);
    }
    if (is_behind_dot && is_named(i - 2, before)) {
      return sql_position(sql, (*tokens)[i - 2].begin);
    }
  }
  // A table in another place than it was looked for: "FROM sales.t" where the message says "t".
  for (std::size_t i = 0; i < tokens->size(); ++i) {
    if (is_named(i, last)) return sql_position(sql, (*tokens)[i].begin);
  }
  return std::nullopt;
}

// "... near 'FORM t' at line 2": what is shown is the statement from there on, cut.
std::optional<TextPosition> find_syntax_error(std::string_view message, std::string_view sql) {
  constexpr std::string_view kNear = "near '";
  constexpr std::string_view kLine = "' at line ";
  const std::size_t begin = message.find(kNear);
  const std::size_t end = message.rfind(kLine);
  if (sql.empty() || begin == std::string_view::npos || end == std::string_view::npos ||
      end < begin + kNear.size()) {
    return std::nullopt;
  }
  std::string_view shown = message.substr(begin + kNear.size(), end - begin - kNear.size());
  if (shown.size() < kNearBytesMin && sql.ends_with(shown)) {
    return sql_position(sql, sql.size() - shown.size());
  }
  if (shown.ends_with("...")) shown.remove_suffix(3);  // MariaDB marks the cut
  std::uint64_t line = 0;
  const std::string_view digits = message.substr(end + kLine.size());
  std::from_chars(digits.data(), digits.data() + digits.size(), line);
  std::size_t line_begin = 0;
  for (; line > 1 && line_begin != std::string_view::npos; --line) {
    line_begin = sql.find('\n', line_begin);
    if (line_begin != std::string_view::npos) ++line_begin;
  }
  if (line_begin == std::string_view::npos) return std::nullopt;
  const std::size_t at = sql.find(shown, line_begin);
  if (at == std::string_view::npos) return std::nullopt;
  return sql_position(sql, at);
}

ServerProblem syntax_problem(std::string_view message, std::string_view sql) {
  const auto place = find_syntax_error(message, sql);
  ServerProblem out{
      Error(ErrorCode::InvalidInput, "the SQL is malformed",
            "write it in the dialect of MySQL and MariaDB: names in back-ticks, texts "
            "in single quotation marks, LIMIT n OFFSET m")
          .with_detail(clean(message)),
      {Kind::Syntax, {}}};
  if (place) out.error.at("sql", *place);
  return out;
}

ServerProblem name_problem(Kind kind, const std::string& name, std::string_view message,
                           std::string_view sql) {
  Error error =
      kind == Kind::UnknownTable
          ? Error(ErrorCode::NotFound, "there is no such table", "schema_inspect lists the tables")
      : kind == Kind::UnknownColumn ? Error(ErrorCode::NotFound, "there is no such column",
                                            "schema_inspect shows the columns of a table")
                                    : Error(ErrorCode::NotFound, "there is no such function",
                                            "built-in functions are allowed, stored ones are not");
  ServerProblem out{std::move(error).with_detail(clean(message)), {kind, clean(name)}};
  if (const auto place = find_name(sql, name)) out.error.at("sql", *place);
  return out;
}

struct OwnWords {
  ErrorCode code;
  std::string_view message;
  std::string_view hint;
  Kind kind = Kind::Other;
};
ServerProblem told(const OwnWords& words, std::string_view message) {
  return {Error(words.code, std::string(words.message), std::string(words.hint))
              .with_detail(clean(message)),
          {words.kind, {}}};
}

}  // namespace

bool is_lost_connection(unsigned code) {
  return code == CR_SERVER_GONE_ERROR || code == CR_SERVER_LOST ||
         code == kClientInteractionTimeout || code == ER_CONNECTION_KILLED ||
         code == ER_SERVER_SHUTDOWN;
}

ServerProblem server_error(unsigned code, std::string_view message, std::string_view sql,
                           std::string_view database) {
  if (is_lost_connection(code)) {
    return told({ErrorCode::Unavailable, "the connection to the database was lost",
                 "call again; where it happens again, see whether the server runs"},
                {});
  }
  switch (code) {
    case ER_PARSE_ERROR:
      return syntax_problem(message, sql);
    case ER_NO_SUCH_TABLE:
      return name_problem(Kind::UnknownTable, without_database(quoted(message), database), message,
                          sql);
    case ER_UNKNOWN_TABLE:
    case ER_BAD_DB_ERROR:
      return name_problem(Kind::UnknownTable, quoted(message), message, sql);
    case ER_BAD_FIELD_ERROR:
      return name_problem(Kind::UnknownColumn, quoted(message), message, sql);
    case ER_SP_DOES_NOT_EXIST:
    case ER_FUNC_INEXISTENT_NAME_COLLISION:
      return name_problem(Kind::UnknownFunction, without_database(function_name(message), database),
                          message, sql);
    case ER_TABLEACCESS_DENIED_ERROR:
    case ER_COLUMNACCESS_DENIED_ERROR:
    case ER_DBACCESS_DENIED_ERROR:
    case ER_ACCESS_DENIED_ERROR:
    case ER_SPECIFIC_ACCESS_DENIED_ERROR:
    case ER_PROCACCESS_DENIED_ERROR:
    case ER_VIEW_INVALID:
    case ER_OPTION_PREVENTS_STATEMENT:
      return told({ErrorCode::Denied, "the user of the database may not do this",
                   "ask for tables that the user of the connection may read"},
                  message);
    case ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION:
      return told({ErrorCode::Denied, "the statement would change something",
                   "only reading is allowed here"},
                  message);
    case ER_QUERY_INTERRUPTED:
    case kQueryTimeout:
    case ER_STATEMENT_TIMEOUT:
      return told({ErrorCode::LimitExceeded, "the database ended the statement: it took too long",
                   "allow more time or ask for less: add conditions or a LIMIT"},
                  {});
    case CR_NET_PACKET_TOO_LARGE:
    case ER_NET_PACKET_TOO_LARGE:
      return told({ErrorCode::LimitExceeded, "a value or the statement is too large to be sent",
                   "ask for a part of it: SUBSTRING(column, 1, 1000)"},
                  {});
    case CR_CONNECTION_ERROR:
    case CR_CONN_HOST_ERROR:
    case ER_CON_COUNT_ERROR:
    case ER_TOO_MANY_USER_CONNECTIONS:
      return told({ErrorCode::Unavailable, "there is no connection to the database",
                   "call again in a while"},
                  message);
    case ER_LOCK_WAIT_TIMEOUT:
    case ER_LOCK_DEADLOCK:
      return told({ErrorCode::Unavailable, "a conflicting transaction blocked this one",
                   "call again in a while"},
                  message);
    case ER_OUTOFMEMORY:
    case ER_OUT_OF_SORTMEMORY:
    case ER_DISK_FULL:
    case ER_RECORD_FILE_FULL:
      return told({ErrorCode::Unavailable, "the database has too little memory or disk for it",
                   "call again in a while"},
                  message);
    case ER_NON_UNIQ_ERROR:
      return told({ErrorCode::InvalidInput, "a column name is ambiguous", "", Kind::AmbiguousName},
                  message);
    case ER_DIVISION_BY_ZERO:
      return told({ErrorCode::InvalidInput, "division by zero", "", Kind::DivisionByZero}, message);
    case ER_WRONG_FIELD_WITH_GROUP:
    case ER_MIX_OF_GROUP_FUNC_AND_FIELDS:
    case ER_INVALID_GROUP_FUNC_USE:
    case ER_WRONG_GROUP_FIELD:
      return told({ErrorCode::InvalidInput, "invalid use of GROUP BY or of an aggregate", "",
                   Kind::Grouping},
                  message);
    case ER_TRUNCATED_WRONG_VALUE:
    case ER_TRUNCATED_WRONG_VALUE_FOR_FIELD:
    case ER_WRONG_VALUE_FOR_TYPE:
    case ER_WARN_DATA_OUT_OF_RANGE:
    case ER_DATA_OUT_OF_RANGE:
      return told({ErrorCode::InvalidInput, "invalid value for its type", "", Kind::WrongValue},
                  message);
    case ER_DUP_ENTRY:
      return told({ErrorCode::InvalidInput, "there is a row with this key already", ""}, message);
    case ER_BAD_NULL_ERROR:
      return told({ErrorCode::InvalidInput, "a column must not be null", ""}, message);
    default:
      return told({ErrorCode::InvalidInput, "the database rejected the statement", ""}, message);
  }
}

Error connect_error(unsigned code, std::string_view message, std::string_view password) {
  std::string text = clean(message);
  if (!password.empty()) {
    for (std::size_t at = text.find(password); at != std::string::npos;
         at = text.find(password, at + 3)) {
      text.replace(at, password.size(), "***");
    }
  }
  const auto refused = [&](ErrorCode kind, const char* own, const char* hint) {
    return Error(kind, own, hint).with_detail(std::move(text));
  };
  switch (code) {
    case ER_ACCESS_DENIED_ERROR:
    case ER_ACCESS_DENIED_NO_PASSWORD_ERROR:
    case ER_DBACCESS_DENIED_ERROR:
    case ER_HOST_NOT_PRIVILEGED:
      return refused(ErrorCode::Denied, "the database refuses the user",
                     "see whether user, password and database of the address are right");
    case ER_BAD_DB_ERROR:
      return refused(ErrorCode::NotFound, "there is no such database",
                     "see whether the database is spelled so");
    default:
      return refused(ErrorCode::Unavailable, "there is no connection to the database",
                     "see whether the server runs and whether the address is right");
  }
}

}  // namespace helve::sql::mysql
