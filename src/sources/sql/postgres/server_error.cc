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

// By the first characters of SQLSTATE; the longest that matches.
// https://www.postgresql.org/docs/15/errcodes-appendix.html
struct StateRule {
  std::string_view prefix;
  ErrorCode code;
  std::string_view hint;  // where the server has none
};
constexpr auto kRules = std::to_array<StateRule>({
    {"08", ErrorCode::Unavailable, "call again in a while"},
    {"25006", ErrorCode::Denied, "only reading is allowed"},
    {"28", ErrorCode::Denied, "check the user and the password of the source"},
    {"3D000", ErrorCode::NotFound, "check the name of the database in the address of the source"},
    {"3F000", ErrorCode::NotFound, "list the tables to see the schemas"},
    {"40", ErrorCode::Unavailable, "call again"},
    {"42501", ErrorCode::Denied, "ask the owner of the database for the right to read it"},
    {"42P01", ErrorCode::NotFound, "list the tables to see their names"},
    {"42703", ErrorCode::NotFound, "describe the table to see its columns"},
    // The guard passes functions that there are: these have other arguments.
    {"42883", ErrorCode::InvalidInput, "check the types of the arguments, and cast them: x::text"},
    {"42704", ErrorCode::NotFound, ""},
    {"53", ErrorCode::LimitExceeded, "ask for less"},
    {"53300", ErrorCode::Unavailable, "the server has no free connection: call again in a while"},
    {"54", ErrorCode::LimitExceeded, "ask for less, or in parts"},
    {"55P03", ErrorCode::Unavailable, "call again in a while"},
    {"57014", ErrorCode::LimitExceeded, "allow more time or ask for less"},
    {"57P", ErrorCode::Unavailable, "call again in a while"},
    {"58", ErrorCode::Unavailable, ""},
    {"F0", ErrorCode::Unavailable, ""},
    {"XX", ErrorCode::Unavailable, ""},
});

const StateRule* rule_of(std::string_view state) {
  const StateRule* best = nullptr;
  for (const StateRule& rule : kRules) {
    const bool is_longer = best == nullptr || rule.prefix.size() > best->prefix.size();
    if (state.starts_with(rule.prefix) && is_longer) best = &rule;
  }
  return best;
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

SqlProblem problem_of(const ServerReport& report, const SentStatement& sent,
                      std::optional<std::size_t> byte) {
  SqlProblem problem;
  std::string at = byte ? name_at(sent.sql, *byte) : std::string();
  std::string quoted = quoted_in(report.message);
  if (report.state == "42P01") {
    problem = {SqlProblem::Kind::UnknownTable, quoted.empty() ? std::move(at) : std::move(quoted)};
  } else if (report.state == "42703") {
    problem = {SqlProblem::Kind::UnknownColumn, at.empty() ? std::move(quoted) : std::move(at)};
  } else if (report.state == "42601") {
    problem.kind = SqlProblem::Kind::Syntax;
  }
  return problem;
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
  const StateRule* rule = rule_of(report.state);
  StatementError found{
      Error{rule == nullptr ? ErrorCode::InvalidInput : rule->code, report.message, report.hint},
      {}};
  if (report.state.empty()) found.error.code = ErrorCode::Unavailable;
  if (!report.detail.empty()) found.error.message += ": " + report.detail;
  if (found.error.hint.empty() && rule != nullptr) found.error.hint = rule->hint;
  std::optional<std::size_t> byte;
  if (report.position > sent.prefix) {
    const std::string_view behind = sent.sql.substr(std::min(sent.begin, sent.sql.size()));
    byte = sent.begin + byte_of(behind, report.position - sent.prefix - 1);
    found.error.at("sql", sql_position(sent.sql, *byte));
  }
  found.problem = problem_of(report, sent, byte);
  return found;
}

Error connection_error(std::string_view message, std::string_view secret) {
  std::string plain(message);
  for (std::size_t at = 0; !secret.empty() && (at = plain.find(secret, at)) != std::string::npos;) {
    plain.replace(at, secret.size(), "***");
    at += 3;
  }
  while (plain.ends_with('\n')) plain.pop_back();
  const std::string text = bounded_text(plain, kMessageBytesMax);
  const bool is_refused = text.find("authentication failed") != std::string::npos ||
                          text.find("no password supplied") != std::string::npos ||
                          text.find("no pg_hba.conf entry") != std::string::npos;
  if (is_refused) {
    return {ErrorCode::Denied, text, "check the user and the password of the source"};
  }
  return {ErrorCode::Unavailable, text.empty() ? "the connection to the database was lost" : text,
          "check that the server runs and that the address of the source is right"};
}

}  // namespace helve::sql
