// Statements, their values, caps and errors, live.

#include "sources/sql/postgres/live/postgres_live_testing.h"

namespace helve::sql {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(PostgresLive, ReadsRowsWithTheirTypes) {
  TextSink sink;
  const TableRun done =
      run("SELECT id, name, price, feeling, NULL AS n FROM data.t ORDER BY id "
          "LIMIT 2",
          sink);
  ASSERT_FALSE(done.error) << done.error->to_string();
  EXPECT_THAT(sink.columns_, ElementsAre("id", "name", "price", "feeling", "n"));
  EXPECT_THAT(sink.rows, ElementsAre("1^integer|n1|1.50^decimal|ok|NULL",
                                     "2^integer|n2|3.00^decimal|ok|NULL"));
  EXPECT_THAT(done.column_types,
              ElementsAre("integer", "text", "numeric(10,2)", "data.mood", "text"));
  EXPECT_FALSE(done.has_more);
}

TEST_F(PostgresLive, ReadsValuesOfAllKinds) {
  EXPECT_THAT(
      rows("SELECT true, 1::int2, 2::int8, 1.50::numeric, 'NaN'::numeric, 0.1::float8, "
           "'inf'::float4, date '2024-02-29', time '01:02:03.5', "
           "timestamp '2024-01-02 03:04:05', timestamptz '2024-01-02 03:04:05+02' AT TIME ZONE "
           "'UTC', '\\x00ff'::bytea, '{\"a\":1}'::json, ARRAY[1,NULL,3], "
           "ARRAY['ok','sad']::data.mood[], interval '1 day 2 hours', date 'infinity', "
           "''::text, 'x'::\"char\", 5::oid, '{}'::int[]"),
      ElementsAre("true^boolean|1^integer|2^integer|1.50^decimal|NaN^double|0.1^double|INF^double|"
                  "2024-02-29^date|01:02:03.5^time|2024-01-02T03:04:05^dateTime|"
                  "2024-01-02T01:04:05^dateTime|00FF^hexBinary|{\"a\":1}^JSON|[1,null,3]^JSON|"
                  "[\"ok\",\"sad\"]^JSON|1 day 02:00:00|infinity||x|5^integer|[]^JSON"));
}

TEST_F(PostgresLive, BindsParameters) {
  EXPECT_THAT(rows("SELECT name FROM data.t WHERE id = $1 AND name = $2",
                   {value("7", "http://www.w3.org/2001/XMLSchema#integer"), value("n7")}),
              ElementsAre("n7"));
  EXPECT_THAT(rows("SELECT $1::text IS NULL", {std::nullopt}), ElementsAre("true^boolean"));
  EXPECT_THAT(rows("SELECT $1::text", {value("'; DROP TABLE data.t; --")}),
              ElementsAre("'; DROP TABLE data.t; --"));
  // Types that the server cannot infer are those of the terms.
  EXPECT_THAT(rows("SELECT $1 + $2", {value("1", "http://www.w3.org/2001/XMLSchema#integer"),
                                      value("2", "http://www.w3.org/2001/XMLSchema#integer")}),
              ElementsAre("3^integer"));
  EXPECT_EQ(error("SELECT $2::int", {value("1")}).code, ErrorCode::InvalidInput);
  EXPECT_EQ(error("SELECT 1", {value("1")}).code, ErrorCode::InvalidInput);
  EXPECT_EQ(error("SELECT $1::text", {value(std::string_view("a\0b", 3))}).code,
            ErrorCode::InvalidInput);
}

TEST_F(PostgresLive, NoAnswerMayBeUsedAgain) { EXPECT_EQ(source_->fingerprint(), ""); }

TEST_F(PostgresLive, RunsEveryFormOfReading) {
  EXPECT_THAT(rows("VALUES (1), (2)"), ElementsAre("1^integer", "2^integer"));
  EXPECT_EQ(rows("TABLE data.edge").size(), 99U);
  EXPECT_THAT(rows("WITH c AS (SELECT 1 AS a) SELECT * FROM c;  -- end"), ElementsAre("1^integer"));
  EXPECT_THAT(rows("SHOW transaction_read_only"), ElementsAre("on"));
  EXPECT_FALSE(
      rows("EXPLAIN SELECT id FROM data.t, data.edge WHERE id = $1", {value("1")}).empty());
  EXPECT_THAT(rows("SELECT"), ElementsAre(""));
  EXPECT_THAT(rows("SELECT 1 WHERE false"), IsEmpty());
  EXPECT_THAT(rows("SELECT current_setting('default_transaction_read_only')"), ElementsAre("on"));
}

TEST_F(PostgresLive, CapsRowsExactly) {
  for (const std::uint64_t cap : {0ULL, 1ULL, 255ULL, 256ULL, 257ULL, 999ULL, 1'000ULL, 1'001ULL}) {
    TableQuery query;
    query.sql = "SELECT g FROM generate_series(1, 1000) g";
    query.rows_max = cap;
    TextSink sink;
    const TableRun done = source_->run(query, sink, within(20'000));
    ASSERT_FALSE(done.error) << done.error->to_string();
    EXPECT_EQ(done.rows, std::min<std::uint64_t>(cap, 1'000)) << cap;
    EXPECT_EQ(sink.rows.size(), done.rows);
    EXPECT_EQ(done.has_more, cap < 1'000) << cap;
  }
  TableQuery all;
  all.sql = "SELECT g FROM generate_series(1, 100000) g";
  all.rows_max = UINT64_MAX;
  TextSink sink;
  const TableRun done = source_->run(all, sink, within(20'000));
  EXPECT_EQ(done.rows, 100'000U);
  EXPECT_FALSE(done.has_more);
  EXPECT_EQ(sink.rows.back(), "100000^integer");
}

TEST_F(PostgresLive, CapsBytes) {
  TableQuery query;
  query.sql = "SELECT repeat('x', 1000) FROM generate_series(1, 100000)";
  query.bytes_max = 1'000'500;
  TextSink sink;
  TableRun done = source_->run(query, sink, within(20'000));
  ASSERT_FALSE(done.error) << done.error->to_string();
  EXPECT_EQ(done.rows, 1'000U);
  EXPECT_TRUE(done.has_more);
  // One row that is far beyond.
  query.sql = "SELECT repeat('x', 100000000)";
  TextSink none;
  done = source_->run(query, none, within(20'000));
  ASSERT_TRUE(done.error);
  EXPECT_EQ(done.error->code, ErrorCode::LimitExceeded);
  EXPECT_THAT(rows("SELECT 1"), ElementsAre("1^integer"));
}

TEST_F(PostgresLive, StopsWhenTheSinkDoes) {
  TextSink sink;
  sink.rows_max = 10;
  const TableRun done = run("SELECT g FROM generate_series(1, 1000000) g", sink);
  ASSERT_TRUE(done.error);
  EXPECT_EQ(done.error->message, "full");
  EXPECT_EQ(done.rows, 10U);
  EXPECT_THAT(rows("SELECT 1"), ElementsAre("1^integer"));
}

TEST_F(PostgresLive, WritesNothingWhateverIsCalled) {
  const std::string before = value_of("SELECT count(*) FROM data.t");
  for (const std::string sql : {"SELECT * FROM data.evil", "SELECT data.wipe()",
                                "WITH d AS (DELETE FROM data.t RETURNING 1) SELECT * FROM d"}) {
    EXPECT_EQ(error(sql).code, ErrorCode::Denied) << sql;
  }
  source_ = open("postgres");
  EXPECT_EQ(error("SELECT * FROM data.evil").code, ErrorCode::Denied);
  EXPECT_EQ(value_of("SELECT count(*) FROM data.t"), before);
}

TEST_F(PostgresLive, FunctionsOfTheDatabaseAreNotCalledAsColumns) {
  execute(
      "CREATE FUNCTION public.act(text) RETURNS text LANGUAGE plpgsql AS "
      "$$BEGIN PERFORM pg_notify('a', $1); RETURN 'acted'; END$$");
  EXPECT_EQ(error("SELECT ('x'::text).act").code, ErrorCode::Denied);
  EXPECT_EQ(error("SELECT x.act FROM unnest(ARRAY['x']) x").code, ErrorCode::Denied);
  EXPECT_THAT(rows("SELECT x.name FROM data.v x WHERE x.id = 1"), ElementsAre("n1"));
}

TEST_F(PostgresLive, TellsWhatIsWrongAndWhere) {
  Error found = error("SELECT id,\n  nmae FROM data.t");
  EXPECT_EQ(found.code, ErrorCode::NotFound);
  EXPECT_EQ(found.position, (TextPosition{2, 3}));
  found = error("SELECT 1 FROM data.tt");
  EXPECT_EQ(found.code, ErrorCode::NotFound);
  EXPECT_EQ(found.position, (TextPosition{1, 15}));
  EXPECT_EQ(error("SELECT secret FROM data.t").code, ErrorCode::Denied);
  EXPECT_EQ(error("SELECT to_jsonb(t) FROM data.t t").code, ErrorCode::Denied);
  EXPECT_EQ(error("SELECT * FROM data.hidden").code, ErrorCode::Denied);
  EXPECT_EQ(error("SELECT 1/0").code, ErrorCode::InvalidInput);
  EXPECT_EQ(error("SELECT 1 FRM t x y").code, ErrorCode::InvalidInput);
  TextSink sink;
  const TableRun late = run("SELECT 10 / (1500 - g) FROM generate_series(1, 2000) g", sink);
  ASSERT_TRUE(late.error);
  EXPECT_EQ(late.error->code, ErrorCode::InvalidInput);
  EXPECT_GE(late.rows, 256U);
  EXPECT_EQ(late.rows, sink.rows.size());
  TextSink unknown;
  const TableRun done = run("SELECT x.nmae FROM data.v x", unknown);
  EXPECT_EQ(done.problem.kind, SqlProblem::Kind::UnknownColumn);
  EXPECT_EQ(done.problem.name, "x.nmae");
}

TEST_F(PostgresLive, GivesWarningsAsNotes) {
  TextSink sink;
  const TableRun done = run("SELECT x FROM data.loud", sink);
  ASSERT_FALSE(done.error) << done.error->to_string();
  EXPECT_THAT(done.notes, ElementsAre("mind the gap"));
  TextSink next;
  EXPECT_THAT(run("SELECT 1", next).notes, IsEmpty());
}

}  // namespace
}  // namespace helve::sql
