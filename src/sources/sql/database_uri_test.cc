#include "sources/sql/database_uri.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_env.h"

namespace helve::sql {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

TEST(DatabaseUri, ReadsAddresses) {
  const auto lite = read_database_uri("sqlite:data/chinook.db");
  ASSERT_TRUE(lite);
  EXPECT_EQ(lite->path, "data/chinook.db");
  EXPECT_EQ(lite->shown(), "sqlite:data/chinook.db");
  for (const char* uri : {"sqlite:/srv/a.db", "sqlite:///srv/a.db", "sqlite:////srv/a.db"}) {
    EXPECT_EQ(read_database_uri(uri)->path, "/srv/a.db") << uri;
  }
  EXPECT_THAT(read_database_uri("sqlite://a.db").error().hint, HasSubstr("write sqlite:a.db"));
  for (const char* uri : {"sqlite:", "sqlite:/", "sqlite://", "sqlite:////"}) {
    EXPECT_FALSE(read_database_uri(uri)) << uri;
  }

  const auto pg = read_database_uri(
      "postgresql://reader@db.example:5433/sh%6Fp?sslmode=verify-full&password=env:PG_PASSWORD");
  ASSERT_TRUE(pg) << pg.error().to_string();
  EXPECT_EQ(pg->dialect, SqlDialect::PostgreSql);
  EXPECT_EQ(pg->host, "db.example");
  EXPECT_EQ(pg->port, 5433);
  EXPECT_EQ(pg->user, "reader");
  EXPECT_EQ(pg->database, "shop");
  EXPECT_EQ(pg->password_reference, "env:PG_PASSWORD");
  EXPECT_THAT(pg->options, ElementsAre(Pair("sslmode", "verify-full")));
  EXPECT_EQ(pg->shown(), "postgresql://reader@db.example:5433/shop");

  const auto socket = read_database_uri("postgres://%2Fvar%2Frun%2Fpostgresql/shop");
  ASSERT_TRUE(socket);
  EXPECT_EQ(socket->host, "/var/run/postgresql");
  const auto six = read_database_uri("mariadb://[::1]:3307/shop");
  ASSERT_TRUE(six);
  EXPECT_EQ(six->dialect, SqlDialect::MySql);
  EXPECT_EQ(six->host, "::1");
  EXPECT_EQ(six->port, 3307);
  EXPECT_EQ(six->shown(), "mysql://[::1]:3307/shop");
}

TEST(DatabaseUri, BoundsConnections) {
  EXPECT_FALSE(read_database_uri("mysql://h/d")->connections);
  const auto address = read_database_uri("postgresql://h/d?connections=100&sslmode=prefer");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->connections, 100U);
  EXPECT_THAT(address->options, ElementsAre(Pair("sslmode", "prefer")));  // not the server's
  for (const char* value : {"0", "101", "-1", "4x", "", "99999999999999999999"}) {
    const auto wrong = read_database_uri(std::string("mysql://h/d?connections=") + value);
    ASSERT_FALSE(wrong) << value;
    EXPECT_THAT(wrong.error().message, HasSubstr("from 1 to 100")) << value;
  }
}

TEST(DatabaseUri, NeverTakesNorRepeatsAPassword) {
  for (const char* uri : {"postgresql://u:hunter2@h/db", "mysql://u@h/db?password=hunter2",
                          "mysql://u@h/db?password=env:", "postgresql://u:hunter2%40@h/db"}) {
    const auto address = read_database_uri(uri);
    ASSERT_FALSE(address) << uri;
    EXPECT_EQ(address.error().code, ErrorCode::InvalidInput);
    EXPECT_THAT(address.error().to_string(), Not(HasSubstr("hunter2")));
    EXPECT_THAT(address.error().hint, HasSubstr("env:NAME"));
  }
}

TEST(DatabaseUri, TellsWhatIsWrong) {
  const auto says = [](std::string_view uri) { return read_database_uri(uri).error().to_string(); };
  EXPECT_THAT(says("sqlite:"), HasSubstr("sqlite:PATH"));
  EXPECT_THAT(says("postgresql://h"), HasSubstr("names no database"));
  EXPECT_THAT(says("postgresql://h:99999/db"), HasSubstr("1 to 65535"));
  EXPECT_THAT(says("postgresql://h:x/db"), HasSubstr("1 to 65535"));
  EXPECT_THAT(says("postgresql:h/db"), HasSubstr("no //"));
  EXPECT_THAT(says("postgresql://h/db?sslmod=require"), HasSubstr("did you mean sslmode?"));
  EXPECT_THAT(says("mysql://h/d%zz"), HasSubstr("%-escape"));
  EXPECT_THAT(says("mysql://[::1/d"), HasSubstr("]"));
}

TEST(DatabaseUri, ReadsPasswordsFromWhereTheyAre) {
  FakeEnv env;
  const auto address = [](const char* reference) {
    DatabaseAddress one;
    one.password_reference = reference;
    return one;
  };
  const ReadVariable variables = [](const char* name) {
    return std::string_view(name) == "SET" ? "s3cret" : nullptr;
  };
  EXPECT_EQ(read_password(address("env:SET"), env, variables), "s3cret");
  EXPECT_EQ(read_password(address("env:OTHER"), env, variables).error().code,
            ErrorCode::Unavailable);
  env.files().put("/pw", "fr0m file\n");
  EXPECT_EQ(read_password(address("file:/pw"), env, variables), "fr0m file");
  EXPECT_EQ(read_password(address("file:/none"), env, variables).error().code,
            ErrorCode::Unavailable);
  EXPECT_EQ(read_password(address(""), env, variables), "");
}

}  // namespace
}  // namespace helve::sql
