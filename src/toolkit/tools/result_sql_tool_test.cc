#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "tests/support/fake_env.h"
#include "tests/support/graph/graph_of.h"
#include "toolkit/sql/sql_worker.h"
#include "toolkit/tools/toolkit.h"

namespace helve::toolkit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kGraph = R"(
  @prefix ex: <http://e.org/> .
  ex:mars ex:moons 2 ; ex:star ex:sun .
  ex:jupiter ex:moons 95 ; ex:star ex:sun .
  ex:proxima_b ex:star ex:proxima .
  ex:sun ex:name "Sol"@la .
)";

class NoGraphs final : public GraphFactory {
 public:
  Result<std::shared_ptr<const GraphSource>> open(const std::string&, const std::string&,
                                                  const OpContext&) override {
    return Error{ErrorCode::Unavailable, "not here"};
  }
  Result<std::unique_ptr<Builder>> build(const OpContext&) override {
    return Error{ErrorCode::Unavailable, "not here"};
  }
  Result<void> save(const GraphSource&, const std::string&, const OpContext&) override {
    return Error{ErrorCode::Unavailable, "not here"};
  }
};

// The worker's side, in this process.
std::string serve(const std::string& input) {
  StringSource in(input);
  StringSink out;
  EXPECT_EQ(run_sql_worker(in, out, real_clock()), 0);
  return out.take();
}

class ResultSqlTest : public ::testing::Test {
 protected:
  void start(bool has_worker = true) {
    ToolkitOptions options;
    if (has_worker) options.worker_program = {"helve", "sql-worker"};
    auto made = Toolkit::make(std::move(options), env_, std::make_shared<NoGraphs>());
    ASSERT_TRUE(made);
    toolkit_ = *std::move(made);
    ASSERT_TRUE(toolkit_->add_source(testing::graph_of(kGraph, "planets")));
  }
  JsonValue call(std::string_view tool, const char* parameter, std::string_view text,
                 const Policy& policy = {}) {
    Caller caller;
    caller.policy = std::make_shared<const Policy>(policy);
    JsonValue::Object arguments;
    arguments.push_back({parameter, JsonValue(text)});
    const CallOutcome outcome =
        toolkit_->call(tool, JsonValue(std::move(arguments)), caller, OpContext{});
    text_ = outcome.reply.text;
    auto json = parse_json(outcome.reply.json);
    EXPECT_TRUE(json);
    return json ? *json : JsonValue();
  }
  JsonValue query(std::string_view text) { return call("sparql_query", "query", text); }
  JsonValue sql(std::string_view text, const Policy& policy = {}) {
    ProcessScript script;
    script.answer = serve;
    env_.processes().script(script);
    return call("result_sql", "sql", text, policy);
  }
  static std::string member(const JsonValue& json, std::string_view key) {
    const JsonValue* value = json.find(key);
    return value != nullptr ? to_json(*value) : "none";
  }

  FakeEnv env_;
  std::unique_ptr<Toolkit> toolkit_;
  std::string text_;
};

TEST_F(ResultSqlTest, JoinsResultsAndFeedsTheNextQuery) {
  start();
  query("SELECT ?planet ?star { ?planet ex:star ?star }");
  query("SELECT ?planet ?moons { ?planet ex:moons ?moons }");
  const JsonValue joined =
      sql("SELECT star, sum(moons) AS moons FROM results_0 JOIN results_1 USING (planet) GROUP BY "
          "star");
  EXPECT_EQ(member(joined, "key"), "\"results_2\"") << text_;
  EXPECT_EQ(member(joined, "rows"), "1");
  EXPECT_EQ(member(joined, "columns"), R"(["star","moons"])");
  EXPECT_EQ(member(joined, "total_available"), "1");
  EXPECT_EQ(member(joined, "total_is"), "\"exact\"");
  EXPECT_EQ(member(joined, "truncated"), "false");
  EXPECT_EQ(member(joined, "limit_applied"), "100");
  EXPECT_EQ(member(joined, "source"), "\"planets\"");
  EXPECT_THAT(member(joined, "preview"), HasSubstr("97"));
  const JsonValue named = query("SELECT ?name { VALUES ?s { @results_2.star } ?s ex:name ?name }");
  EXPECT_EQ(member(named, "rows"), "1") << text_;
}

TEST_F(ResultSqlTest, TellsWhyThereIsNothing) {
  start();
  query("SELECT ?name { ex:sun ex:name ?name }");
  ProcessScript script;
  script.answer = serve;
  for (int probes = 0; probes < 10; ++probes) env_.processes().script(script);
  const JsonValue reply = sql("SELECT name FROM results_0 WHERE name = 'sol'");
  EXPECT_EQ(member(reply, "rows"), "0") << text_;
  ASSERT_NE(reply.find("diagnosis"), nullptr) << text_;
  EXPECT_THAT(member(*reply.find("diagnosis"), "cause"), HasSubstr("value_case"));
  EXPECT_THAT(text_,
              HasSubstr("next: result_sql sql=\"SELECT name FROM results_0 WHERE name = 'Sol'"));
}

