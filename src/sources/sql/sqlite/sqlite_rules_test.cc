// Ways around the rules that SQLite itself does not ask about: columns that are computed from
// others, indexes that have the words of others, and the schema.
#include <gmock/gmock.h>

#include "base/ascii.h"
#include "sources/sql/sqlite/sqlite_testing.h"

namespace helve::sql {
namespace {

using ::testing::HasSubstr;

constexpr const char* kRulesSchema = R"sql(
  CREATE TABLE gen(id INTEGER PRIMARY KEY, s TEXT, n TEXT,
                   g TEXT GENERATED ALWAYS AS (upper(s)) VIRTUAL,
                   h TEXT AS (g || '!') STORED);
  INSERT INTO gen(s, n) VALUES ('gensecret', 'plain');
  CREATE TABLE other(id INTEGER PRIMARY KEY, s TEXT, g TEXT AS (upper(s)));
  INSERT INTO other(s) VALUES ('open');
  CREATE VIEW gen_view AS SELECT id, G AS x FROM gen;

  CREATE TABLE customer(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT DEFAULT 'SECRETDEFAULT',
                        email TEXT);
  INSERT INTO customer VALUES (1, 'Ann', 'ann@secret1'), (2, 'Bob', 'bob@secret2');
  CREATE INDEX ie ON customer(email);
  CREATE VIEW emails AS SELECT id, email FROM customer;
  CREATE VIRTUAL TABLE ftc USING fts5(email, content='customer', content_rowid='id');
  INSERT INTO ftc(ftc) VALUES ('rebuild');
  CREATE VIRTUAL TABLE short USING fts5(email, C = [Customer], content_rowid=id);
  INSERT INTO short(short) VALUES ('rebuild');
  CREATE VIRTUAL TABLE old USING fts4(content="customer", email);
  INSERT INTO old(old) VALUES ('rebuild');
  CREATE VIRTUAL TABLE seen USING fts5(email, content='emails', content_rowid='id');
  INSERT INTO seen(seen) VALUES ('rebuild');
  CREATE VIRTUAL TABLE vv USING fts5vocab('ftc', 'row');
  CREATE VIRTUAL TABLE aux USING fts4aux(old);
  CREATE VIEW raw AS SELECT * FROM own_content;

  CREATE VIRTUAL TABLE own USING fts5(body, tokenize = 'porter unicode61');
  INSERT INTO own VALUES ('free words');
  CREATE VIRTUAL TABLE fto USING fts5(s, content='other', content_rowid='id');
  INSERT INTO fto(fto) VALUES ('rebuild');
  CREATE VIRTUAL TABLE rt USING rtree(id, x0, x1);
  INSERT INTO rt VALUES (1, 0, 1);
  ANALYZE;
)sql";

class SqliteRulesTest : public ::testing::Test {
 protected:
  SqliteRulesTest() : path_(folder_ / "data.db") {
    make_database(path_, kRulesSchema);
    source_ = source_of(options_for(path_));
  }

  Answer ask_under(const TableRules& rules, std::string sql) {
    TableQuery query;
    query.sql = std::move(sql);
    query.rules = std::make_shared<const TableRules>(rules);
    return ask(*source_, query);
  }
  void expect_denied(const TableRules& rules, std::initializer_list<const char*> statements) {
    for (const char* sql : statements) {
      const auto answer = ask_under(rules, sql);
      EXPECT_EQ(answer.code(), ErrorCode::Denied) << sql << "\n" << answer.text;
      EXPECT_EQ(answer.run.rows, 0) << sql;
    }
  }
  void expect_rows(const TableRules& rules, std::initializer_list<const char*> statements) {
    for (const char* sql : statements) {
      const auto answer = ask_under(rules, sql);
      EXPECT_FALSE(answer.run.error) << sql << "\n" << answer.text;
      EXPECT_GT(answer.run.rows, 0) << sql;
    }
  }

