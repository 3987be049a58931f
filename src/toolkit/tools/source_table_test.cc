// Sources that come late, change, fail, and are seen by some callers only.
#include "toolkit/tools/source_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/support/graph/counting_graph.h"
#include "tests/support/tables/fake_tables.h"
#include "toolkit/tools/tool_testing.h"

namespace helve::toolkit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kCount = R"({"query": "SELECT * { ?s ?p ?o }"})";
constexpr std::string_view kCountLate = R"({"query": "SELECT * { ?s ?p ?o }", "source": "late"})";

std::shared_ptr<const GraphSource> one_triple(const std::string& name) {
  return helve::testing::graph_of("<http://e/a> <http://e/b> 1 .", name);
}

SourceInfo named(std::string name) {
  SourceInfo info;
  info.name = std::move(name);
  return info;
}

std::shared_ptr<const Policy> policy_of(std::string_view json, Policy base = {}) {
  auto policy = policy_from_json(*parse_json(json), std::move(base));
  EXPECT_TRUE(policy.has_value()) << json;
  return std::make_shared<const Policy>(policy ? *std::move(policy) : Policy());
}

class SourcesTest : public ToolTest {
 protected:
  std::string text_of(std::string_view tool, std::string_view arguments) {
    return reply(tool, arguments).text;
  }
};

TEST_F(SourcesTest, ACallWaitsForASourceThatIsBeingLoaded) {
  ASSERT_TRUE(toolkit_->declare_source(named("late")).has_value());
  EXPECT_EQ(toolkit_->sources(caller_)[1].state, SourceState::Loading);
  // Others do not wait.
  call("sparql_count", kCount);
  call("list_tools", "{}");
  std::thread loader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_TRUE(toolkit_->replace_source(one_triple("late")).has_value());
  });
  const JsonValue counted = call("sparql_count", kCountLate);
  loader.join();
  EXPECT_EQ(number(counted, "count"), 1);
  EXPECT_EQ(toolkit_->sources(caller_)[1].state, SourceState::Ready);
}

TEST_F(SourcesTest, WaitingEndsWithTheTimeOfTheCallAndWithItsCancellation) {
  ASSERT_TRUE(toolkit_->declare_source(named("late")).has_value());
  caller_.policy = policy_of(R"({"timeout": 0.02})");
  const JsonValue late = call("sparql_count", kCountLate, false);
  EXPECT_EQ(text(*late.find("error"), "code"), "unavailable");
  EXPECT_THAT(to_json(late), HasSubstr("still being loaded"));
  caller_.policy = std::make_shared<const Policy>();
  OpContext op;
  op.cancel.cancel();
  const auto outcome = toolkit_->call("sparql_count", *parse_json(kCountLate), caller_, op);
  EXPECT_EQ(outcome.reply.code, ErrorCode::Cancelled);
}

TEST_F(SourcesTest, ASourceThatFailedIsToldInEveryReplyThatNeedsIt) {
  ASSERT_TRUE(toolkit_->declare_source(named("late")).has_value());
  ASSERT_TRUE(toolkit_->fail_source("late", {ErrorCode::InvalidInput, "no dot"}).has_value());
  for (int i = 0; i < 2; ++i) {
    const std::string told = to_json(call("sparql_count", kCountLate, false));
    EXPECT_THAT(told, HasSubstr(R"("message":"the source late could not be loaded")"));
    EXPECT_THAT(told, HasSubstr(R"("detail":"no dot")"));
    EXPECT_THAT(told, HasSubstr("planets"));
  }
  call("sparql_count", kCount);
  EXPECT_EQ(toolkit_->sources(caller_)[1].state, SourceState::Failed);
  EXPECT_EQ(toolkit_->sources(caller_)[1].failure->message, "no dot");
  // It may still come.
  ASSERT_TRUE(toolkit_->replace_source(one_triple("late")).has_value());
  EXPECT_EQ(number(call("sparql_count", kCountLate), "count"), 1);
}

