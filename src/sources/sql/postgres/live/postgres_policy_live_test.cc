// Policies against a server: what the rights of a connection must back, and the script for them.
#include <fmt/format.h>

#include "sources/sql/postgres/live/postgres_live_testing.h"

namespace helve::sql {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class PostgresPolicy : public PostgresLive {
 protected:
  static void SetUpTestSuite() {
    PostgresLive::SetUpTestSuite();
    if (!server_->is_running()) return;
    execute(R"(
      CREATE TABLE data.staff (id int, name text, pay int,
        twice_pay int GENERATED ALWAYS AS (pay * 2) STORED);
      INSERT INTO data.staff VALUES (1, 'ann', 10);
      CREATE VIEW data.pays AS SELECT id, pay AS p FROM data.staff;
      CREATE VIEW data.names AS SELECT id, name FROM data.staff;
      CREATE VIEW data.rows AS SELECT s::text AS s, s.id FROM data.staff s;
      CREATE MATERIALIZED VIEW data.sums AS SELECT sum(p) AS p FROM data.pays;
      CREATE TABLE data.year (d int, x text) PARTITION BY RANGE (d);
      CREATE TABLE data.year1 PARTITION OF data.year FOR VALUES FROM (1) TO (2);
      INSERT INTO data.year VALUES (1, 'a');
      CREATE ROLE clerk LOGIN;
      GRANT USAGE ON SCHEMA data TO clerk;
      GRANT SELECT (id, name) ON data.staff TO clerk;
      GRANT SELECT ON data.names TO clerk;)");
  }