  TempDirectory folder_;
  std::filesystem::path path_;
  std::shared_ptr<const TableSource> source_;
};

// A view may show some rows of a table that is hidden; how many it has is hidden, too.
TEST_F(SqliteRulesTest, TablesBehindAllowedViewsAreNotCounted) {
  make_database(folder_ / "behind.db",
                "CREATE TABLE hid (id INTEGER PRIMARY KEY); INSERT INTO hid VALUES (1), (2), (3);"
                "CREATE VIEW seen AS SELECT id FROM hid WHERE id < 2;");
  source_ = source_of(options_for(folder_ / "behind.db"));
  const TableRules rules{.allowed_tables = {{"seen"}}};
  expect_rows(rules, {"SELECT id FROM seen", "SELECT count(*) FROM seen", "SELECT 1 FROM seen"});
  expect_denied(rules, {"SELECT (SELECT count(*) FROM hid) FROM seen",
                        "SELECT 1 FROM seen CROSS JOIN hid", "SELECT count(*) FROM seen, \"HID\""});
}

TEST_F(SqliteRulesTest, GeneratedColumnsGoWithTheDeniedOnes) {
  TableRules rules;
  rules.denied_columns = {"gen.s"};
  expect_denied(rules, {"SELECT g FROM gen", "SELECT h FROM gen", "SELECT * FROM gen",
                        "SELECT id FROM gen WHERE g LIKE 'GEN%'", "SELECT x FROM gen_view",
                        "SELECT id FROM gen ORDER BY \"G\""});
  expect_rows(rules, {"SELECT id, n FROM gen", "SELECT * FROM other", "SELECT g FROM other"});
  EXPECT_THAT(ask_under(rules, "SELECT g FROM gen").text, HasSubstr("computed from other columns"));
  TableRules others;
  others.denied_columns = {"other.id"};
  expect_rows(others, {"SELECT * FROM gen"});
  others.denied_columns = {"gen.n"};  // which nothing is computed from
  expect_rows(others, {"SELECT g, h FROM gen"});
}

TEST_F(SqliteRulesTest, GeneratedColumnsAreAllowedWithAllTheyAreComputedFrom) {
  TableRules rules;
  rules.allowed_columns = {"gen.id", "gen.g", "gen.s"};
  expect_rows(rules, {"SELECT g FROM gen", "SELECT s, g FROM gen WHERE g LIKE 'GEN%'"});
  expect_denied(rules, {"SELECT h FROM gen", "SELECT n FROM gen", "SELECT * FROM gen"});
  rules.allowed_columns = {"gen.id", "gen.g"};
  expect_denied(rules, {"SELECT g FROM gen", "SELECT id FROM gen WHERE g LIKE 'GEN%'"});
  // By way of another.
  rules.allowed_columns = {"gen.h", "gen.g"};
  expect_denied(rules, {"SELECT h FROM gen"});
  rules.allowed_columns = {"gen.h", "gen.s"};
  expect_denied(rules, {"SELECT h FROM gen"});
  rules.allowed_columns = {"gen.h", "gen.g", "gen.s"};
  expect_rows(rules, {"SELECT h FROM gen"});
  rules.denied_columns = {"gen.s"};
  expect_denied(rules, {"SELECT h FROM gen", "SELECT g FROM gen"});
}

// However the names are written.
TEST_F(SqliteRulesTest, WhatAColumnIsComputedFromIsFoundInItsDefinition) {
  make_database(folder_ / "odd.db", R"sql(
    CREATE TABLE "odd, (table"(a TEXT, "se cret" TEXT, [as] TEXT, -- g AS (a)
      g TEXT /* , */ GENERATED ALWAYS AS (a || coalesce("SE cret", ',(')) STORED,
      "h" AS (CAST([As] AS TEXT)), k AS (upper(a)), CHECK (a <> 'x'));
    INSERT INTO "odd, (table"(a, "se cret", [as]) VALUES ('a', 's', 'x');
    CREATE TABLE later(a TEXT, s TEXT); ALTER TABLE later ADD COLUMN g TEXT AS (s || a);
    INSERT INTO later(a, s) VALUES ('a', 's');)sql");
  source_ = source_of(options_for(folder_ / "odd.db"));
  TableRules rules;
  rules.denied_columns = {"odd, (table.se cret", "later.s"};
  expect_rows(rules, {"SELECT h, k FROM \"odd, (table\"", "SELECT a FROM later"});
  expect_denied(rules, {"SELECT g FROM \"odd, (table\"", "SELECT g FROM later"});
  rules.denied_columns = {"odd, (table.as", "later.a"};
  expect_rows(rules, {"SELECT g, k FROM \"odd, (table\"", "SELECT s FROM later"});
  expect_denied(rules, {"SELECT h FROM \"odd, (table\"", "SELECT g FROM later"});
}

TEST_F(SqliteRulesTest, TheHintOfADeniedColumnSpeaksOfStars) {
  TableRules rules;
  rules.denied_columns = {"customer.email"};
  const auto answer = ask_under(rules, "SELECT * FROM customer");
  ASSERT_EQ(answer.code(), ErrorCode::Denied);
  EXPECT_EQ(answer.run.error->message, "the column 'customer.email' may not be read");
  EXPECT_EQ(answer.run.error->hint, "name the columns: * reads denied ones");
}

TEST_F(SqliteRulesTest, IndexesOverDeniedColumnsAreNotSearched) {
  TableRules column;
  column.denied_columns = {"customer.email"};
  TableRules table;
  table.denied_tables = {"customer"};
  // Also with statements of virtual tables that were made before there were rules.
  expect_rows({}, {"SELECT rowid FROM ftc WHERE ftc MATCH 'ann'", "SELECT * FROM vv",
                   "SELECT * FROM aux", "SELECT email FROM old WHERE old MATCH 'ann'"});
  for (const TableRules& rules : {column, table}) {
    expect_denied(rules, {
                             "SELECT rowid FROM ftc WHERE ftc MATCH 'ann'",
                             "SELECT 1 FROM ftc('ann')",
                             "SELECT count(*) FROM ftc",
                             "SELECT rowid FROM short WHERE short MATCH 'ann'",
                             "SELECT docid FROM old WHERE email MATCH 'ann'",
                             "SELECT rowid FROM seen WHERE seen MATCH 'ann'",
                             "SELECT * FROM vv",
                             "SELECT count(*) FROM vv",
                             "SELECT term FROM aux",
                             "SELECT * FROM ftc_data",
                             "SELECT block FROM main.[ftc_data]",
                             "SELECT * FROM ftc_idx",
                             "SELECT * FROM old_segdir",
                             "SELECT * FROM own_content",
                             "SELECT * FROM raw",
                             "SELECT count(*) FROM rt_node",
                         });
    expect_rows(rules, {"SELECT body FROM own WHERE own MATCH 'word'", "SELECT * FROM own('free')",
                        "SELECT s FROM fto WHERE fto MATCH 'open'", "SELECT * FROM rt",
                        "SELECT id FROM other"});
  }
}

TEST_F(SqliteRulesTest, TablesWithAllowedColumnsShowNothingElse) {
  TableRules rules;
  rules.allowed_columns = {"Customer.id", "main.customer.ID", "customer.NAME", "main.customer.name",
                           "gen.n"};
  expect_rows(rules, {"SELECT id, name FROM customer", "SELECT count(*) FROM customer",
                      "SELECT c.NAME FROM main.customer c", "SELECT n FROM gen",
                      "SELECT * FROM other", "SELECT g FROM other"});
  expect_denied(
      rules,
      {"SELECT email FROM customer", "SELECT * FROM customer",
       "SELECT id FROM customer WHERE email LIKE 'a%'", "SELECT id FROM customer ORDER BY email",
       "SELECT x.email FROM (SELECT * FROM customer) x",
       "WITH x AS (SELECT email AS e FROM customer) SELECT e FROM x", "SELECT email FROM emails",
       "SELECT rowid FROM gen", "SELECT id FROM gen", "SELECT g FROM gen",
       "SELECT a.id FROM customer a JOIN customer b USING (email)",
       "SELECT a.id FROM customer a NATURAL JOIN customer b",
       "SELECT rowid FROM ftc WHERE ftc MATCH 'ann'", "SELECT * FROM vv", "SELECT * FROM ftc_data",
       "SELECT sql FROM sqlite_schema"});
  // Each way of naming the table limits it.
  rules.allowed_columns = {"customer.id", "main.customer.name"};
  expect_denied(rules, {"SELECT id FROM customer", "SELECT name FROM customer"});
  expect_rows(rules, {"SELECT count(*) FROM customer"});
  rules.allowed_columns = {"customer."};  // what two policies without a common one leave
  expect_denied(rules, {"SELECT id FROM customer", "SELECT rowid FROM customer"});
}

TEST_F(SqliteRulesTest, TheSchemaIsHidden) {
  TableRules column;
  column.denied_columns = {"customer.email"};
  TableRules table;
  table.denied_tables = {"customer"};
  TableRules allowed;
  allowed.allowed_tables = {"other"};
  for (const TableRules& rules : {column, table, allowed}) {
    expect_denied(rules, {
                             "SELECT sql FROM sqlite_schema",
                             "SELECT count(*) FROM sqlite_master",
                             "SELECT name FROM main.\"SQLITE_MASTER\"",
                             "WITH x AS (SELECT sql FROM sqlite_schema) SELECT * FROM x",
                             "SELECT * FROM sqlite_sequence",
                             "SELECT * FROM sqlite_stat1",
                             "SELECT * FROM pragma_table_list",
                             "SELECT * FROM pragma_table_xinfo('customer')",
                             "SELECT count(*) FROM pragma_table_info('other')",
                             "SELECT 1 FROM pragma_index_info('ie')",
                             "PRAGMA table_xinfo(customer)",
                             "PRAGMA main.table_info(other)",
                             "PRAGMA table_list",
                             "PRAGMA page_size",
                             "EXPLAIN PRAGMA page_size",
                         });
    expect_rows(rules, {"SELECT * FROM other", "SELECT value FROM json_each('[1]')"});
  }
  EXPECT_THAT(ask_under(column, "SELECT sql FROM sqlite_schema").text, HasSubstr("schema_inspect"));
  // What is read of it for ourselves is not held to rules.
  OpContext context;
  const auto catalogue = source_->catalogue(context, true);
  ASSERT_TRUE(catalogue) << catalogue.error().to_string();
  EXPECT_GT((*catalogue)->tables.size(), 10);
  expect_rows({}, {"SELECT sql FROM sqlite_schema", "PRAGMA table_info(other)"});
}

// The order of rows would tell that of the hidden values: think of salaries.
class SqliteHiddenOrder : public ::testing::Test {
 protected:
  SqliteHiddenOrder() : path_(folder_ / "data.db") {
    make_database(path_, R"sql(
      CREATE TABLE staff(id INTEGER PRIMARY KEY, city TEXT, pay INTEGER, note TEXT);
      INSERT INTO staff VALUES (1, 'a', 30, 'x'), (2, 'a', 10, 'y'), (3, 'b', 20, 'z');
      CREATE INDEX by_pay ON staff(pay);
      CREATE INDEX by_city ON staff(city);
      CREATE INDEX by_city_pay ON staff(city, pay);
      CREATE INDEX by_half ON staff(pay / 2);
      CREATE INDEX some ON staff(note) WHERE pay > 15;
      CREATE TABLE other(id INTEGER PRIMARY KEY, pay INTEGER);
      CREATE INDEX by_other ON other(pay);
      INSERT INTO other SELECT id, pay FROM staff;)sql");
    source_ = source_of(options_for(path_));
    rules_.denied_columns = {"staff.pay"};
  }
  Answer ask_under(const TableRules& rules, std::string sql) {
    TableQuery query;
    query.sql = std::move(sql);
    query.rules = std::make_shared<const TableRules>(rules);
    return ask(*source_, query);
  }
  // Of one column of small numbers.
  static std::string digits_of(const Answer& answer) {
    EXPECT_FALSE(answer.run.error) << answer.text;
    std::string digits;
    for (std::size_t i = 1; i < answer.text.size(); ++i) {
      if (answer.text[i - 1] == '"' && is_digit(answer.text[i])) digits += answer.text[i];
    }
    return digits;
  }

