#include "sources/sql/postgres/server_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/utf8.h"
#include "sources/sql/postgres/pq_library.h"
#include "sources/sql_tokens.h"

namespace helve::sql {

namespace {

constexpr std::size_t kMessageBytesMax = 1'000;
constexpr std::size_t kErrorDetailBytesMax = 500;

std::string field(const PGresult* result, int code, std::size_t bytes_max) {
  const char* text = pq().result_error_field(result, code);
  return text == nullptr ? std::string() : bounded_text(text, bytes_max);
}

using ProblemKind = SqlProblem::Kind;

// By the first characters of SQLSTATE; the longest that matches.
// https://www.postgresql.org/docs/15/errcodes-appendix.html
struct StateRule {
  std::string_view prefix;
  ErrorCode code;
  std::string_view message;
  std::string_view hint;
  ProblemKind kind = ProblemKind::Other;
};
constexpr StateRule kOtherState = {"", ErrorCode::InvalidInput,
                                   "the database rejected the statement", ""};
constexpr auto kRules = std::to_array<StateRule>({
    {"08", ErrorCode::Unavailable, "the connection to the database failed",
     "call again in a while"},
    {"22", ErrorCode::InvalidInput, "invalid value for its type", "", ProblemKind::WrongValue},
    {"22012", ErrorCode::InvalidInput, "division by zero", "", ProblemKind::DivisionByZero},
    {"23", ErrorCode::InvalidInput, "the change breaks a rule of the table", ""},
    {"23502", ErrorCode::InvalidInput, "a column must not be null", ""},
    {"23503", ErrorCode::InvalidInput, "a foreign key would refer to no row", ""},
    {"23505", ErrorCode::InvalidInput, "there is a row with this key already", ""},
    {"25006", ErrorCode::Denied, "the statement would change something", "only reading is allowed"},
    {"28", ErrorCode::Denied, "the database refuses the user",
     "check the user and the password of the source"},
    {"3D000", ErrorCode::NotFound, "there is no such database",
     "check the name of the database in the address of the source"},
    {"3F000", ErrorCode::NotFound, "there is no such schema", "list the tables to see the schemas"},
    {"40", ErrorCode::Unavailable, "a conflicting transaction blocked this one", "call again"},
    {"42501", ErrorCode::Denied, "the user of the database may not do this",
     "ask the owner of the database for the right to read it"},
    {"42601", ErrorCode::InvalidInput, "the SQL is malformed", "", ProblemKind::Syntax},
    {"42702", ErrorCode::InvalidInput, "a column name is ambiguous", "",
     ProblemKind::AmbiguousName},
    {"42703", ErrorCode::NotFound, "there is no such column",
     "describe the table to see its columns", ProblemKind::UnknownColumn},
    {"42704", ErrorCode::NotFound, "there is no such type or object", ""},
    {"42725", ErrorCode::InvalidInput, "a function name is ambiguous",
     "cast the arguments: x::text"},
    {"42803", ErrorCode::InvalidInput, "invalid use of GROUP BY or of an aggregate", "",
     ProblemKind::Grouping},
    {"42804", ErrorCode::InvalidInput, "the types do not fit", "", ProblemKind::WrongType},
    {"42846", ErrorCode::InvalidInput, "there is no such cast", "", ProblemKind::WrongType},
    // The guard passes functions that there are: these have other arguments.
    {"42883", ErrorCode::InvalidInput, "there is no such function or operator of these types",
     "check the types of the arguments, and cast them: x::text"},
    {"42P01", ErrorCode::NotFound, "there is no such table", "list the tables to see their names",
     ProblemKind::UnknownTable},
    {"42P09", ErrorCode::InvalidInput, "a table name is ambiguous", "", ProblemKind::AmbiguousName},
    {"42P18", ErrorCode::InvalidInput, "the type of a value is not known", "",
     ProblemKind::WrongValue},
    {"53", ErrorCode::LimitExceeded, "the database has too little memory or disk for it",
     "ask for less"},
    {"53300", ErrorCode::Unavailable, "the server has no free connection", "call again in a while"},
    {"54", ErrorCode::LimitExceeded, "the statement exceeds a limit of the database",
     "ask for less, or in parts"},
    {"55P03", ErrorCode::Unavailable, "another transaction has locked what it needs",
     "call again in a while"},
    {"57014", ErrorCode::LimitExceeded, "the database ended the statement",
     "allow more time or ask for less"},
    {"57P", ErrorCode::Unavailable, "the database is not available", "call again in a while"},
    {"58", ErrorCode::Unavailable, "the database reports a system error", ""},
    {"F0", ErrorCode::Unavailable, "the database reports a configuration error", ""},
    {"XX", ErrorCode::Unavailable, "the database reports an internal error", ""},
});

const StateRule& rule_of(std::string_view state) {
  const StateRule* best = &kOtherState;
  for (const StateRule& rule : kRules) {
    if (state.starts_with(rule.prefix) && rule.prefix.size() > best->prefix.size()) best = &rule;
  }
  return *best;
}

std::size_t byte_of(std::string_view text, std::size_t characters) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end && characters-- > 0) decode_utf8(at, end);
  return static_cast<std::size_t>(at - text.data());
}

