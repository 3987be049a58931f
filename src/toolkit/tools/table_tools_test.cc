#include "toolkit/tools/table_tools.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/support/tables/fake_tables.h"
#include "toolkit/tools/declare.h"
#include "toolkit/tools/tool_testing.h"

namespace helve::toolkit {
namespace {

using helve::testing::FakeTables;
using helve::testing::music_shop;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class TableTools : public ToolTest {
 protected:
  TableTools() {
    shop_ = music_shop();
    EXPECT_TRUE(toolkit_->add_source(shop_).has_value());
  }

  static std::string list(const JsonValue& object, std::string_view key) {
    const JsonValue* value = object.find(key);
    return value != nullptr ? to_json(*value) : "(none)";
  }
  // The error of a call.
  JsonValue fail(std::string_view tool, std::string_view arguments) {
    const JsonValue json = call(tool, arguments, false);
    const JsonValue* error = json.find("error");
    EXPECT_NE(error, nullptr) << to_json(json);
    return error != nullptr ? *error : JsonValue();
  }

  std::shared_ptr<FakeTables> shop_;
};

TEST_F(TableTools, ListTablesProgressively) {
  const JsonValue names = call("schema_inspect", R"({"detail":"names"})");
  EXPECT_EQ(list(names, "tables"), R"(["artist","album","track","customer","invoice","refund"])");
  EXPECT_EQ(number(names, "total_available"), 6);
  const JsonValue summary = call("schema_inspect", "{}");
  EXPECT_THAT(list(summary, "tables"),
              HasSubstr(R"({"table":"artist","kind":"table","rows_about":5,"columns":2,)"
                        R"("primary_key":["artist_id"],"comment":"who made the music"})"));
  const RenderedReply text = reply("schema_inspect", "{}");
  EXPECT_THAT(text.text, HasSubstr("estimates of the catalogue"));
  const JsonValue full = call("schema_inspect", R"({"detail":"full","max_chars":20000})");
  EXPECT_THAT(list(full, "tables"), HasSubstr("album_id integer not null"));
  EXPECT_THAT(list(full, "tables"), HasSubstr("artist_id -> artist(artist_id)"));
  EXPECT_EQ(shop_->runs(), 0U);  // nothing is counted
  const JsonValue few = call("schema_inspect", R"({"limit":2})");
  EXPECT_EQ(size(few, "tables"), 2U);
  EXPECT_TRUE(flag(few, "truncated"));
}

TEST_F(TableTools, DescribesATable) {
  const JsonValue track = call("schema_inspect", R"({"table":"TRACK"})");
  EXPECT_EQ(text(track, "table"), "track");
  EXPECT_EQ(number(track, "rows_about"), 240);
  EXPECT_THAT(list(track, "warnings"), HasSubstr("describe_table"));
  EXPECT_THAT(
      list(track, "columns"),
      HasSubstr(R"({"name":"track_id","type":"integer","nullable":false,"key":"primary"})"));
  EXPECT_THAT(list(track, "columns"), Not(HasSubstr("samples")));
  EXPECT_THAT(list(track, "foreign_keys"), HasSubstr("album_id -> album(album_id)"));
  EXPECT_THAT(list(track, "checks"), HasSubstr("unit_price >= 0"));
  EXPECT_EQ(shop_->runs(), 0U);
  const JsonValue album =
      call("schema_inspect", R"({"action":"describe_table","table":"album","detail":"full"})");
  EXPECT_THAT(list(album, "referenced_by"), HasSubstr("track(album_id) -> album_id"));
  EXPECT_THAT(list(album, "columns"),
              HasSubstr(R"("samples":["'Album 1'","'Album 2'","'Album 3'"])"));
  EXPECT_THAT(list(album, "indexes"), HasSubstr("album_artist"));
  EXPECT_EQ(shop_->runs(), 1U);
}

TEST_F(TableTools, AsksAgainForCatalogsThatMayHaveChanged) {
  call("schema_inspect", "{}");
  call("schema_inspect", R"({"detail":"names"})");
  EXPECT_EQ(shop_->fresh_reads(), 0U);  // it tells when it changes
  shop_->set_fingerprint("");
  shop_->hide_until_fresh("refund");
  EXPECT_EQ(size(call("schema_inspect", R"({"detail":"names"})"), "tables"), 6U);
  call("schema_inspect", "{}");
  EXPECT_EQ(shop_->fresh_reads(), 1U);  // just now
}

TEST_F(TableTools, LargeTablesThatAreReadWholeAreWarnedOf) {
  helve::testing::FakeTable track{
      helve::testing::table_info("track", "track_id integer key, name text, album_id integer"), {}};
  track.info.rows = 50'000;
  track.info.indexes = {{"track_album", {"album_id"}}};
  const auto big = std::make_shared<FakeTables>("big", SqlDialect::Sqlite,
                                                std::vector<helve::testing::FakeTable>{track});
  ASSERT_TRUE(toolkit_->add_source(big).has_value());
  const JsonValue plan =
      call("explain_plan", R"({"source":"big","sql":"SELECT 1 FROM track WHERE name = 'x'"})");
  EXPECT_THAT(list(plan, "warnings"),
              HasSubstr("every row of track is read, about 50,000; no index begins with name"));
  const JsonValue indexed =
      call("explain_plan", R"({"source":"big","sql":"SELECT 1 FROM track WHERE album_id = 1"})");
  EXPECT_THAT(list(indexed, "warnings"), HasSubstr("every row of track is read, about 50,000\""));
  // A small one may be read whole.
  EXPECT_THAT(
      list(call("explain_plan", R"({"sql":"SELECT 1 FROM track WHERE name = 'x'"})"), "warnings"),
      Not(HasSubstr("every row")));
}

TEST_F(TableTools, WideAnswersShowSomeColumns) {
  std::string columns;
  for (int i = 0; i < 500; ++i) columns += fmt::format("{}{} AS c{}", i > 0 ? ", " : "", i, i);
  JsonValue::Object arguments;
  arguments.push_back({"sql", JsonValue("SELECT " + columns)});
  const RenderedReply wide = reply("query_execute", to_json(JsonValue(std::move(arguments))));
  EXPECT_THAT(wide.text, HasSubstr("preview (c0 | c1 |"));
  EXPECT_THAT(wide.text,
              HasSubstr("of 500 columns are shown; sparql_slice result=results_0 columns=[...]"));
}

TEST_F(TableTools, NumbersAreShownAsStatementsWriteThem) {
  const RenderedReply rows = reply("query_execute", R"({"sql":"SELECT 2.5 AS a, 9.0 AS b"})");
  EXPECT_THAT(rows.text, HasSubstr("2.5e0 | "));
  EXPECT_THAT(rows.text, Not(HasSubstr("xsd:double")));
}

TEST_F(TableTools, ErrorsPointToTheRightTool) {
  const auto hint = [&](std::string_view tool, const std::string& key, const std::string& text) {
    JsonValue::Object arguments;
    arguments.push_back({key, JsonValue(text)});
    return this->text(fail(tool, to_json(JsonValue(std::move(arguments)))), "hint");
  };
  EXPECT_THAT(hint("query_execute", "sql", "SELECT ?s WHERE { ?s ?p ?o }"),
              HasSubstr("sparql_query"));
  EXPECT_THAT(hint("query_execute", "sql", "SHOW TABLES"), HasSubstr("schema_inspect lists"));
  EXPECT_THAT(hint("query_execute", "sql", "SELECT * FROM results_7"),
              HasSubstr("result_sql reads handles"));
  EXPECT_THAT(hint("query_execute", "sql", "SELECT a.name FROM artist a JOIN track t ON name = 1"),
              HasSubstr("t.column"));
  EXPECT_THAT(hint("sparql_query", "query", "SELECT name FROM artist"), HasSubstr("query_execute"));
}

TEST_F(TableTools, ColumnsOfOneNameGetNamesOfTheirOwn) {
  const JsonValue rows = call(
      "query_execute",
      R"({"sql":"SELECT a.name, t.name, 1 AS name_2, 2 AS name FROM artist a, track t LIMIT 1"})");
  EXPECT_EQ(list(rows, "columns"), R"(["name","name_3","name_2","name_4"])");
  EXPECT_THAT(list(rows, "warnings"), HasSubstr("name (now name_3), name (now name_4)"));
  const JsonValue fed = call(
      "query_execute", R"J({"sql":"SELECT 1 AS one WHERE 'Track 1' IN (@results_0.name_3)"})J");
  EXPECT_EQ(number(fed, "rows"), 1) << to_json(fed);
}

TEST_F(TableTools, ListsKeysAndIndexes) {
  const JsonValue keys =
      call("schema_inspect", R"({"action":"list_foreign_keys","table":"album"})");
  EXPECT_EQ(size(keys, "foreign_keys"), 2U);  // its own, and the one that points at it
  EXPECT_EQ(size(call("schema_inspect", R"({"action":"list_foreign_keys"})"), "foreign_keys"), 4U);
  EXPECT_EQ(size(call("schema_inspect", R"({"action":"list_indexes","table":"album"})"), "indexes"),
            2U);
}

TEST_F(TableTools, SearchesNamesAndComments) {
  const JsonValue hits = call("schema_inspect", R"({"action":"search","q":"price"})");
  EXPECT_THAT(list(hits, "hits"), HasSubstr("unit_price"));
  EXPECT_THAT(list(call("schema_inspect", R"({"pattern":"plays"})"), "hits"),
              HasSubstr("milliseconds"));
  EXPECT_EQ(number(call("schema_inspect", R"({"pattern":"qqqqqq"})"), "total_available"), 0);
}

TEST_F(TableTools, UnknownTablesBringTheNearest) {
  const JsonValue error = fail("schema_inspect", R"({"table":"custmers"})");
  EXPECT_EQ(text(error, "code"), "not_found");
  EXPECT_THAT(list(error, "did_you_mean"), HasSubstr("customer"));
  EXPECT_EQ(shop_->fresh_reads(), 1U);
  EXPECT_EQ(text(fail("schema_inspect", R"({"action":"describe_table"})"), "code"),
            "invalid_input");
  EXPECT_EQ(text(fail("schema_inspect", R"({"action":"search"})"), "code"), "invalid_input");
}

TEST_F(TableTools, NewTablesAreFound) {
  shop_->hide_until_fresh("refund");
  EXPECT_EQ(text(call("schema_inspect", R"({"table":"refund"})"), "table"), "refund");
}

TEST_F(TableTools, RowsGoBehindAHandle) {
  const JsonValue rows = call("query_execute", R"({"sql":"SELECT track_id, name FROM track",
      "limit":3})");
  EXPECT_EQ(number(rows, "rows"), 240);
  EXPECT_EQ(number(rows, "row_count"), 240);
  EXPECT_EQ(number(rows, "total_available"), 240);
  EXPECT_EQ(text(rows, "total_is"), "exact");
  EXPECT_TRUE(flag(rows, "truncated"));
  EXPECT_EQ(list(rows, "columns"), R"(["track_id","name"])");
  EXPECT_EQ(list(rows, "column_types"), R"(["integer","text"])");
  EXPECT_EQ(size(rows, "preview"), 3U);
  const JsonValue page =
      call("sparql_slice", R"({"result":")" + text(rows, "key") + R"(","offset":239})");
  EXPECT_EQ(size(page, "rows"), 1U);
}

TEST_F(TableTools, DatatypesAreShortInEveryView) {
  const RenderedReply shown = reply("query_execute", R"({"sql":"SELECT 9e999 AS much"})");
  EXPECT_THAT(shown.text, AllOf(HasSubstr("\"inf\"^^xsd:double"), HasSubstr("prefixes: xsd:")));
  const RenderedReply page = reply("sparql_slice", R"({"result":"results_0"})");
  EXPECT_THAT(page.text, HasSubstr("\"inf\"^^xsd:double"));
}

TEST_F(TableTools, EqualCallsShareAHandleWhileNothingChanges) {
  const char* const query = R"({"sql":"SELECT name FROM artist"})";
  const std::string key = text(call("query_execute", query), "key");
  EXPECT_EQ(text(call("query_execute", query), "key"), key);
  EXPECT_EQ(shop_->runs(), 1U);
  shop_->set_fingerprint("fake-2");
  EXPECT_NE(text(call("query_execute", query), "key"), key);
  EXPECT_EQ(shop_->runs(), 2U);
  shop_->set_fingerprint("");
  call("query_execute", query);
  call("query_execute", query);
  EXPECT_EQ(shop_->runs(), 4U);
}

TEST_F(TableTools, TakeParameters) {
  const JsonValue rows = call(
      "query_execute",
      R"({"sql":"SELECT first_name FROM customer WHERE country = ? OR customer_id = ?","params":["Norway", 1]})");
  EXPECT_EQ(number(rows, "rows"), 2);
  EXPECT_EQ(text(fail("query_execute", R"({"sql":"SELECT ?"})"), "code"), "invalid_input");
  EXPECT_EQ(text(fail("query_execute", R"({"sql":"SELECT ?","params":[[1]]})"), "code"),
            "invalid_input");
}

std::string call_of(const std::string& sql, JsonValue::Array params = {}) {
  return to_json(arguments_of({{"sql", JsonValue(sql)}, {"params", JsonValue(std::move(params))}}));
}

TEST_F(TableTools, AreFedFromHandles) {
  const std::string key =
      text(call("query_execute", call_of("SELECT album_id AS id FROM album WHERE artist_id = 1")),
           "key");
  const JsonValue rows =
      call("query_execute",
           call_of("SELECT name FROM track WHERE album_id IN (@" + key + ".id) AND unit_price < ?",
                   {JsonValue(1.5)}));
  EXPECT_EQ(number(rows, "rows"), 24);
  EXPECT_EQ(shop_->queries().back().parameters.size(), 3U);
  const JsonValue error =
      fail("query_execute", call_of("SELECT 1 FROM track WHERE 1 IN (@" + key + ".nothing)"));
  EXPECT_EQ(text(error, "code"), "invalid_input");
}

TEST_F(TableTools, AreFedFromGraphs) {
  const std::string key = text(
      call("sparql_query", R"({"source":"planets","query":"SELECT ?n { VALUES ?n { 1 2 'x' } }"})"),
      "key");
  const JsonValue rows =
      call("query_execute", call_of("SELECT name FROM artist WHERE artist_id IN (@" + key + ".n)"));
  EXPECT_EQ(number(rows, "rows"), 2);
}

TEST_F(TableTools, UnknownNamesAreRepaired) {
  const JsonValue column = fail(
      "query_execute", R"({"sql":"SELECT c.emial\nFROM customer c\nWHERE c.country = 'USA'"})");
  EXPECT_EQ(text(column, "code"), "not_found");
  EXPECT_THAT(list(column, "did_you_mean"), HasSubstr("\"c.email\""));
  EXPECT_THAT(list(column, "schema_fragment"),
              AllOf(HasSubstr("\"table\":\"customer\""), HasSubstr("email text")));
  EXPECT_THAT(list(column, "position"), HasSubstr("\"line\":1"));
  const JsonValue table = fail("query_execute", R"({"sql":"SELECT * FROM custmer"})");
  EXPECT_THAT(list(table, "did_you_mean"), HasSubstr("customer"));
  EXPECT_THAT(list(table, "position"), HasSubstr("\"column\":15"));
  EXPECT_EQ(shop_->fresh_reads(), 2U);
  EXPECT_EQ(text(fail("query_execute", R"({"sql":"SELECT nmae FROM artist WHERE"})"), "code"),
            "invalid_input");
}

// A database whose guard refuses a function: it may be there all the same.
class RefusingTables final : public TableSource {
 public:
  explicit RefusingTables(std::shared_ptr<const TableSource> shop) : shop_(std::move(shop)) {}

