#include "agent/trajectory/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/trajectory/run_testing.h"

namespace helve::agent {
namespace {

using ::testing::HasSubstr;

TEST(RecordedModel, GivesTheAnswersInTheirOrder) {
  const auto model = recorded_model(runs_in(kReactRun)[0].events);
  EXPECT_EQ(model->name(), "chat");
  EXPECT_EQ(model->model(), "m-1");
  std::string streamed;
  const llm::StreamSink sink{[&](std::string_view text) { streamed += text; }, {}};
  const auto first = model->complete({}, {}, &sink);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(streamed, "I look.");
  EXPECT_EQ(first->stop, llm::Stop::ToolCalls);
  ASSERT_EQ(first->calls.size(), 1U);
  EXPECT_EQ(first->calls[0].id, "c1");
  EXPECT_EQ(first->calls[0].written, R"({"query":"SELECT *\n{ ?s ?p ?o }","limit":5})");
  EXPECT_EQ(first->usage.cached_tokens, 800U);
  EXPECT_EQ(first->retries, 1U);
  EXPECT_EQ(model->complete({}, {})->text, "There are 8.");
  const auto none = model->complete({}, {});
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(none.error().message, HasSubstr("has 2 answers"));
}

TEST(RecordedModel, ThinksAndFailsAsItDid) {
  const std::string thought = replaced(kReactRun, R"("answer":{"text":"I look.")",
                                       R"("answer":{"text":"I look.","reasoning":"planets first")");
  EXPECT_EQ(recorded_model(runs_in(thought)[0].events)->complete({}, {})->reasoning,
            "planets first");
  const auto failed = recorded_model(
      runs_in("{\"kind\":\"run_start\",\"task\":\"a\"}\n{\"kind\":\"llm_call\",\"n\":1,\"error\":"
              "\"the key is wrong\",\"code\":\"denied\"}\n")[0]
          .events);
  EXPECT_EQ(failed->complete({}, {}).error().code, ErrorCode::Denied);
}

TEST(RecordedModel, TheModelThatCodeAskedHasItsName) {
  const auto model = recorded_model(runs_in(kReactRun)[0].events);
  EXPECT_EQ(recorded_sub_model(model, runs_in(kReactRun)[0].events), nullptr);
  const std::string two =
      replaced(kReactRun, R"("provider":"chat")", R"("provider":"chat","sub_model":"small")");
  const auto sub = recorded_sub_model(model, runs_in(two)[0].events);
  ASSERT_NE(sub, nullptr);
  EXPECT_EQ(sub->model(), "small");
  EXPECT_EQ(sub->complete({}, {})->text, "I look.");  // one list of answers
  EXPECT_EQ(model->complete({}, {})->text, "There are 8.");
}

TEST(RecordedModel, AnswersFindTheirQuestionsByHash) {
  const auto model = recorded_model(runs_in(kReactRun)[0].events,
                                    [](const llm::Request& request) { return request.system; });
  llm::Request request;
  request.system = "bb";
  EXPECT_EQ(model->complete(request, {})->text, "There are 8.");
  request.system = "not recorded";
  EXPECT_EQ(model->complete(request, {})->text, "I look.");
}

TEST(RecordedModel, FailuresFailAgain) {
  const std::string text =
      replaced(kReactRun, R"("request_hash":"aa",)",
               R"("request_hash":"aa","error":{"code":"denied","message":"the key is wrong"},)");
  const auto answer = recorded_model(runs_in(text)[0].events)->complete({}, {});
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::Denied);
  EXPECT_EQ(answer.error().message, "the key is wrong");
}

TEST(CompareEvents, JudgmentsAreNotOfTheRun) {
  const auto recorded = runs_in(std::string(kReactRun) + std::string(kAfterTheEnd))[0].events;
  const auto now = runs_in(kReactRun)[0].events;
  ASSERT_EQ(recorded.size(), now.size() + 2);
  const ReplayReport report = compare_events(recorded, now);
  EXPECT_TRUE(report.is_same());
  EXPECT_TRUE(report.is_identical);
  EXPECT_EQ(report.events, now.size());
}

TEST(CompareEvents, TheSameRunIsTheSameByteForByteButForTimes) {
  const auto recorded = runs_in(kReactRun)[0].events;
  const auto now = runs_in(replaced(kReactRun, R"("ms":12.5)", R"("ms":99.0)"))[0].events;
  const ReplayReport report = compare_events(recorded, now);
  EXPECT_TRUE(report.is_same());
  EXPECT_TRUE(report.is_identical);
  EXPECT_EQ(report_text(report), "the same: 8 events, byte for byte\n");
}

TEST(CompareEvents, OtherOrderInAStepIsNoDifference) {
  const auto recorded = runs_in(kRlmRun)[0].events;
  auto now = recorded;
  std::swap(now[3], now[2]);
  const ReplayReport report = compare_events(recorded, now);
  EXPECT_TRUE(report.is_same());
  EXPECT_FALSE(report.is_identical);
}

TEST(CompareEvents, TellsWhatDiffers) {
  const auto recorded = runs_in(kReactRun)[0].events;
  auto now = runs_in(replaced(kReactRun, R"("rows":8)", R"("rows":9,"extra":true)"))[0].events;
  now.pop_back();
  const ReplayReport report = compare_events(recorded, now);
  EXPECT_EQ(report_text(report),
            "3 differences in 8 events\n"
            "step 1, tool_result c1: rows\n  < 8\n  > 9\n"
            "step 1, tool_result c1: extra\n  < (nothing)\n  > true\n"
            "run_end\n  < (is there)\n  > (nothing)\n");
  EXPECT_FALSE(report.is_identical);
}

TEST(CompareEvents, DifferencesAreBounded) {
  std::vector<TrajectoryEvent> many(500);
  const ReplayReport report = compare_events(many, {});
  EXPECT_EQ(report.differences.size(), kDifferencesMax);
  EXPECT_EQ(report.differences_left_out, 400U);
}

TEST(MemoryTrajectory, KeepsEventsWithoutSecrets) {
  MemoryTrajectory trajectory;
  JsonValue::Object body;
  body.push_back({"password", JsonValue("open sesame")});
  trajectory.add(EventKind::RunStart, JsonValue(std::move(body)));
  EXPECT_EQ(to_json(trajectory.events()[0].body), R"({"password":"[redacted]"})");
}

}  // namespace
}  // namespace helve::agent