std::string quoted_in(std::string_view message) {
  const std::size_t open = message.find('"');
  const std::size_t close = open == std::string_view::npos ? open : message.find('"', open + 1);
  if (close == std::string_view::npos) return {};
  return std::string(message.substr(open + 1, close - open - 1));
}

// The name with its dots that begins at a byte.
std::string name_at(std::string_view sql, std::size_t byte) {
  std::string name;
  const auto tokens = read_sql_tokens(sql, SqlDialect::PostgreSql);
  if (!tokens) return name;
  auto token =
      std::lower_bound(tokens->begin(), tokens->end(), byte,
                       [](const SqlToken& one, std::size_t place) { return one.begin < place; });
  const auto is_name = [](const SqlToken& one) {
    return one.kind == SqlTokenKind::Word || one.kind == SqlTokenKind::Name;
  };
  while (token != tokens->end() && is_name(*token)) {
    name += value_of(*token, SqlDialect::PostgreSql);
    if (++token == tokens->end() || token->text != ".") break;
    name += '.';
    ++token;
  }
  return name;
}

SqlProblem problem_of(ProblemKind kind, const ServerReport& report, const SentStatement& sent,
                      std::optional<std::size_t> byte) {
  if (kind != ProblemKind::UnknownTable && kind != ProblemKind::UnknownColumn) return {kind, {}};
  std::string at = byte ? name_at(sent.sql, *byte) : std::string();
  std::string quoted = quoted_in(report.message);
  const bool is_as_quoted = at.empty() || (kind == ProblemKind::UnknownTable && !quoted.empty());
  return {kind, is_as_quoted ? std::move(quoted) : std::move(at)};
}

// All that the server says of an error.
std::string whole_text(const ServerReport& report) {
  std::string text = report.message;
  if (!report.detail.empty()) text += ": " + report.detail;
  if (!report.hint.empty()) text += fmt::format(" ({})", report.hint);
  return text;
}

}  // namespace

std::string bounded_text(std::string_view text, std::size_t bytes_max) {
  const std::size_t valid = utf8_valid_prefix(text.substr(0, bytes_max));
  std::string kept = escape_for_terminal(text.substr(0, valid));
  if (valid < text.size()) kept += "...";
  return kept;
}

bool ends_connection(std::string_view state) {
  return state.empty() || state.starts_with("08") || state.starts_with("57P");
}

ServerReport report_of(const PGresult* result) {
  ServerReport report;
  report.state = field(result, PG_DIAG_SQLSTATE, 5);
  report.message = field(result, PG_DIAG_MESSAGE_PRIMARY, kMessageBytesMax);
  report.detail = field(result, PG_DIAG_MESSAGE_DETAIL, kErrorDetailBytesMax);
  report.hint = field(result, PG_DIAG_MESSAGE_HINT, kErrorDetailBytesMax);
  if (report.message.empty()) {
    report.message = bounded_text(pq().result_error_message(result), kMessageBytesMax);
  }
  const std::string position = field(result, PG_DIAG_STATEMENT_POSITION, 20);
  std::from_chars(position.data(), position.data() + position.size(), report.position);
  return report;
}

StatementError statement_error(const ServerReport& report, const SentStatement& sent) {
  const StateRule& rule = rule_of(report.state);
  StatementError found{Error(rule.code, std::string(rule.message), std::string(rule.hint))
                           .with_detail(whole_text(report)),
                       {}};
  if (report.state.empty()) {
    found.error.code = ErrorCode::Unavailable;
    found.error.message = "the connection to the database was lost";
    found.error.hint = "call again";
  }
  std::optional<std::size_t> byte;
  if (report.position > sent.prefix) {
    const std::string_view behind = sent.sql.substr(std::min(sent.begin, sent.sql.size()));
    byte = sent.begin + byte_of(behind, report.position - sent.prefix - 1);
    found.error.at("sql", sql_position(sent.sql, *byte));
  }
  found.problem = problem_of(rule.kind, report, sent, byte);
  return found;
}

Error connection_error(std::string_view message, std::string_view secret) {
  std::string plain(message);
  for (std::size_t at = 0; !secret.empty() && (at = plain.find(secret, at)) != std::string::npos;) {
    plain.replace(at, secret.size(), "***");
    at += 3;
  }
  while (plain.ends_with('\n')) plain.pop_back();
  std::string text = bounded_text(plain, kMessageBytesMax);
  const bool is_refused = text.find("authentication failed") != std::string::npos ||
                          text.find("no password supplied") != std::string::npos ||
                          text.find("no pg_hba.conf entry") != std::string::npos;
  if (is_refused) {
    return Error(ErrorCode::Denied, "the database refuses the user",
                 "check the user and the password of the source")
        .with_detail(std::move(text));
  }
  return Error(ErrorCode::Unavailable, "there is no connection to the database",
               "check that the server runs and that the address of the source is right")
      .with_detail(std::move(text));
}

}  // namespace helve::sql