  TempDirectory folder_;
  std::filesystem::path path_;
  std::shared_ptr<const TableSource> source_;
  TableRules rules_;
};

TEST_F(SqliteHiddenOrder, NoIndexWithHiddenColumnsGivesTheOrder) {
  for (const char* const sql :
       {"SELECT id FROM staff INDEXED BY by_pay", "SELECT id FROM staff INDEXED BY by_half",
        "SELECT group_concat(id) FROM staff INDEXED BY by_pay",
        "SELECT id FROM staff INDEXED BY by_city_pay WHERE city = 'a'",
        "SELECT o.id FROM other o, (SELECT id FROM staff INDEXED BY by_pay) s WHERE o.id = s.id",
        "EXPLAIN QUERY PLAN SELECT id FROM staff INDEXED BY by_pay"}) {
    const Answer answer = ask_under(rules_, sql);
    EXPECT_EQ(answer.code(), ErrorCode::Denied) << sql;
    EXPECT_THAT(answer.text, HasSubstr("NOT INDEXED")) << sql;
  }
}

TEST_F(SqliteHiddenOrder, OtherStatementsPass) {
  const auto shown = [this](const char* sql) { return digits_of(ask_under(rules_, sql)); };
  EXPECT_EQ(shown("SELECT id FROM staff"), "123");
  EXPECT_EQ(shown("SELECT count(*) FROM staff"), "3");
  EXPECT_EQ(shown("SELECT id FROM staff INDEXED BY by_city WHERE city = 'b'"), "3");
  EXPECT_EQ(shown("SELECT id FROM staff NOT INDEXED WHERE city = 'a'"), "12");
  EXPECT_EQ(shown("SELECT id FROM staff INDEXED BY by_city"), "123");
  EXPECT_EQ(shown("SELECT id FROM other INDEXED BY by_other"), "231");
  // With no rule for the table, and without any.
  TableRules rules;
  rules.denied_columns = {"other.pay"};
  EXPECT_EQ(digits_of(ask_under(rules, "SELECT id FROM staff INDEXED BY by_pay")), "231");
  EXPECT_EQ(digits_of(ask(*source_, "SELECT id FROM staff INDEXED BY by_pay")), "231");
}

}  // namespace
}  // namespace helve::sql