  std::vector<std::string> beyond(const TableRules& rules) {
    const auto rights = source_->policy_rights(rules, within(20'000));
    EXPECT_TRUE(rights.has_value()) << rights.error().to_string();
    EXPECT_EQ(rights->beyond_count, rights->beyond.size());
    return rights->beyond;
  }
  TableRun run_with(const std::string& sql, const TableRules& rules) {
    TextSink sink;
    TableQuery query;
    query.sql = sql;
    query.rules = std::make_shared<const TableRules>(rules);
    return source_->run(query, sink, within(20'000));
  }
};

TEST_F(PostgresPolicy, IsBackedByRights) {
  const TableRules fine{.denied_tables = {"hidden"}, .denied_columns = {"data.t.secret"}};
  EXPECT_THAT(beyond(fine), IsEmpty());
  EXPECT_FALSE(run_with("SELECT count(*) FROM data.edge", fine).error);
  const TableRules strict{.denied_tables = {"data.EDGE"}, .denied_columns = {"t.price"}};
  EXPECT_THAT(beyond(strict), ElementsAre("data.edge", "data.t.price"));
  const TableRules few{
      .allowed_tables = {{"data.edge", "DATA.v", "data.evil", "data.loud", "data.t"}}};
  EXPECT_THAT(beyond(few), IsEmpty());
  TableRules bare = few;
  bare.allowed_tables->front() = "edge";  // of a schema that is not searched
  EXPECT_THAT(beyond(bare), ElementsAre("data.edge"));
}

// Who asks is not told what is hidden from him.
TEST_F(PostgresPolicy, RefusalsHideWhatThePolicyHides) {
  const TableRun refused = run_with("SELECT 1", {.denied_tables = {"edge"}});
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(refused.error->code, ErrorCode::Denied);
  const std::string text = refused.error->to_string();
  EXPECT_THAT(text, AllOf(Not(HasSubstr("edge")), HasSubstr("helve source check test")));
  const TableRules fine{.denied_tables = {"hidden"}};
  EXPECT_EQ(run_with("SELECT relname FROM pg_class", fine).error->code, ErrorCode::Denied);
  EXPECT_FALSE(run_with("SELECT table_name FROM information_schema.tables", fine).error);
}

TEST_F(PostgresPolicy, ViewsAndComputedColumnsShowWhatTheyRead) {
  source_ = open("clerk");
  const TableRules rules{.denied_columns = {"staff.pay"}};
  EXPECT_THAT(beyond(rules), IsEmpty());
  EXPECT_FALSE(run_with("SELECT name FROM data.names", rules).error);
  execute("GRANT SELECT ON data.pays, data.rows, data.sums TO clerk");
  EXPECT_THAT(beyond(rules),
              ElementsAre("the view data.pays", "the view data.rows", "the view data.sums"));
  source_ = open("clerk");  // connections believe what they saw for a minute
  EXPECT_EQ(run_with("SELECT 1", rules).error->code, ErrorCode::Denied);
  // What is allowed by its name is wanted.
  TableRules named{.allowed_tables = {{"data.pays", "data.rows", "data.sums", "data.names"}}};
  EXPECT_THAT(beyond(named), ElementsAre("data.staff"));
  named.allowed_tables->push_back("data.staff");
  EXPECT_THAT(beyond(named), IsEmpty());
  execute("REVOKE SELECT ON data.pays, data.rows, data.sums FROM clerk");
  execute("GRANT SELECT (twice_pay) ON data.staff TO clerk");
  EXPECT_THAT(beyond(rules), ElementsAre("data.staff.twice_pay"));
  execute("REVOKE SELECT (twice_pay) ON data.staff FROM clerk");
  EXPECT_THAT(beyond({.denied_tables = {"staff"}}),
              ElementsAre("the view data.names", "data.staff"));
}

TEST_F(PostgresPolicy, TablesWithAllowedColumnsMustBeReadableByThoseAlone) {
  source_ = open("clerk");
  EXPECT_THAT(
      beyond({.allowed_columns = {{"staff.id", "data.staff.id", "STAFF.name", "data.staff.name"}}}),
      IsEmpty());
  const TableRules rules{.allowed_columns = {{"staff.id"}}};
  EXPECT_THAT(beyond(rules), ElementsAre("the view data.names", "data.staff.name"));
  EXPECT_EQ(run_with("SELECT 1", rules).error->code, ErrorCode::Denied);
  EXPECT_THAT(beyond({.allowed_columns = {{"nowhere.id"}}}), IsEmpty());
}

TEST_F(PostgresPolicy, ParentsShowTheRowsOfTheirChildren) {
  source_ = open("clerk");
  execute("GRANT SELECT ON data.year TO clerk");
  EXPECT_THAT(beyond({.denied_tables = {"year1"}}),
              ElementsAre("data.year, which has rows of denied tables"));
  EXPECT_THAT(beyond({.denied_columns = {"year1.x"}}),
              ElementsAre("data.year, which has rows of denied tables"));
  execute("REVOKE SELECT ON data.year FROM clerk; GRANT SELECT (d) ON data.year TO clerk");
  EXPECT_THAT(beyond({.denied_columns = {"year1.x"}}), IsEmpty());
  execute("REVOKE SELECT ON data.year FROM clerk");
}

TEST_F(PostgresPolicy, TheScriptMakesARoleWithTheRightsOfThePolicy) {
  execute("CREATE TABLE data.told (a int); GRANT SELECT ON data.told TO PUBLIC");
  const TableRules rules{.denied_tables = {"told", "hidden"}, .denied_columns = {"staff.pay"}};
  const auto owner = open("postgres");
  execute(owner->setup_script());  // the role is there, and reads too much
  execute("GRANT SELECT ON ALL TABLES IN SCHEMA data TO helve_reader");
  const auto rights = owner->policy_rights(rules, within(20'000));
  ASSERT_TRUE(rights.has_value()) << rights.error().to_string();
  EXPECT_GT(rights->beyond_count, 0U);
  execute(rights->script);
  execute(rights->script);
  source_ = open("helve_reader");
  EXPECT_THAT(beyond(rules), IsEmpty());
  EXPECT_FALSE(run_with("SELECT id, name FROM data.staff", rules).error);
  EXPECT_FALSE(run_with("SELECT name FROM data.names", rules).error);
  for (const std::string sql : {"SELECT twice_pay FROM data.staff", "SELECT * FROM data.told",
                                "SELECT p FROM data.pays", "SELECT x FROM data.hidden"}) {
    EXPECT_EQ(run_with(sql, rules).error->code, ErrorCode::Denied) << sql;
  }
  const auto least = source_->rights(within(20'000));
  ASSERT_TRUE(least.has_value());
  EXPECT_TRUE(least->is_least) << ::testing::PrintToString(least->beyond_reading);
  execute("GRANT TEMPORARY ON DATABASE postgres TO PUBLIC");
}

TEST_F(PostgresPolicy, NothingLooksUpTheNamesOfHiddenTables) {
  const TableRules rules{.denied_tables = {"hidden"}};
  for (const std::string sql :
       {"SELECT i::oid::regclass::text FROM generate_series(16384, 17000) i",
        "SELECT CAST(i AS pg_catalog.regtype) FROM generate_series(16384, 17000) i",
        "SELECT CAST(ARRAY[i] AS regclass[]) FROM generate_series(16384, 17000) i",
        "SELECT '{16384}'::_regclass",
        "SELECT regclass(16384)",
        "SELECT (16384::oid).regclass",
        "SELECT CASE WHEN i < 0 THEN pg_typeof(1) ELSE i END FROM generate_series(16384, 17000) i",
        "SELECT * FROM json_to_record('{\"a\": 16384}') AS x(a regclass)",
        "SELECT * FROM xmltable('/a' PASSING '<a>1</a>' COLUMNS y regclass PATH '.') t",
        "SELECT to_regclass('data.hidden')",
        "SELECT pg_get_viewdef(16384)",
        "SELECT pg_get_functiondef(16384)",
        "SELECT (16384::oid).pg_get_functiondef",
        "SELECT format_type(16384, 0)",
        "SELECT obj_description(16384, 'pg_class')",
        "SELECT pg_relation_size(16384)",
        "SELECT has_table_privilege('data.hidden', 'SELECT')",
        "SELECT json_populate_recordset(NULL::data.hidden, '[]')",
        "SELECT NULL::data.hidden[]",
        "SELECT to_json(NULL::data._hidden)",
        "SELECT ('{16384}'::text)._regclass::text",
        "SELECT ('16384'::text).regtype",
        "SELECT row_security_active('data.edge')",
        "EXPLAIN SELECT 1::regclass"}) {
    const TableRun done = run_with(sql, rules);
    ASSERT_TRUE(done.error) << sql;
    EXPECT_EQ(done.error->code, ErrorCode::Denied) << sql << done.error->to_string();
    EXPECT_FALSE(run_with(sql, {}).error && run_with(sql, {}).error->code == ErrorCode::Denied)
        << sql;
  }
  for (const std::string sql :
       {"SELECT 'ok'::data.mood", "SELECT id::text, price::numeric(5, 1) FROM data.t",
        "SELECT 'english'::regconfig", "SELECT '[1]'::jsonb, '{a}'::text[]"}) {
    const TableRun done = run_with(sql, rules);
    EXPECT_FALSE(done.error) << sql << done.error->to_string();
  }
}

}  // namespace
}  // namespace helve::sql
