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
struct SyntaxPlace {
  std::string near;
  std::optional<TextPosition> position;
};
SyntaxPlace read_syntax_error(std::string_view message, std::string_view sql) {
  constexpr std::string_view kNear = "near '";
  constexpr std::string_view kLine = "' at line ";
  SyntaxPlace place;
  const std::size_t begin = message.find(kNear);
  const std::size_t end = message.rfind(kLine);
  if (begin == std::string_view::npos || end == std::string_view::npos ||
      end < begin + kNear.size()) {
    return place;
  }
  place.near = message.substr(begin + kNear.size(), end - begin - kNear.size());
  if (sql.empty()) return place;
  std::string_view shown = place.near;
  if (shown.size() < kNearBytesMin && sql.ends_with(shown)) {
    place.position = sql_position(sql, sql.size() - shown.size());
    return place;
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
  if (line_begin == std::string_view::npos) return place;
  const std::size_t at = sql.find(shown, line_begin);
  if (at != std::string_view::npos) place.position = sql_position(sql, at);
  return place;
}

ServerProblem syntax_problem(std::string_view message, std::string_view sql) {
  SyntaxPlace place = read_syntax_error(message, sql);
  const std::string near = clean(place.near);
  ServerProblem out{
      Error(ErrorCode::InvalidInput,
            near.empty() ? "the SQL ends where more is expected, or is malformed"
                         : fmt::format("the SQL is malformed near '{}'", near),
            "write it in the dialect of MySQL and MariaDB: names in back-ticks, texts "
            "in single quotation marks, LIMIT n OFFSET m"),
      {Kind::Syntax, {}}};
  if (place.position) out.error.at("sql", *place.position);
  return out;
}

ServerProblem name_problem(Kind kind, const std::string& name, std::string_view message,
                           std::string_view sql) {
  constexpr std::string_view kHints[] = {"", "", "schema_inspect lists the tables",
                                         "schema_inspect shows the columns of a table",
                                         "built-in functions are allowed, stored ones are not"};
  ServerProblem out{Error(ErrorCode::NotFound, clean(message),
                          std::string(kHints[static_cast<std::size_t>(kind)])),
                    {kind, clean(name)}};
  if (const auto place = find_name(sql, name)) out.error.at("sql", *place);
  return out;
}

ServerProblem plain(ErrorCode code, std::string_view message, std::string_view hint) {
  return {Error(code, clean(message), std::string(hint)), {}};
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
    return plain(ErrorCode::Unavailable, "the connection to the database was lost",
                 "call again; where it happens again, see whether the server runs");
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
      return plain(ErrorCode::Denied, message,
                   "the user of the connection may not do this: ask for tables it may read");
    case ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION:
      return plain(ErrorCode::Denied, message, "only reading is allowed here");
    case ER_QUERY_INTERRUPTED:
    case kQueryTimeout:
    case ER_STATEMENT_TIMEOUT:
      return plain(ErrorCode::LimitExceeded, "the database ended the statement: it took too long",
                   "allow more time or ask for less: add conditions or a LIMIT");
    case CR_NET_PACKET_TOO_LARGE:
    case ER_NET_PACKET_TOO_LARGE:
      return plain(ErrorCode::LimitExceeded, "a value or the statement is too large to be sent",
                   "ask for a part of it: SUBSTRING(column, 1, 1000)");
    case CR_CONNECTION_ERROR:
    case CR_CONN_HOST_ERROR:
    case ER_CON_COUNT_ERROR:
    case ER_TOO_MANY_USER_CONNECTIONS:
    case ER_LOCK_WAIT_TIMEOUT:
    case ER_LOCK_DEADLOCK:
    case ER_OUTOFMEMORY:
    case ER_OUT_OF_SORTMEMORY:
    case ER_DISK_FULL:
    case ER_RECORD_FILE_FULL:
      return plain(ErrorCode::Unavailable, message, "call again in a while");
    default:
      return plain(ErrorCode::InvalidInput, message, "");
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
  switch (code) {
    case ER_ACCESS_DENIED_ERROR:
    case ER_ACCESS_DENIED_NO_PASSWORD_ERROR:
    case ER_DBACCESS_DENIED_ERROR:
    case ER_HOST_NOT_PRIVILEGED:
      return {ErrorCode::Denied, std::move(text),
              "see whether user, password and database of the address are right"};
    case ER_BAD_DB_ERROR:
      return {ErrorCode::NotFound, std::move(text), "see whether the database is spelled so"};
    default:
      return {ErrorCode::Unavailable, std::move(text),
              "see whether the server runs and whether the address is right"};
  }
}

}  // namespace helve::sql::mysql
