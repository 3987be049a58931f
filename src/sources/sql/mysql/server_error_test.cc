#include "sources/sql/mysql/server_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::sql::mysql {
namespace {

using Kind = SqlProblem::Kind;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kSyntaxStart =
    "You have an error in your SQL syntax; check the manual that corresponds to your MariaDB "
    "server "
    "version for the right syntax to use near '";

ServerProblem syntax(std::string_view near, int line, std::string_view sql) {
  return server_error(
      1064, std::string(kSyntaxStart) + std::string(near) + "' at line " + std::to_string(line),
      sql, "shop");
}

TEST(ServerError, SyntaxErrorsHaveTheirPlace) {
  const ServerProblem found = syntax("FORM t", 2, "SELECT *\nFORM t");
  EXPECT_EQ(found.error.code, ErrorCode::InvalidInput);
  EXPECT_EQ(found.problem.kind, Kind::Syntax);
  EXPECT_EQ(found.error.position, (TextPosition{2, 1}));
  EXPECT_EQ(syntax("", 1, "SELECT (1").error.position, (TextPosition{1, 10}));
  // A long rest is cut, with or without a mark.
  const std::string rest = "FORM t WHERE " + std::string(200, 'x');
  const std::string sql = "SELECT 1,\n  2 " + rest;
  EXPECT_EQ(syntax(rest.substr(0, 80), 2, sql).error.position, (TextPosition{2, 5}));
  EXPECT_EQ(syntax(rest.substr(0, 77) + "...", 2, sql).error.position, (TextPosition{2, 5}));
  EXPECT_EQ(syntax("not there", 7, "SELECT 1").error.position, std::nullopt);
  EXPECT_EQ(server_error(1064, "odd", "SELECT 1", "").error.position, std::nullopt);
}

TEST(ServerError, UnknownNamesAreFound) {
  const auto table =
      server_error(1146, "Table 'shop.custmer' doesn't exist", "SELECT *\nFROM Custmer", "shop");
  EXPECT_EQ(table.error.code, ErrorCode::NotFound);
  EXPECT_EQ(table.problem.kind, Kind::UnknownTable);
  EXPECT_EQ(table.problem.name, "custmer");
  EXPECT_EQ(table.error.position, (TextPosition{2, 6}));
  const auto other =
      server_error(1146, "Table 'sales.t' doesn't exist", "SELECT * FROM sales.t", "shop");
  EXPECT_EQ(other.problem.name, "sales.t");
  EXPECT_EQ(other.error.position, (TextPosition{1, 15}));
  const auto column = server_error(1054, "Unknown column 'c.nmae' in 'field list'",
                                   "SELECT 'nmae', d.nmae, c.`nmae` FROM c, d", "shop");
  EXPECT_EQ(column.problem.kind, Kind::UnknownColumn);
  EXPECT_EQ(column.problem.name, "c.nmae");
  EXPECT_EQ(column.error.position, (TextPosition{1, 24}));
  const auto function =
      server_error(1305, "FUNCTION shop.lenght does not exist", "SELECT lenght('a')", "shop");
  EXPECT_EQ(function.problem.kind, Kind::UnknownFunction);
  EXPECT_EQ(function.problem.name, "lenght");
}

TEST(ServerError, CodesAreOurs) {
  const auto code = [](unsigned number) { return server_error(number, "text", "", "").error.code; };
  for (const unsigned denied : {1142U, 1143U, 1044U, 1045U, 1227U, 1290U, 1792U, 1370U}) {
    EXPECT_EQ(code(denied), ErrorCode::Denied) << denied;
  }
  for (const unsigned limit : {1317U, 3024U, 1969U, 2020U}) {
    EXPECT_EQ(code(limit), ErrorCode::LimitExceeded) << limit;
  }
  for (const unsigned gone : {2002U, 2003U, 2006U, 2013U, 1040U, 1927U, 4031U, 1205U}) {
    EXPECT_EQ(code(gone), ErrorCode::Unavailable) << gone;
  }
  EXPECT_EQ(code(1055), ErrorCode::InvalidInput);
  EXPECT_TRUE(is_lost_connection(2006));
  EXPECT_FALSE(is_lost_connection(1064));
}

// What a server says may have been written by whoever fills its tables.
TEST(ServerError, WordsOfTheServerAreTheDetailAlone) {
  for (unsigned code = 1'000; code < 4'200; ++code) {
    const Error error = server_error(code, "canary 'canary'", "SELECT 1", "shop").error;
    EXPECT_EQ(error.message.find("canary"), std::string::npos) << code;
    EXPECT_EQ(error.hint.find("canary"), std::string::npos) << code;
    EXPECT_FALSE(error.message.empty()) << code;
    const Error refused = connect_error(code, "canary", "");
    EXPECT_EQ(refused.message.find("canary"), std::string::npos) << code;
    EXPECT_EQ(refused.detail, "canary") << code;
  }
}

TEST(ServerError, MistakesHaveTheirKind) {
  const std::pair<unsigned, Kind> cases[] = {
      {1052, Kind::AmbiguousName}, {1055, Kind::Grouping},       {1111, Kind::Grouping},
      {1140, Kind::Grouping},      {1365, Kind::DivisionByZero}, {1292, Kind::WrongValue},
      {1366, Kind::WrongValue},    {1690, Kind::WrongValue},     {1582, Kind::Other}};
  for (const auto& [code, kind] : cases) {
    EXPECT_EQ(server_error(code, "text", "", "").problem.kind, kind) << code;
  }
}

TEST(ServerError, BrokenTextsAreMended) {
  EXPECT_EQ(server_error(1055, "a\xFFz", "", "").error.detail, "az");
  EXPECT_EQ(syntax("\xC3", 1, "SELECT \xC3\xA9").error.position, (TextPosition{1, 8}));
}

TEST(ConnectError, HidesThePassword) {
  const Error error = connect_error(1045, "denied for secret and secret", "secret");
  EXPECT_EQ(error.code, ErrorCode::Denied);
  EXPECT_EQ(error.detail, "denied for *** and ***");
  EXPECT_EQ(connect_error(1049, "Unknown database 'x'", "").code, ErrorCode::NotFound);
  EXPECT_EQ(connect_error(2003, "no", "*").code, ErrorCode::Unavailable);
}

}  // namespace
}  // namespace helve::sql::mysql