TEST_F(ResultSqlTest, WarnsOfTruthsInQuotes) {
  start();
  query(
      "SELECT ?planet (BOUND(?moons) AS ?b) { ?planet ex:star ?s OPTIONAL { ?planet ex:moons "
      "?moons } }");
  EXPECT_EQ(member(sql("SELECT planet FROM results_0 WHERE b"), "rows"), "2") << text_;
  EXPECT_EQ(member(sql("SELECT planet FROM results_0 WHERE b <> 'true'"), "rows"), "3");
  EXPECT_THAT(text_, HasSubstr("truths of results_0 are 1 and 0"));
}

TEST_F(ResultSqlTest, TakesAColumnAsAFeed) {
  start();
  query("SELECT ?planet { ?planet ex:star ?star }");
  query("SELECT ?planet { ?planet ex:moons ?moons }");
  EXPECT_EQ(
      member(sql("SELECT planet FROM RESULTS_0 WHERE planet NOT IN (@results_1.planet)"), "rows"),
      "1")
      << text_;
  EXPECT_THAT(text_, HasSubstr("proxima_b"));
}

TEST_F(ResultSqlTest, GivesTheHandleOfAnEqualCall) {
  start();
  query("SELECT ?planet { ?planet ex:star ?star }");
  EXPECT_EQ(member(sql("SELECT count(*) FROM results_0"), "key"), "\"results_1\"");
  const JsonValue again = sql("SELECT count(*) FROM results_0");
  EXPECT_EQ(member(again, "key"), "\"results_1\"");
  EXPECT_THAT(member(again, "warnings"), HasSubstr("results_1 is its handle"));
  EXPECT_EQ(member(sql("SELECT count(*) FROM results_1"), "key"), "\"results_2\"");
}

TEST_F(ResultSqlTest, TellsOfInputsThatAreNotComplete) {
  start();
  Policy narrow;
  narrow.rows_stored_max = 2;
  call("sparql_query", "query", "SELECT ?planet { ?planet ex:star ?star }", narrow);
  const JsonValue counted = sql("SELECT count(*) AS n FROM results_0");
  EXPECT_THAT(member(counted, "warnings"),
              HasSubstr("computed from results_0, which is not complete"))
      << text_;
  EXPECT_EQ(member(counted, "truncated"), "false");
  const JsonValue more = sql("SELECT * FROM results_1");
  EXPECT_THAT(member(more, "warnings"), HasSubstr("computed from results_1"));
}

TEST_F(ResultSqlTest, StoresNoMoreThanThePolicyAllows) {
  start();
  query("SELECT ?planet { ?planet ex:star ?star }");
  Policy narrow;
  narrow.rows_stored_max = 2;
  const JsonValue cut = sql("SELECT planet FROM results_0", narrow);
  EXPECT_EQ(member(cut, "rows"), "2");
  EXPECT_EQ(member(cut, "truncated"), "true");
  EXPECT_EQ(member(cut, "total_available"), "3");
  EXPECT_EQ(member(cut, "total_is"), "\"at_least\"");
}

TEST_F(ResultSqlTest, ErrorsRepair) {
  start();
  query("SELECT ?planet { ?planet ex:star ?star }");
  EXPECT_THAT(member(sql("SELECT * FROM result_0"), "error"), HasSubstr("results_0"));
  EXPECT_THAT(member(sql("SELECT plant FROM results_0"), "error"),
              HasSubstr(R"("did_you_mean":["planet"])"));
  EXPECT_THAT(member(sql("DROP TABLE results_0"), "error"), HasSubstr("denied"));
  EXPECT_EQ(member(sql("SELECT count(*) FROM results_0"), "error"), "none");
}

TEST_F(ResultSqlTest, KnowsWhatBecameOfAHandle) {
  start();
  query("SELECT ?planet { ?planet ex:star ?star }");
  env_.clock().advance(std::chrono::hours(25));
  EXPECT_THAT(member(sql("SELECT * FROM results_0"), "error"), HasSubstr("expired")) << text_;
}

TEST_F(ResultSqlTest, SaysWhereItIsNotAvailable) {
  start(false);
  const JsonValue reply = call("result_sql", "sql", "SELECT 1");
  EXPECT_THAT(member(reply, "error"), HasSubstr("unavailable"));
  EXPECT_THAT(member(reply, "error"), Not(HasSubstr("internal")));
}

TEST_F(ResultSqlTest, ThePoliciesOfAllSourcesHold) {
  start();
  Policy guard = unrestricted_policy();
  guard.rows_stored_max = 1;
  ASSERT_TRUE(toolkit_->add_source(testing::graph_of(kGraph, "guarded"),
                                   std::make_shared<const Policy>(guard)));
  query("SELECT ?x { ?x <http://e.org/star> ?y }");
  toolkit_->call("sparql_query", *parse_json(R"({"query": "SELECT ?x { ?x <http://e.org/star> ?y }",
                                 "source": "guarded"})"),
                 {}, {});
  EXPECT_EQ(sql("SELECT a.x FROM results_0 a, results_1 b").find("rows")->to_int64(), 1) << text_;
  // And for what is made of that.
  EXPECT_EQ(sql("SELECT a.x FROM results_0 a, results_2 b").find("rows")->to_int64(), 1) << text_;
  EXPECT_EQ(sql("SELECT x FROM results_0").find("rows")->to_int64(), 3) << text_;
}

}  // namespace
}  // namespace helve::toolkit