TEST_F(SourcesTest, AReplacedSourceAnswersFromNowOn) {
  ASSERT_TRUE(toolkit_->replace_source(one_triple("planets")).has_value());
  EXPECT_EQ(number(call("sparql_count", kCount), "count"), 1);
  // A failure keeps what is there, and says so without its words.
  const auto is_warning = [&](std::string_view tool, std::string_view arguments) {
    return reply(tool, arguments).text.find("warning: stale: ") != std::string::npos;
  };
  EXPECT_FALSE(is_warning("sparql_count", kCount));
  ASSERT_TRUE(toolkit_->fail_source("planets", {ErrorCode::InvalidInput, "bad"}).has_value());
  const JsonValue stale = call("sparql_count", kCount);
  EXPECT_EQ(number(stale, "count"), 1);
  EXPECT_NE(to_json(stale).find("stale: this is planets as it was read at 20"), std::string::npos);
  EXPECT_EQ(to_json(stale).find("bad"), std::string::npos);
  EXPECT_TRUE(is_warning("sparql_schema", "{}"));
  EXPECT_FALSE(is_warning("list_tools", "{}"));
  const KnownSource known = toolkit_->sources(Caller())[0];
  EXPECT_EQ(known.state, SourceState::Stale);
  EXPECT_TRUE(known.loaded_at.has_value() && known.failed_at.has_value());
  ASSERT_TRUE(toolkit_->confirm_source("planets").has_value());
  EXPECT_FALSE(is_warning("sparql_count", kCount));
  EXPECT_EQ(toolkit_->sources(Caller())[0].state, SourceState::Ready);
  EXPECT_FALSE(toolkit_->confirm_source("other").has_value());
  EXPECT_FALSE(toolkit_->replace_source(one_triple("other")).has_value());
  EXPECT_FALSE(toolkit_->fail_source("other", {ErrorCode::InvalidInput, "bad"}).has_value());
}

// A graph that follows what others write into it, and may fail to.
TEST_F(SourcesTest, RepliesTellWhereASourceIsBehindWhatIsWrittenToIt) {
  const auto followed = std::make_shared<helve::testing::CountingGraph>(one_triple("late"));
  std::optional<Staleness> staleness;
  int looks = 0;
  followed->set_moments([&](const OpContext& context) {
    ++looks;
    EXPECT_FALSE(context.deadline.is_never());
    EXPECT_EQ(toolkit_->sources(caller_).size(), 2U) << "others go on meanwhile";
    return GraphSource::Moment{one_triple("late"), staleness};
  });
  ASSERT_TRUE(toolkit_->add_source(followed).has_value());
  EXPECT_THAT(text_of("sparql_count", kCountLate), Not(HasSubstr("stale")));
  EXPECT_EQ(looks, 1) << "all that a call asks is asked of one state";
  staleness = Staleness{{ErrorCode::Unavailable, "found 'OBEY ME'"}, WallTime(), WallTime()};
  const std::string stale = text_of("sparql_count", kCountLate);
  EXPECT_THAT(stale, HasSubstr("stale: this is late as it was at 1970-01-01T00:00:00"));
  EXPECT_THAT(stale, HasSubstr("what was written since could not be read\n"));
  EXPECT_THAT(stale, Not(HasSubstr("OBEY")));
  EXPECT_EQ(toolkit_->sources(caller_)[1].state, SourceState::Stale);
  EXPECT_EQ(toolkit_->sources(caller_)[1].failure->code, ErrorCode::Unavailable);
  staleness->reason.code = ErrorCode::LimitExceeded;
  EXPECT_THAT(text_of("sparql_count", kCountLate), HasSubstr("could not be read in time"));
  // Where the source as a whole is known to be stale, that is said alone.
  ASSERT_TRUE(toolkit_->fail_source("late", {ErrorCode::NotFound, "gone"}).has_value());
  EXPECT_THAT(text_of("sparql_count", kCountLate), Not(HasSubstr("written since")));
  ASSERT_TRUE(toolkit_->confirm_source("late").has_value());
  staleness.reset();
  EXPECT_THAT(text_of("sparql_count", kCountLate), Not(HasSubstr("stale")));
  EXPECT_EQ(toolkit_->sources(caller_)[1].state, SourceState::Ready);
}

