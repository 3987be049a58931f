// What the adapter answers: values, errors, catalogue, rights, rules.
#include <gmock/gmock.h>

#include <set>
#include <string>

#include "sources/rdf/vocabulary.h"
#include "tests/integration/sql/mysql/live_server.h"

namespace helve::sql {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class MysqlLive : public LiveTest {};

TEST_F(MysqlLive, GivesEveryTypeAsItIs) {
  const auto source = server_->open("reader");
  KeptRows rows;
  const TableRun run = sql::run(*source, "SELECT * FROM sample ORDER BY t DESC", rows);
  ASSERT_FALSE(run.error) << run.error->to_string();
  ASSERT_EQ(rows.rows.size(), 2U);
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < rows.names.size(); ++i) shown.push_back(rows.shown(0, i));
  EXPECT_THAT(shown, ElementsAre("1 integer", "18446744073709551615 integer", "21 integer",
                                 "12345.60000 decimal", "0.1 double", "1e+20 double",
                                 "2024-02-29 date", "2024-02-29T12:30:00.25 dateTime",
                                 "2024-02-29T12:30:00Z dateTime", "23:59:59 time", "2024 integer",
                                 "abc", "grün", "00FF10 hexBinary", "CAFE hexBinary", "b", "x,y",
                                 "{\"a\": 1} JSON", "123e4567-e89b-12d3-a456-426614174000"));
  EXPECT_EQ(rows.shown(1, 0), "NULL");
  EXPECT_EQ(rows.shown(1, 6), "0000-00-00");
  EXPECT_EQ(rows.shown(1, 7), "0000-00-00 00:00:00");
  EXPECT_EQ(rows.shown(1, 9), "-30:00:00");
  EXPECT_THAT(run.column_types,
              ElementsAre("tinyint", "bigint unsigned", "bit(5)", "decimal(20,5)", "float",
                          "double", "date", "datetime", "timestamp", "time", "year", "char(3)",
                          "text", "binary(3)", "blob", "enum", "set", "json", "uuid"));
}

TEST_F(MysqlLive, TakesParameters) {
  const auto source = server_->open("reader");
  const auto literal = [](std::string_view text, std::string_view datatype) {
    return SqlValue(rdf::Term(rdf::TermView::literal(text, datatype)));
  };
  TableQuery query;
  query.sql = "SELECT ?, ?, ?, ?, ?, (SELECT COUNT(*) FROM sample WHERE ts = ?), ?, ?";
  query.parameters = {literal("-5", rdf::kXsdInteger),
                      literal("18446744073709551615", rdf::kXsdInteger),
                      literal("1.50", rdf::kXsdDecimal),
                      literal("2.5", rdf::kXsdDouble),
                      std::nullopt,
                      literal("2024-02-29T14:30:00+02:00", rdf::kXsdDateTime),
                      literal("o'x", {}),
                      literal("CAFE", "http://www.w3.org/2001/XMLSchema#hexBinary")};
  KeptRows rows;
  const TableRun run = source->run(query, rows, within(20s));
  ASSERT_FALSE(run.error) << run.error->to_string();
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < rows.names.size(); ++i) shown.push_back(rows.shown(0, i));
  EXPECT_THAT(shown, ElementsAre("-5 integer", "18446744073709551615 integer", "1.50 decimal",
                                 "2.5 double", "NULL", "1 integer", "o'x", "CAFE hexBinary"));
  query.parameters.pop_back();
  EXPECT_EQ(source->run(query, rows, within(20s)).error->code, ErrorCode::InvalidInput);
}

