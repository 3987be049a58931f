#include "sources/sql/open/statement_outlook.h"

#include <gmock/gmock.h>

#include <initializer_list>

namespace helve::sql {
namespace {

using ::testing::HasSubstr;

constexpr SqlDialect kAll[] = {SqlDialect::Sqlite, SqlDialect::PostgreSql, SqlDialect::MySql};

std::string code_of(const StatementOutlook& outlook) {
  return outlook.error ? std::string(error_code_name(outlook.error->code)) : "open";
}

void expect_writes(const TableRules& rules, std::string_view code,
                   std::initializer_list<const char*> statements) {
  for (const SqlDialect dialect : kAll) {
    for (const char* sql : statements) {
      const auto outlook = outlook_of_write(sql, dialect, rules);
      EXPECT_EQ(code_of(outlook), code)
          << name_of(dialect) << ": " << sql << (outlook.error ? outlook.error->to_string() : "");
    }
  }
}

TEST(StatementOutlook, ReadsAreWhatTheGuardsLetPass) {
  for (const SqlDialect dialect : kAll) {
    EXPECT_EQ(code_of(outlook_of_read("SELECT a FROM t", dialect, {})), "open");
    for (const char* sql : {"DELETE FROM t", "DROP TABLE t", "UPDATE t SET a = 1"}) {
      EXPECT_EQ(code_of(outlook_of_read(sql, dialect, {})), "denied") << name_of(dialect) << sql;
    }
  }
  EXPECT_EQ(code_of(outlook_of_read("SELECT pg_sleep_for('1 s'), lo_create(1)",
                                    SqlDialect::PostgreSql, {})),
            "denied");
  EXPECT_EQ(code_of(outlook_of_read("SELECT load_file('/etc/passwd')", SqlDialect::MySql, {})),
            "denied");
}

TEST(StatementOutlook, ChangesTellTheirKind) {
  for (const SqlDialect dialect : kAll) {
    EXPECT_EQ(outlook_of_write("UPDATE t SET a = 1", dialect, {}).kind, WriteKind::Update);
    const auto made = outlook_of_write("CREATE TABLE t (a integer)", dialect, {});
    EXPECT_EQ(made.kind, WriteKind::Definition);
    EXPECT_EQ(made.verb, "CREATE TABLE");
  }
  expect_writes({}, "denied", {"SELECT 1", "GRANT SELECT ON t TO x"});
}

TEST(StatementOutlook, DeniedTablesAndColumnsAreRefusedByName) {
  TableRules rules;
  rules.denied_tables = {"Salary"};
  rules.denied_columns = {"customer.email"};
  expect_writes(rules, "denied",
                {"DELETE FROM salary", "UPDATE SALARY SET a = 1", "INSERT INTO salary VALUES (1)",
                 "DROP TABLE salary", "UPDATE customer SET email = 'x' WHERE id = 1",
                 "INSERT INTO customer (id, email) VALUES (1, 'x')"});
  expect_writes(rules, "open",
                {"DELETE FROM customer", "UPDATE customer SET name = 'x'",
                 "INSERT INTO customer (id, name) VALUES (1, 'x')", "DELETE FROM other"});
  EXPECT_THAT(outlook_of_write("DELETE FROM salary", SqlDialect::Sqlite, rules).error->message,
              HasSubstr("the policy does not allow changes to salary"));
}

TEST(StatementOutlook, OnlyAllowedTablesAndColumnsAreNotRefused) {
  TableRules rules;
  rules.allowed_tables = {"customer"};
  rules.allowed_columns = {"customer.name"};
  expect_writes(rules, "denied",
                {"DELETE FROM salary", "UPDATE customer SET email = 'x'", "DROP TABLE invoice"});
  expect_writes(rules, "open", {"UPDATE customer SET name = 'x'", "DELETE FROM customer"});
}

// Where a name is found only the database knows.
TEST(StatementOutlook, NamesWithoutASchemaAreRefusedWhereAllOfThemAre) {
  TableRules rules;
  rules.denied_tables = {"hr.person"};
  for (const SqlDialect dialect : {SqlDialect::PostgreSql, SqlDialect::MySql}) {
    EXPECT_EQ(code_of(outlook_of_write("DELETE FROM person", dialect, rules)), "open");
    EXPECT_EQ(code_of(outlook_of_write("DELETE FROM hr.person", dialect, rules)), "denied");
    EXPECT_EQ(code_of(outlook_of_write("DELETE FROM sales.person", dialect, rules)), "open");
  }
  rules = {};
  rules.allowed_tables = {"sales.person"};
  for (const SqlDialect dialect : {SqlDialect::PostgreSql, SqlDialect::MySql}) {
    EXPECT_EQ(code_of(outlook_of_write("DELETE FROM person", dialect, rules)), "open");
    EXPECT_EQ(code_of(outlook_of_write("DELETE FROM public.person", dialect, rules)), "denied");
    EXPECT_EQ(code_of(outlook_of_write("DELETE FROM invoice", dialect, rules)), "denied");
  }
  rules.allowed_tables = {"person"};  // that of the default schema
  for (const SqlDialect dialect : {SqlDialect::PostgreSql, SqlDialect::MySql}) {
    EXPECT_EQ(code_of(outlook_of_write("DELETE FROM sales.person", dialect, rules)), "open");
  }
}

}  // namespace
}  // namespace helve::sql