TEST_F(SourcesTest, WhatACallerMayNotSeeIsNotThere) {
  ASSERT_TRUE(toolkit_->add_source(one_triple("secret")).has_value());
  caller_.policy = policy_of(R"({"allowed_sources": ["planets"]})");
  ASSERT_EQ(toolkit_->sources(caller_).size(), 1U);
  EXPECT_EQ(toolkit_->sources(caller_)[0].info.name, "planets");
  // Neither by its name, nor in the words of an error, nor in a warning.
  const std::string refused = to_json(call("sparql_schema", R"({"source": "secret"})", false));
  EXPECT_THAT(refused, HasSubstr("there is no source named secret"));
  EXPECT_THAT(to_json(call("sparql_schema", R"({"source": "secrte"})", false)),
              Not(HasSubstr("secret")));
  EXPECT_THAT(to_json(call("sparql_count", kCount)), Not(HasSubstr("secret")));
  EXPECT_THAT(to_json(call("endpoint_info", "{}")), Not(HasSubstr("secret")));
  EXPECT_THAT(to_json(call("call_tool", R"({"name": "sparql_schema", "source": "secret",
                                             "arguments": {}})",
                           false)),
              HasSubstr("there is no source"));
  // Its file neither, unless its folder is named.
  const JsonValue load = call("g_load", R"({"path": "/etc/hostname"})", false);
  EXPECT_EQ(text(*load.find("error"), "code"), "denied");
  caller_.policy = policy_of(R"({"allowed_sources": ["none"]})");
  EXPECT_THAT(to_json(call("sparql_count", kCount, false)), HasSubstr("there is none"));
  EXPECT_THAT(to_json(call("sparql_schema", R"({"source": "planets"})", false)),
              HasSubstr("there is no source named planets"));
}

TEST_F(SourcesTest, TheFirstThatACallerMaySeeIsAsked) {
  ASSERT_TRUE(toolkit_->add_source(one_triple("second")).has_value());
  caller_.policy = policy_of(R"({"allowed_sources": ["second"]})");
  const JsonValue counted = call("sparql_count", kCount);
  EXPECT_EQ(number(counted, "count"), 1);
  EXPECT_EQ(text(counted, "source"), "second");
}

TEST_F(SourcesTest, ASourceHasAPolicyOfItsOwn) {
  ASSERT_TRUE(toolkit_
                  ->add_source(helve::testing::graph_of(kPlanets, "guarded"),
                               policy_of(R"({"max_rows": 2, "allowed_tools": ["sparql_query"]})",
                                         unrestricted_policy()))
                  .has_value());
  constexpr std::string_view kGuarded =
      R"({"query": "SELECT * { ?s ?p ?o }", "limit": 9, "source": "guarded"})";
  EXPECT_EQ(number(call("sparql_query", kGuarded), "limit_applied"), 2);
  const JsonValue denied = call("sparql_schema", R"({"source": "guarded"})", false);
  EXPECT_EQ(text(*denied.find("error"), "code"), "denied");
  // The other source is as it was; and the caller's own policy holds on both.
  call("sparql_schema", R"({"source": "planets"})");
  caller_.policy = policy_of(R"({"max_rows": 1})");
  EXPECT_EQ(number(call("sparql_query", kGuarded), "limit_applied"), 1);
}

// Its policy holds for what was made of it, wherever that is read.
class GuardedHandlesTest : public SourcesTest {
 protected:
  void guard(std::string_view policy) {
    ASSERT_TRUE(toolkit_
                    ->add_source(helve::testing::graph_of(kPlanets, "guarded"),
                                 policy_of(policy, unrestricted_policy()))
                    .has_value());
    call("sparql_query", R"({"query": "SELECT ?s { ?s ?p ?o }", "source": "guarded"})");
    call("sparql_query", R"({"query": "CONSTRUCT WHERE { ?s ?p ?o }", "source": "guarded"})");
  }
  std::string code_of(std::string_view tool, std::string_view arguments) {
    return text(*call(tool, arguments, false).find("error"), "code");
  }
};

constexpr std::string_view kFed =
    R"({"query": "SELECT ?s { VALUES ?s { @results_0.s } ?s a ?c }", "source": "planets"})";

TEST_F(GuardedHandlesTest, HandlesAreReadWithinTheLimitsOfTheirSource) {
  guard(R"({"max_rows": 2, "max_chars": 700})");
  const JsonValue slice = call("sparql_slice", R"({"result": "results_0", "limit": 9})");
  EXPECT_EQ(size(slice, "rows"), 2U) << to_json(slice);
  EXPECT_THAT(to_json(slice), HasSubstr("lowered to 2 by the policy"));
  for (const auto& [tool, arguments] : std::vector<std::pair<const char*, const char*>>{
           {"sparql_peek", R"({"resource": "results_0", "limit": 9, "max_chars": 9000})"},
           {"ctx_slice", R"({"key": "results_0", "end": 9000, "max_chars": 9000})"},
           {"g_query", R"({"handle": "graph_0", "query": "SELECT * { ?s ?p ?o }", "limit": 9,
                           "max_chars": 9000})"}}) {
    const RenderedReply rendered = reply(tool, arguments);
    EXPECT_FALSE(rendered.is_error) << rendered.json;
    EXPECT_LE(rendered.json.size(), 700U) << tool;
    EXPECT_LE(rendered.rows_shown, 2U) << tool;
  }
  // What is computed from them too, and what is computed from that.
  const JsonValue fed = call("sparql_query", kFed);
  EXPECT_EQ(number(fed, "limit_applied"), 2);
  const JsonValue again = call("sparql_slice", R"({"result": "results_2", "limit": 9})");
  EXPECT_EQ(size(again, "rows"), 2U) << to_json(again);
  // The other source is as it was.
  call("sparql_query", R"({"query": "SELECT ?s { ?s ?p ?o }", "source": "planets"})");
  EXPECT_EQ(size(call("sparql_slice", R"({"result": "results_3", "limit": 9})"), "rows"), 9U);
}