TEST_F(MysqlLive, StopsAtTheCapsExactly) {
  const auto source = server_->open("reader", 1);
  const auto ask = [&](std::string sql, std::uint64_t rows_max, std::size_t bytes_max) {
    TableQuery query;
    query.sql = std::move(sql);
    query.rows_max = rows_max;
    query.bytes_max = bytes_max;
    KeptRows rows;
    return source->run(query, rows, within(20s));
  };
  const TableRun all = ask("SELECT n FROM number", 10'000, 1 << 20);
  EXPECT_EQ(all.rows, 10'000U);
  EXPECT_FALSE(all.has_more);
  const TableRun most = ask("SELECT n FROM number", 9'999, 1 << 20);
  EXPECT_EQ(most.rows, 9'999U);
  EXPECT_TRUE(most.has_more);
  const TableRun few = ask("SELECT n FROM number ORDER BY n", 10, 1 << 20);
  EXPECT_EQ(few.rows, 10U);
  EXPECT_TRUE(few.has_more);
  const TableRun small = ask("SELECT REPEAT('x', 1000) FROM number", 10'000, 5'500);
  EXPECT_EQ(small.rows, 5U);
  EXPECT_TRUE(small.has_more);
  const TableRun none = ask("SELECT 1 FROM number WHERE n < 0", 0, 0);
  EXPECT_FALSE(none.has_more);
}

TEST_F(MysqlLive, GivesLongValuesWhole) {
  const auto source = server_->open("reader");
  KeptRows rows;
  const TableRun run = sql::run(*source,
                                "SELECT REPEAT('a', n * 1000), n, REPEAT('é', 3000) FROM number "
                                "WHERE n <= 3000 AND n % 500 = 1",
                                rows);
  ASSERT_FALSE(run.error) << run.error->to_string();
  ASSERT_EQ(rows.rows.size(), 6U);
  for (const auto& row : rows.rows) {
    EXPECT_EQ(row[0]->value.size(), std::stoul(row[1]->value) * 1000);
    EXPECT_EQ(row[2]->value.size(), 6000U);
  }
}

TEST_F(MysqlLive, TellsWarnings) {
  const auto source = server_->open("reader");
  KeptRows rows;
  const TableRun run = sql::run(
      *source,
      "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT count(*) FROM c", rows);
  ASSERT_FALSE(run.error) << run.error->to_string();
  EXPECT_THAT(run.notes, ::testing::Not(IsEmpty()));
  EXPECT_THAT(sql::run(*source, "SELECT 1/0", rows).notes, ElementsAre(HasSubstr("ivision by 0")));
  EXPECT_THAT(sql::run(*source, "SELECT 1", rows).notes, IsEmpty());
}

TEST_F(MysqlLive, NamesWhatIsNotKnown) {
  const auto source = server_->open("reader");
  KeptRows rows;
  using Kind = SqlProblem::Kind;
  const TableRun table = sql::run(*source, "SELECT *\nFROM custmer", rows);
  EXPECT_EQ(table.error->code, ErrorCode::NotFound);
  EXPECT_EQ(table.problem.kind, Kind::UnknownTable);
  EXPECT_EQ(table.problem.name, "custmer");
  EXPECT_EQ(table.error->position, (TextPosition{2, 6}));
  const TableRun column = sql::run(*source, "SELECT c.id, c.nmae FROM customer c", rows);
  EXPECT_EQ(column.problem.kind, Kind::UnknownColumn);
  EXPECT_EQ(column.problem.name, "c.nmae");
  EXPECT_EQ(column.error->position, (TextPosition{1, 14}));
  const TableRun syntax = sql::run(*source, "SELECT id\nFORM customer", rows);
  EXPECT_EQ(syntax.error->code, ErrorCode::InvalidInput);
  EXPECT_EQ(syntax.problem.kind, Kind::Syntax);
  EXPECT_EQ(syntax.error->position, (TextPosition{2, 6}));
  const PlanOutcome plan = source->explain({.sql = "SELECT * FORM customer"}, within(20s));
  EXPECT_EQ(plan.problem.kind, Kind::Syntax);
  EXPECT_EQ(plan.error->position, (TextPosition{1, 10}));
  const TableRun denied = sql::run(*source, "SELECT * FROM other.t", rows);
  EXPECT_EQ(denied.error->code, ErrorCode::Denied);
}

TEST_F(MysqlLive, ShowsAndDescribes) {
  const auto source = server_->open("reader");
  for (const char* const sql :
       {"SHOW TABLES", "SHOW CREATE TABLE customer", "SHOW CREATE VIEW rich", "DESCRIBE customer",
        "SHOW FULL COLUMNS FROM customer", "SHOW INDEX FROM customer", "SHOW DATABASES",
        "SHOW TABLE STATUS", "SHOW VARIABLES LIKE 'max_st%'", "SHOW STATUS LIKE 'Uptime'",
        "SHOW CHARACTER SET", "SHOW COLLATION", "EXPLAIN SELECT * FROM customer", "VALUES (1, 2)",
        "SELECT COUNT (*) FROM customer"}) {
    KeptRows rows;
    const TableRun run = sql::run(*source, sql, rows);
    EXPECT_FALSE(run.error) << sql << ": " << run.error->to_string();
    EXPECT_FALSE(rows.rows.empty()) << sql;
  }
}

TEST_F(MysqlLive, ExplainsWithoutRunning) {
  const auto source = server_->open("reader");
  const PlanOutcome out = source->explain(
      {.sql = "SELECT c.name, late.x FROM late, customer c JOIN invoice i ON i.customer_id = c.id "
              "WHERE c.id = ?",
       .parameters = {rdf::Term(rdf::TermView::literal("1", rdf::kXsdInteger))}},
      within(10s));
  ASSERT_FALSE(out.error) << out.error->to_string();
  EXPECT_THAT(out.plan.text, HasSubstr("table_name=i"));
  EXPECT_TRUE(out.plan.estimated_rows.has_value());
  EXPECT_FALSE(out.plan.tree.is_null());
  EXPECT_EQ(source->explain({.sql = "SHOW TABLES"}, within(10s)).error->code,
            ErrorCode::InvalidInput);
  EXPECT_EQ(source->explain({.sql = "DELETE FROM customer"}, within(10s)).error->code,
            ErrorCode::Denied);
}

TEST_F(MysqlLive, KnowsItsTables) {
  const auto source = server_->open("reader");
  const auto catalogue = source->catalogue(within(20s));
  ASSERT_TRUE(catalogue.has_value()) << catalogue.error().to_string();
  EXPECT_EQ((*catalogue)->default_schema, "shop");
  EXPECT_TRUE((*catalogue)->is_complete);
  ASSERT_EQ((*catalogue)->tables.size(), 8U);
  const TableInfo* const customer = (*catalogue)->find("customer");
  ASSERT_NE(customer, nullptr);
  EXPECT_EQ(customer->comment, "who buys");
  EXPECT_EQ(customer->rows, 3U);
  ASSERT_EQ(customer->columns.size(), 5U);
  EXPECT_EQ(customer->columns[0].otherwise, "auto_increment");
  EXPECT_EQ(customer->columns[1].type, "varchar(45)");
  EXPECT_EQ(customer->columns[1].otherwise, "'nobody'");
  EXPECT_EQ(customer->columns[1].comment, "as on the invoice");
  EXPECT_FALSE(customer->columns[1].is_nullable);
  EXPECT_EQ(customer->columns[2].otherwise, std::nullopt);
  EXPECT_TRUE(customer->columns[4].is_generated);
  EXPECT_THAT(customer->primary_key, ElementsAre("id"));
  ASSERT_EQ(customer->indexes.size(), 2U);
  EXPECT_THAT(customer->indexes[1].columns, ElementsAre("name", "credit"));
  EXPECT_TRUE(customer->indexes[1].is_unique);
  EXPECT_THAT(customer->checks, ElementsAre("`credit` >= 0"));
  const TableInfo* const invoice = (*catalogue)->find("shop.INVOICE");
  ASSERT_NE(invoice, nullptr);
  ASSERT_EQ(invoice->foreign_keys.size(), 1U);
  EXPECT_EQ(invoice->foreign_keys[0].name, "of_customer");
  EXPECT_EQ(invoice->foreign_keys[0].table, "customer");
  EXPECT_THAT(invoice->foreign_keys[0].columns, ElementsAre("customer_id"));
  EXPECT_THAT(invoice->foreign_keys[0].other_columns, ElementsAre("id"));
  EXPECT_EQ((*catalogue)->find("rich")->kind, TableInfo::Kind::View);
  EXPECT_EQ(source->catalogue(within(20s))->get(), catalogue->get());
  EXPECT_NE(source->catalogue(within(20s), true)->get(), catalogue->get());
}

TEST_F(MysqlLive, SaysWhatItCouldDo) {
  const auto reader = server_->open("reader")->rights(within(20s));
  ASSERT_TRUE(reader.has_value());
  EXPECT_EQ(reader->user, "reader@localhost");
  EXPECT_TRUE(reader->is_least) << ::testing::PrintToString(reader->beyond_reading);
  const auto writer = server_->open("writer")->rights(within(20s));
  EXPECT_FALSE(writer->is_least);
  EXPECT_THAT(writer->beyond_reading, Contains("may insert on the database shop"));
  EXPECT_THAT(writer->beyond_reading, Contains("may read and write files on the server"));
  EXPECT_THAT(writer->beyond_reading, Contains("may run stored routines of the database shop"));
  const auto root = server_->open("root")->rights(within(20s));
  EXPECT_THAT(root->beyond_reading, Contains("may do anything with everything on the server"));
}

TEST_F(MysqlLive, RulesAreBackedByRights) {
  TableQuery query;
  query.sql = "SELECT name FROM customer ORDER BY name";
  query.rules = std::make_shared<const TableRules>(TableRules{
      .allowed_tables = {{"customer", "invoice"}}, .denied_columns = {"customer.email"}});
  KeptRows rows;
  const TableRun wide = server_->open("reader")->run(query, rows, within(20s));
  ASSERT_TRUE(wide.error.has_value());
  EXPECT_EQ(wide.error->code, ErrorCode::Denied);
  // Who asks is not told what is hidden from him.
  EXPECT_THAT(wide.error->to_string(),
              AllOf(Not(HasSubstr("email")), HasSubstr("helve source check")));
  const auto rights = server_->open("reader")->policy_rights(*query.rules, within(20s));
  ASSERT_TRUE(rights.has_value()) << rights.error().to_string();
  EXPECT_THAT(rights->beyond, Contains("shop.customer.email"));
  EXPECT_THAT(rights->script, HasSubstr("GRANT SELECT (`id`, `name`, `credit`, `doubled`) ON "
                                        "`shop`.`customer`"));
  const auto narrow = server_->open("narrow");
  query.rules = std::make_shared<const TableRules>(
      TableRules{.allowed_tables = {{"customer", "shop.invoice"}},
                 .denied_tables = {"sample"},
                 .denied_columns = {"customer.email"}});
  const TableRun good = narrow->run(query, rows, within(20s));
  EXPECT_FALSE(good.error) << good.error->to_string();
  query.sql = "SELECT email FROM customer";
  EXPECT_EQ(narrow->run(query, rows, within(20s)).error->code, ErrorCode::Denied);
  query.rules = std::make_shared<const TableRules>(TableRules{.denied_tables = {"invoice"}});
  EXPECT_EQ(narrow->run(query, rows, within(20s)).error->code, ErrorCode::Denied);
}

TEST_F(MysqlLive, ViewsThatHideWhatTheyReadAreNotReadWithAPolicy) {
  server_->run(
      "USE shop; CREATE VIEW quiet AS SELECT id, name FROM customer;"
      "CREATE USER looker@localhost IDENTIFIED BY 'pass word'; GRANT SELECT ON shop.quiet TO "
      "looker@localhost;"
      "GRANT SELECT (id, name) ON shop.customer TO looker@localhost;");
  const auto looker = server_->open("looker");
  const TableRules rules{.denied_columns = {"customer.email"}};
  const auto code = [&](const char* sql) {
    KeptRows rows;
    TableQuery query;
    query.sql = sql;
    query.rules = std::make_shared<const TableRules>(rules);
    const TableRun run = looker->run(query, rows, within(20s));
    return run.error ? std::optional(run.error->code) : std::nullopt;
  };
  EXPECT_EQ(code("SELECT name FROM customer"), std::nullopt);
  EXPECT_EQ(code("SELECT name FROM `QUIET`"), ErrorCode::Denied);
  const auto rights = looker->policy_rights(rules, within(20s));
  ASSERT_TRUE(rights.has_value());
  EXPECT_EQ(rights->beyond_count, 0U);
  EXPECT_THAT(rights->notes, Contains(HasSubstr("shop.quiet")));
  // The script is one that can be run, and run again.
  server_->run(rights->script);
  server_->run(rights->script);
  server_->run(
      "CREATE USER helve_reader@localhost IDENTIFIED BY 'pass word'; GRANT SELECT (id, name) ON "
      "shop.customer TO "
      "helve_reader@localhost; GRANT SELECT, SHOW VIEW ON shop.quiet TO "
      "helve_reader@localhost;");
  const auto reader = server_->open("helve_reader");
  KeptRows rows;
  TableQuery query;
  query.sql = "SELECT name FROM quiet";
  query.rules = std::make_shared<const TableRules>(rules);
  EXPECT_FALSE(reader->run(query, rows, within(20s)).error);
  server_->run(
      "DROP VIEW shop.quiet; DROP USER looker@localhost, helve_reader@localhost, helve_reader;");
}

TEST_F(MysqlLive, NothingChangesWhoeverAsks) {
  const auto source = server_->open("root");
  KeptRows rows;
  for (const char* const sql :
       {"DELETE FROM customer", "SELECT f()", "SELECT shop.f()", "TRUNCATE customer",
        "SELECT NEXT VALUE FOR numbers", "SELECT * FROM mysql.user", "CALL p()"}) {
    EXPECT_EQ(sql::run(*source, sql, rows).error->code, ErrorCode::Denied) << sql;
  }
  EXPECT_EQ(server_->ask("SELECT COUNT(*) FROM shop.customer"), "3");
  sql::run(*source, "SELECT @@tx_read_only, @@local_infile, @@autocommit", rows);
  EXPECT_EQ(rows.shown(0, 0), "1 integer");
}

TEST_F(MysqlLive, VariablesThatTellOfTheServerAreNotShown) {
  const auto source = server_->open("writer");
  KeptRows rows;
  const TableRun all = sql::run(*source, "SHOW GLOBAL VARIABLES", rows);
  ASSERT_FALSE(all.error);
  EXPECT_EQ(all.rows, rows.rows.size());
  EXPECT_GT(all.rows, 50U);
  std::set<std::string> names;
  for (std::size_t i = 0; i < all.rows; ++i) names.insert(rows.shown(i, 0));
  EXPECT_TRUE(names.contains("version"));
  for (const char* const name : {"datadir", "tmpdir", "socket", "pid_file", "plugin_dir"}) {
    EXPECT_FALSE(names.contains(name)) << name;
  }
  // Neither does their absence tell.
  KeptRows none;
  const TableRun asked =
      sql::run(*source, "SHOW VARIABLES WHERE Variable_name = 'datadir' AND Value LIKE '/%'", none);
  KeptRows nothing;
  const TableRun other = sql::run(*source, "SHOW VARIABLES LIKE 'nosuch'", nothing);
  EXPECT_EQ(asked.rows, 0U);
  EXPECT_EQ(asked.notes, other.notes);
}

// Names that MariaDB has no function of its own for.
TEST_F(MysqlLive, StoredFunctionsUnderAllowedNamesAreNotCalled) {
  server_->run(
      "USE shop; CREATE FUNCTION regexp_like(x INT) RETURNS INT DETERMINISTIC RETURN 42;"
      "CREATE FUNCTION `bin_to_u\u00fcid`(x INT) RETURNS INT DETERMINISTIC RETURN 42;");
  const auto source = server_->open("writer");
  KeptRows rows;
  for (const char* const sql :
       {"SELECT REGEXP_LIKE(1)", "EXPLAIN SELECT REGEXP_LIKE(1)", "SELECT BIN_TO_UUID(1)"}) {
    const TableRun run = sql::run(*source, sql, rows);
    ASSERT_TRUE(run.error.has_value()) << sql;
    EXPECT_EQ(run.error->code, ErrorCode::Denied) << sql;
    EXPECT_TRUE(run.error->position.has_value()) << sql;
  }
  EXPECT_EQ(source->explain({.sql = "SELECT regexp_like(1)"}, within(20s)).error->code,
            ErrorCode::Denied);
  EXPECT_FALSE(sql::run(*source, "SELECT COUNT(*), MAX(n) FROM number", rows).error);
  server_->run("DROP FUNCTION shop.regexp_like; DROP FUNCTION shop.`bin_to_u\u00fcid`;");
}

// A view may call what a statement may not.
TEST_F(MysqlLive, SessionsThatAViewChangedAreNotUsedAgain) {
  server_->run(
      "USE shop; CREATE FUNCTION opens(x INT) RETURNS INT BEGIN SET SESSION tx_read_only = 0; "
      "IF x > 2 THEN SIGNAL SQLSTATE '45000'; END IF; RETURN x; END;"
      "CREATE VIEW opening AS SELECT id, opens(id) AS x FROM customer;");
  const auto source = server_->open("writer", 1);
  const auto ask = [&](const char* sql) {
    KeptRows rows;
    const TableRun run = sql::run(*source, sql, rows);
    return run.error ? run.error->to_string() : rows.shown(0, 0);
  };
  const std::string first = ask("SELECT CONNECTION_ID()");
  EXPECT_EQ(ask("SELECT CONNECTION_ID() FROM customer"), first);
  EXPECT_EQ(ask("SELECT x FROM opening WHERE id = 1"), "1 integer");
  const std::string second = ask("SELECT CONNECTION_ID()");
  EXPECT_NE(second, first);
  EXPECT_EQ(ask("SELECT @@tx_read_only"), "1 integer");
  ask("SELECT x FROM opening WHERE id = 3");  // changes it and fails
  EXPECT_EQ(ask("SELECT @@tx_read_only"), "1 integer");
  const std::string third = ask("SELECT CONNECTION_ID()");
  EXPECT_NE(third, second);
  ask("SELECT nothing FROM customer");  // fails and changes nothing
  EXPECT_EQ(ask("SELECT CONNECTION_ID()"), third);
  server_->run("DROP VIEW shop.opening; DROP FUNCTION shop.opens;");
}

TEST_F(MysqlLive, NullByBackslashHidesNothing) {
  const auto source = server_->open("root");
  KeptRows rows;
  for (const char* const sql :
       {"SELECT \\NINTO DUMPFILE '/tmp/x'", "SELECT \\NINTO @zz",
        "EXPLAIN SELECT \\NINTO DUMPFILE '/x'",
        "SELECT 1 FROM customer WHERE id > 0 OR name <> \\NLOCK IN SHARE MODE"}) {
    const TableRun run = sql::run(*source, sql, rows);
    ASSERT_TRUE(run.error.has_value()) << sql;
    EXPECT_EQ(run.error->code, ErrorCode::Denied) << sql;
  }
  EXPECT_FALSE(sql::run(*source, "SELECT \\N", rows).error);
  EXPECT_EQ(rows.shown(0, 0), "NULL");
}

TEST_F(MysqlLive, WrongPasswordsAreDeniedAndNotShown) {
  KeptRows rows;
  const TableRun run = sql::run(*server_->open("nobody"), "SELECT 1", rows);
  ASSERT_TRUE(run.error.has_value());
  EXPECT_EQ(run.error->code, ErrorCode::Denied);
  EXPECT_THAT(run.error->to_string(), ::testing::Not(HasSubstr("pass word")));
}

TEST_F(MysqlLive, StaysInTheDatabasesOfItsAddress) {
  server_->run(
      "CREATE TABLE IF NOT EXISTS other.stock (id INT); GRANT SELECT ON other.* TO "
      "reader@localhost;");
  const auto source = server_->open("reader");
  for (const char* const sql :
       {"SELECT * FROM other.stock", "SELECT * FROM `Other` . `stock`", "SHOW TABLES FROM other",
        "DESCRIBE other.stock", "SELECT * FROM customer, other.stock s",
        "SELECT * FROM performance_schema.threads"}) {
    KeptRows rows;
    const TableRun run = sql::run(*source, sql, rows);
    ASSERT_TRUE(run.error.has_value()) << sql;
    EXPECT_EQ(run.error->code, ErrorCode::Denied) << sql << run.error->to_string();
  }
  const auto own = source->catalogue(within(10s), true);
  ASSERT_TRUE(own.has_value());
  EXPECT_NE((*own)->find("customer"), nullptr);
  EXPECT_EQ((*own)->find("other.stock"), nullptr);
  const auto both = server_->open("reader", 2, false, "other");
  KeptRows rows;
  EXPECT_FALSE(sql::run(*both, "SELECT * FROM other.stock", rows).error);
  const auto catalogue = both->catalogue(within(10s), true);
  ASSERT_TRUE(catalogue.has_value());
  EXPECT_NE((*catalogue)->find("other.stock"), nullptr);
  server_->run("REVOKE SELECT ON other.* FROM reader@localhost;");
}

TEST_F(MysqlLive, CallsStoredFunctionsThatThePolicyAllows) {
  const auto source = server_->open("writer");
  const auto run_with = [&source](const std::string& sql, std::vector<std::string> functions) {
    TableRules rules;
    rules.allowed_functions = std::move(functions);
    TableQuery query;
    query.sql = sql;
    query.rules = std::make_shared<const TableRules>(std::move(rules));
    KeptRows rows;
    const TableRun done = source->run(query, rows, within(10s));
    return done.error ? std::string(error_code_name(done.error->code)) : rows.shown(0, 0);
  };
  EXPECT_EQ(run_with("SELECT f()", {}), "denied");
  EXPECT_EQ(run_with("SELECT f()", {"f"}), "1 integer");
  EXPECT_EQ(run_with("SELECT shop.f()", {"shop.f"}), "1 integer");
  EXPECT_EQ(run_with("SELECT shop.f()", {"f"}), "denied");
  EXPECT_EQ(run_with("SELECT SLEEP(0)", {"sleep"}), "denied");
  EXPECT_EQ(run_with("SELECT LOAD_FILE('/etc/passwd')", {"load_file"}), "denied");
}

}  // namespace
}  // namespace helve::sql
