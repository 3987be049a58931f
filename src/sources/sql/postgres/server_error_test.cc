#include "sources/sql/postgres/server_error.h"

#include <gtest/gtest.h>

namespace helve::sql {
namespace {

StatementError error_of(std::string state, std::string message, std::size_t position = 0,
                        std::string_view sql = "SELECT 1") {
  ServerReport report;
  report.state = std::move(state);
  report.message = std::move(message);
  report.position = position;
  return statement_error(report, {sql, 0, 0});
}

TEST(PostgresErrors, StatesBecomeCodes) {
  const std::pair<const char*, ErrorCode> cases[] = {
      {"42601", ErrorCode::InvalidInput},  {"42P01", ErrorCode::NotFound},
      {"42703", ErrorCode::NotFound},      {"42883", ErrorCode::InvalidInput},
      {"42501", ErrorCode::Denied},        {"25006", ErrorCode::Denied},
      {"22012", ErrorCode::InvalidInput},  {"57014", ErrorCode::LimitExceeded},
      {"53300", ErrorCode::Unavailable},   {"53200", ErrorCode::LimitExceeded},
      {"54001", ErrorCode::LimitExceeded}, {"08006", ErrorCode::Unavailable},
      {"57P01", ErrorCode::Unavailable},   {"57P03", ErrorCode::Unavailable},
      {"28P01", ErrorCode::Denied},        {"3D000", ErrorCode::NotFound},
      {"40001", ErrorCode::Unavailable},   {"XX000", ErrorCode::Unavailable},
      {"P0001", ErrorCode::InvalidInput},  {"", ErrorCode::Unavailable},
  };
  for (const auto& [state, code] : cases) {
    EXPECT_EQ(error_of(state, "no").error.code, code) << state;
  }
}

// What a server says may have been written by whoever fills its tables.
TEST(PostgresErrors, WordsOfTheServerAreTheDetailAlone) {
  for (const char* state :
       {"",      "01000", "08006", "0A000", "21000", "22012", "22P02", "23502", "23503",
        "23505", "23514", "25006", "28P01", "2BP01", "3D000", "3F000", "40001", "40P01",
        "42501", "42601", "42702", "42703", "42704", "42725", "42803", "42804", "42846",
        "42883", "42P01", "42P09", "42P18", "44000", "53200", "53300", "54001", "55P03",
        "57014", "57P01", "58030", "F0000", "P0001", "XX000", "ZZZZZ"}) {
    ServerReport report;
    report.state = state;
    report.message = "canary: relation \"canary\"";
    report.detail = "canary of the detail";
    report.hint = "canary of the hint";
    const Error error = statement_error(report, {"SELECT 1", 0, 0}).error;
    EXPECT_EQ(error.message.find("canary"), std::string::npos) << state;
    EXPECT_EQ(error.hint.find("canary"), std::string::npos) << state;
    EXPECT_FALSE(error.message.empty()) << state;
    EXPECT_EQ(error.detail,
              "canary: relation \"canary\": canary of the detail (canary of the hint)");
  }
}

TEST(PostgresErrors, PlacesAndNamesComeFromTheStatement) {
  const std::string_view sql = "SELECT 'é',\n  c.\"Nmae\" FROM t c";
  ServerReport report;
  report.state = "42703";
  report.message = "column c.Nmae does not exist";
  report.position = 10 + 15;  // behind a prefix of ten characters
  const auto found = statement_error(report, {sql, 10, 0});
  EXPECT_EQ(found.error.document, "sql");
  EXPECT_EQ(found.error.position, (TextPosition{2, 3}));
  EXPECT_EQ(found.problem.kind, SqlProblem::Kind::UnknownColumn);
  EXPECT_EQ(found.problem.name, "c.Nmae");
}

TEST(PostgresErrors, TellsWhatIsNotKnown) {
  const auto table =
      error_of("42P01", "relation \"custmer\" does not exist", 15, "SELECT * FROM Custmer");
  EXPECT_EQ(table.problem.kind, SqlProblem::Kind::UnknownTable);
  EXPECT_EQ(table.problem.name, "custmer");
  // Whatever language the server speaks.
  const auto french = error_of("42P01", "la relation n'existe pas", 15, "SELECT * FROM s.Custmer");
  EXPECT_EQ(french.problem.name, "s.custmer");
}

// What the guard passes is there, for other types.
TEST(PostgresErrors, OtherArgumentsThanThereAreAreBadInput) {
  const auto function =
      error_of("42883", "function lower(integer) does not exist", 8, "SELECT lower(1)");
  EXPECT_EQ(function.error.code, ErrorCode::InvalidInput);
  const auto op = error_of("42883", "operator does not exist: integer = text", 10, "SELECT 1 = a");
  EXPECT_EQ(op.error.code, ErrorCode::InvalidInput);
  EXPECT_EQ(op.problem.kind, SqlProblem::Kind::Other);
  EXPECT_FALSE(op.error.hint.empty());
}

TEST(PostgresErrors, PositionsBeyondTheStatementAreHarmless) {
  EXPECT_EQ(error_of("42601", "no", 1'000'000).error.position, (TextPosition{1, 9}));
  EXPECT_EQ(error_of("42601", "no", 0).error.position, std::nullopt);
}

TEST(PostgresErrors, ConnectionErrorsHaveNoSecrets) {
  const Error error = connection_error("bad hunter2 and hunter2\n", "hunter2");
  EXPECT_EQ(error.detail, "bad *** and ***");
  EXPECT_EQ(error.code, ErrorCode::Unavailable);
  EXPECT_EQ(connection_error("FATAL: password authentication failed for user \"a\"", "").code,
            ErrorCode::Denied);
  EXPECT_EQ(connection_error("x * y", "*").detail, "x *** y");
}

TEST(PostgresErrors, TextsAreBoundedAndHarmless) {
  EXPECT_EQ(bounded_text("aé", 2), "a...");
  EXPECT_EQ(bounded_text("a\x1b[1m", 100), "a\\x1B[1m");
  EXPECT_EQ(bounded_text(std::string(5'000, 'x'), 10), "xxxxxxxxxx...");
}

}  // namespace
}  // namespace helve::sql