TEST_F(GuardedHandlesTest, ToolsThatASourceDoesNotAllowDoNotReadItsHandles) {
  guard(R"({"allowed_tools": ["sparql_query"]})");
  EXPECT_EQ(code_of("sparql_slice", R"({"result": "results_0"})"), "denied");
  EXPECT_EQ(code_of("sparql_peek", R"({"resource": "results_0"})"), "denied");
  EXPECT_EQ(code_of("ctx_slice", R"({"key": "results_0"})"), "denied");
  EXPECT_EQ(code_of("ctx_stats", R"({"key": "results_0[0].s"})"), "denied");
  EXPECT_EQ(code_of("g_query", R"({"handle": "graph_0", "query": "ASK { ?s ?p ?o }"})"), "denied");
  EXPECT_EQ(code_of("call_tool", R"({"name": "sparql_slice",
                                     "arguments": {"result": "results_0"}})"),
            "denied");
  call("sparql_query", kFed);
  EXPECT_EQ(code_of("sparql_slice", R"({"result": "results_1"})"), "denied");
}

TEST_F(SourcesTest, GraphsThatASourceHidesAreNotReadFromItsFile) {
  ASSERT_TRUE(toolkit_
                  ->add_source(one_triple("guarded"),
                               policy_of(R"({"allowed_graphs": []})", unrestricted_policy()))
                  .has_value());
  const JsonValue load = call("g_load", R"({"path": "/etc/hostname"})", false);
  EXPECT_EQ(text(*load.find("error"), "code"), "denied");
}

TEST(SourceTable, NamesAreChecked) {
  SourceTable table;
  EXPECT_TRUE(table.declare(named("a-b_c.1"), nullptr).has_value());
  for (const char* bad : {"", "a b", "a/b", "\xC3\xA9", "a-b_c.1"}) {
    EXPECT_FALSE(table.declare(named(bad), nullptr).has_value()) << bad;
  }
  EXPECT_FALSE(table.declare(named(std::string(65, 'a')), nullptr).has_value());
}

// An agent cannot add sources: it is told what can be asked.
TEST(SourcesOfOneKind, AreNamedToToolsOfTheOther) {
  const auto error_of = [](const JsonValue& json) { return to_json(*json.find("error")); };
  const auto made = Toolkit::make({}, real_env(), helve::testing::graph_factory());
  ASSERT_TRUE(made.has_value());
  const auto call = [&](std::string_view tool, const char* arguments) {
    return *parse_json((*made)->call(tool, *parse_json(arguments), Caller(), {}).reply.json);
  };
  EXPECT_THAT(error_of(call("sparql_schema", "{}")), HasSubstr("--source NAME=FILE"));
  ASSERT_TRUE((*made)->add_source(helve::testing::music_shop()).has_value());
  for (const char* tool : {"sparql_schema", "sparql_query"}) {
    const std::string error = error_of(call(tool, R"({"query": "SELECT * FROM artist"})"));
    EXPECT_THAT(error, HasSubstr("shop is a SQL database: query_execute and schema_inspect"))
        << tool;
  }
  const JsonValue info = call("endpoint_info", "{}");
  EXPECT_EQ(to_json(*info.find("tables")), "6");
  EXPECT_EQ(*info.find("engine")->if_string(), "fake");
  EXPECT_NE(info.find("rights"), nullptr);
  EXPECT_NE(info.find("limits"), nullptr);
  EXPECT_EQ(info.find("triples"), nullptr);
}

TEST_F(SourcesTest, GraphsAreNamedToToolsOfDatabases) {
  EXPECT_THAT(to_json(call("query_execute", R"({"sql": "SELECT 1"})", false)),
              HasSubstr("planets is a graph"));
}

}  // namespace
}  // namespace helve::toolkit