  const SourceInfo& info() const override { return shop_->info(); }
  std::string fingerprint() const override { return shop_->fingerprint(); }
  SqlDialect dialect() const override { return shop_->dialect(); }
  TableRun run(const TableQuery& query, RowSink& /*sink*/,
               const OpContext& /*context*/) const override {
    TableRun run;
    run.error = Error{ErrorCode::Denied, "the function may not be called", "offer it as a view"};
    const std::size_t begin = query.sql.find(' ') + 1;
    run.problem = {SqlProblem::Kind::UnknownFunction,
                   query.sql.substr(begin, query.sql.find('(') - begin)};
    return run;
  }
  PlanOutcome explain(const TableQuery& query, const OpContext& context) const override {
    return shop_->explain(query, context);
  }
  Result<std::shared_ptr<const Catalogue>> catalogue(const OpContext& context,
                                                     bool is_fresh) const override {
    return shop_->catalogue(context, is_fresh);
  }
  Result<SourceRights> rights(const OpContext& context) const override {
    return shop_->rights(context);
  }
  std::string setup_script() const override { return {}; }

 private:
  std::shared_ptr<const TableSource> shop_;
};

class RefusedFunctions : public ToolTest {
 protected:
  RefusedFunctions() {
    auto shop = std::make_shared<const RefusingTables>(music_shop(SqlDialect::PostgreSql));
    EXPECT_TRUE(toolkit_->add_source(std::move(shop)).has_value());
  }
};

TEST_F(RefusedFunctions, AreNotToldAsMissing) {
  const auto error_of = [this](std::string_view arguments) {
    const JsonValue json = call("query_execute", arguments, false);
    return *json.find("error");
  };
  const JsonValue own = error_of(R"-({"sql":"SELECT zap(1)"})-");
  EXPECT_EQ(text(own, "code"), "denied");
  EXPECT_EQ(text(own, "message"), "the function may not be called");
  EXPECT_EQ(text(own, "hint"), "offer it as a view");
  // What others call so has another name here.
  const JsonValue foreign = error_of(R"-({"sql":"SELECT year(1)"})-");
  EXPECT_EQ(text(foreign, "code"), "denied");
  EXPECT_THAT(text(foreign, "hint"), HasSubstr("extract(year from x)"));
}

TEST_F(TableTools, EmptyAnswersAreExplained) {
  const JsonValue rows =
      call("query_execute", R"({"sql":"SELECT * FROM customer WHERE country = 'norway'"})");
  EXPECT_EQ(number(rows, "rows"), 0);
  const JsonValue* diagnosis = rows.find("diagnosis");
  ASSERT_NE(diagnosis, nullptr);
  EXPECT_EQ(text(*diagnosis, "cause"), "value_case");
  EXPECT_EQ(text(*diagnosis, "suggestion"), "SELECT * FROM customer WHERE country = 'Norway'");
  EXPECT_THAT(list(rows, "usage"), HasSubstr("Norway"));
  const JsonValue count = call(
      "query_execute", R"({"sql":"SELECT COUNT(*) AS n FROM customer WHERE country = 'norway'"})");
  EXPECT_NE(count.find("diagnosis"), nullptr);
  const JsonValue sum =
      call("query_execute", R"({"sql":"SELECT SUM(total) FROM invoice WHERE customer_id = 99"})");
  ASSERT_NE(sum.find("diagnosis"), nullptr);
  EXPECT_EQ(text(*sum.find("diagnosis"), "cause"), "out_of_range");
  EXPECT_EQ(call("query_execute", R"({"sql":"SELECT COUNT(*) FROM customer"})").find("diagnosis"),
            nullptr);
}

TEST_F(TableTools, NotesOfTheDatabaseAreWarnings) {
  shop_->set_notes({"a value was shortened"});
  EXPECT_THAT(list(call("query_execute", R"({"sql":"SELECT 1"})"), "warnings"),
              HasSubstr("a value was shortened"));
}

TEST_F(TableTools, ShowPlans) {
  const JsonValue plan =
      call("explain_plan", R"({"sql":"SELECT name FROM track WHERE name = ?","params":["x"]})");
  EXPECT_THAT(text(plan, "plan"), HasSubstr("SCAN track"));
  EXPECT_EQ(number(plan, "estimated_rows"), 12);
  EXPECT_THAT(list(fail("explain_plan", R"({"sql":"SELECT nmae FROM track"})"), "did_you_mean"),
              HasSubstr("name"));
}

TEST_F(TableTools, ReadTheFirstDatabaseWhereNoneIsNamed) {
  EXPECT_EQ(text(call("schema_inspect", "{}"), "source"), "shop");
  EXPECT_EQ(text(call("sparql_classes", "{}"), "source"), "planets");
}

class WithoutTables : public ToolTest {};

TEST_F(WithoutTables, ToolsSayHowToAddOne) {
  for (const char* tool : {"schema_inspect", "query_execute", "explain_plan"}) {
    const JsonValue answer = call(tool, R"({"sql":"SELECT 1"})", false);
    const JsonValue* error = answer.find("error");
    ASSERT_NE(error, nullptr);
    EXPECT_EQ(text(*error, "code"), "not_found") << tool;
    EXPECT_THAT(text(*error, "hint"), HasSubstr("--source")) << tool;
  }
}

}  // namespace
}  // namespace helve::toolkit
