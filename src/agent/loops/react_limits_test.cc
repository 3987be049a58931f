// Every limit of a ReAct run ends a script that would go on for ever, with its reason and with what
// there is.
#include "agent/loops/json_object.h"
#include "agent/loops/loop_testing.h"
#include "agent/loops/model_talk.h"

namespace helve::agent {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ReactLimits : public LoopTest {
 protected:
  // Never submits.
  static std::vector<ModelStep> endless() { return {calls({query(kMoons)}, "still looking")}; }

  // With answers of so many tokens.
  static ModelStep large(const ModelStep& step, std::uint64_t tokens) {
    return [step, tokens](const llm::Request& request, const OpContext& context,
                          const llm::StreamSink* sink) -> Result<llm::Answer> {
      HELVE_ASSIGN(llm::Answer answer, step(request, context, sink));
      answer.usage.output_tokens = tokens;
      return answer;
    };
  }

  // What there is: the last text and the last handle.
  void expect_partial(const RunResult& result, StopReason reason) {
    EXPECT_EQ(result.stop, reason) << name_of(result.stop);
    EXPECT_FALSE(result.has_converged());
    EXPECT_TRUE(result.is_extracted);
    EXPECT_EQ(result.content, "still looking");
    ASSERT_EQ(result.evidence.size(), 1U);
    EXPECT_EQ(result.evidence[0].handle, "results_0");
    EXPECT_EQ(result.query, kMoons);
    const auto end = trajectory_->of(EventKind::RunEnd);
    ASSERT_EQ(end.size(), 1U);
    EXPECT_EQ(text_of(end[0], "stop_reason"), name_of(reason));
    EXPECT_EQ(text_of(end[0], "bound"), "assumed");
    EXPECT_EQ(text_of(end[0], "note"), result.note);
  }

  // Of a database whose queries do not end.
  void use_endless_tables() {
    toolkit::ToolkitOptions options;
    options.marks_data = true;
    toolkit_ = *toolkit::Toolkit::make(options, real_env(), helve::testing::graph_factory());
    tables_ = std::make_shared<EndlessTables>();
    ASSERT_TRUE(toolkit_->add_source(tables_).has_value());
  }

  std::shared_ptr<EndlessTables> tables_;
};

TEST_F(ReactLimits, Steps) {
  request_.limits.iterations_max = 3;
  const RunResult result = react(endless());
  expect_partial(result, StopReason::StepCap);
  EXPECT_EQ(result.note, "after 3 steps; raise --max-steps");
  EXPECT_EQ(result.iterations, 3U);
  EXPECT_EQ(model_->asked(), 3U);
}

TEST_F(ReactLimits, NoStepAtAll) {
  request_.limits.iterations_max = 0;
  const RunResult result = react(endless());
  EXPECT_EQ(result.stop, StopReason::StepCap);
  EXPECT_EQ(model_->asked(), 0U);
  EXPECT_THAT(result.content, IsEmpty());
  EXPECT_FALSE(result.is_extracted);
}

TEST_F(ReactLimits, Calls) {
  request_.limits.tool_calls_max = 5;
  request_.limits.parallel_calls_max = 1;  // equal queries at once would each store their rows
  const RunResult result = react({calls({query(kMoons), query(kMoons)}, "still looking")});
  expect_partial(result, StopReason::CallCap);
  EXPECT_EQ(result.note, "after 5 tool calls; raise --max-calls");
  EXPECT_EQ(result.tool_calls, 5U);
  EXPECT_EQ(model_->asked(), 3U);
  // All six were asked for; the last is told of as not made.
  const auto results = trajectory_->of(EventKind::ToolResult);
  ASSERT_EQ(results.size(), 6U);
  EXPECT_THAT(text_of(results[5], "error"), HasSubstr("all 5 tool calls of this run are used up"));
}

TEST_F(ReactLimits, LastCallMayBeFollowedByAnAnswer) {
  request_.limits.tool_calls_max = 1;
  EXPECT_TRUE(react({calls({query(kMoons)}), submits(R"({"answer": "x"})")}).has_converged());
}

TEST_F(ReactLimits, Tokens) {
  request_.limits.tokens_max = 50'000;
  const RunResult result = react({large(endless()[0], 20'000)});
  expect_partial(result, StopReason::TokenBudget);
  EXPECT_EQ(result.note, "after 50,000 tokens; raise --max-tokens");
  EXPECT_EQ(model_->asked(), 3U);
  EXPECT_EQ(result.tool_calls, 2U);  // nobody would read the third reply
}

TEST_F(ReactLimits, OutputIsAskedForAsFarAsThereAreTokens) {
  request_.limits.output_tokens_max = 1'000'000;
  request_.limits.tokens_max = 50'000;
  react({large(endless()[0], 20'000)});
  const llm::Request first = model_->request(0);
  EXPECT_EQ(first.output_tokens_max, 50'000U - input_tokens(first));
  const llm::Request last = model_->request(2);
  EXPECT_EQ(last.output_tokens_max, 50'000U - 40'200U - input_tokens(last));
  request_.limits.output_tokens_max = 700;
  react({submits(R"({"answer": "x"})")});
  EXPECT_EQ(model_->request(0).output_tokens_max, 700U);
}

// What a server would count is estimated before.
TEST_F(ReactLimits, RequestBeyondTheTokensIsNotSent) {
  request_.limits.tokens_max = 20'000;
  std::vector<std::pair<std::string, std::string>> many(
      50,
      {"sparql_query",
       R"({"query": "SELECT ?s ?p ?o { ?s ?p ?o } LIMIT 100", "limit": 100, "max_chars": 6000})"});
  const RunResult result = react({calls(many, "still looking")});
  EXPECT_EQ(result.stop, StopReason::TokenBudget);
  EXPECT_EQ(result.content, "still looking");
  EXPECT_EQ(model_->asked(), 1U);
  EXPECT_THAT(result.note, AllOf(HasSubstr("the next request takes about "),
                                 HasSubstr("of 20,000 are left; raise --max-tokens")));
  EXPECT_FALSE(result.error.has_value());
  EXPECT_EQ(trajectory_->of(EventKind::LlmCall).size(), 1U);
  request_.limits.tokens_max = 100;
  EXPECT_EQ(react(endless()).stop, StopReason::TokenBudget);
  EXPECT_EQ(model_->asked(), 0U);
}

TEST_F(ReactLimits, AnswersThatAreCutOffAreToldOf) {
  llm::Answer cut = answer_of("");
  cut.stop = llm::Stop::OutputCap;
  cut.calls.push_back({"a", "sparql_query", JsonValue(), R"({"query": "SELECT )"});
  const RunResult once = react({gives(cut), submits(R"({"answer": "x"})")});
  EXPECT_TRUE(once.has_converged());
  EXPECT_THAT(heard(1), HasSubstr("Your answer was cut off at 4,096 tokens"));
  EXPECT_THAT(once.notes, ElementsAre("an answer of the model was cut off at 4,096 tokens; raise "
                                      "--max-output"));
  EXPECT_EQ(count_events("error"), 1U);

  request_.limits.output_tokens_max = 500;
  const RunResult again = react({gives(cut)});
  EXPECT_EQ(again.stop, StopReason::OutputCap);
  EXPECT_EQ(again.note, "answers of the model were cut off at 500 tokens; raise --max-output");
  EXPECT_EQ(again.notes.size(), 1U);
  EXPECT_EQ(model_->asked(), 2U);

  cut.calls.clear();
  cut.text = "It is Saturn, because";
  const RunResult text = react({gives(cut)});
  EXPECT_EQ(text.stop, StopReason::OutputCap);
  EXPECT_EQ(text.content, "It is Saturn, because");
  EXPECT_FALSE(text.has_converged());
  // One that is whole in between.
  EXPECT_TRUE(react({gives(cut), calls({query(kMoons)}), gives(cut), submits(R"({"answer": "x"})")})
                  .has_converged());
  // Not the cap of an answer, but what is left.
  request_.limits.output_tokens_max = 1'000'000;
  EXPECT_EQ(react({gives(cut)}).stop, StopReason::TokenBudget);
}

TEST_F(ReactLimits, SubmissionThatIsWholeIsHeardWhereTheRestIsCut) {
  llm::Answer cut = answer_of("");
  cut.stop = llm::Stop::OutputCap;
  cut.calls.push_back({"a", "submit", *parse_json(R"({"answer": "x"})"), ""});
  EXPECT_TRUE(react({gives(cut)}).has_converged());
}

TEST_F(ReactLimits, AnswerThatSubmitsIsHeardOverTheBudget) {
  request_.limits.tokens_max = 50'000;
  EXPECT_TRUE(react({large(submits(R"({"answer": "x"})"), 60'000)}).has_converged());
}

TEST_F(ReactLimits, Cost) {
  request_.limits.cost_max = 0.025;
  const RunResult result = react(endless());
  expect_partial(result, StopReason::CostBudget);
  EXPECT_EQ(model_->asked(), 3U);
  EXPECT_NEAR(*result.usage.cost, 0.03, 1e-9);
  EXPECT_EQ(result.note, "after a cost of 0.025; raise --max-cost");
}

TEST_F(ReactLimits, CostWithoutPricesIsRefused) {
  request_.limits.cost_max = 1;
  llm::Answer unpriced = answer_of("hm");
  unpriced.usage.cost.reset();
  const RunResult result = react({gives(unpriced)});
  EXPECT_EQ(result.stop, StopReason::Failed);
  ASSERT_TRUE(result.error.has_value());
  EXPECT_EQ(result.error->code, ErrorCode::InvalidInput);
  EXPECT_THAT(result.error->message, HasSubstr("no prices are known for fake-1"));
  EXPECT_EQ(model_->asked(), 1U);
}

TEST_F(ReactLimits, TimeWhileTheModelStreams) {
  request_.limits.time_max = std::chrono::milliseconds(100);
  const RunResult result = react({calls({query(kMoons)}, "still looking"), streams_on()});
  expect_partial(result, StopReason::TimeBudget);
  EXPECT_FALSE(result.error.has_value());
  EXPECT_EQ(result.note, "after 100 ms; raise --time");
  EXPECT_GT(count_events("text"), 0U);
}

TEST_F(ReactLimits, TimeWhileAToolRuns) {
  use_endless_tables();
  request_.limits.time_max = std::chrono::milliseconds(100);
  const RunResult result = react({calls({sql("SELECT 1")}, "waiting")});
  EXPECT_EQ(result.stop, StopReason::TimeBudget);
  EXPECT_EQ(result.content, "waiting");
  EXPECT_EQ(model_->asked(), 1U);
}

TEST_F(ReactLimits, DeadlineOfTheCaller) {
  OpContext context;
  context.deadline = Deadline(real_clock(), std::chrono::milliseconds(50));
  const RunResult result = react({streams_on()}, context);
  EXPECT_EQ(result.stop, StopReason::TimeBudget);
  EXPECT_EQ(result.note, "the time of the caller was over");
}

TEST_F(ReactLimits, TimeBeforeTheRunCounts) {
  request_.time_taken = request_.limits.time_max;
  EXPECT_EQ(react(endless()).stop, StopReason::TimeBudget);
  EXPECT_EQ(model_->asked(), 0U);
}

TEST_F(ReactLimits, CancelledWhileTheModelStreams) {
  OpContext context;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    context.cancel.cancel();
  });
  const RunResult result = react({calls({query(kMoons)}, "still looking"), streams_on()}, context);
  other.join();
  expect_partial(result, StopReason::Cancelled);
}

TEST_F(ReactLimits, CancelledWhileToolsRun) {
  use_endless_tables();
  OpContext context;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    context.cancel.cancel();
  });
  const RunResult result = react({calls({sql("SELECT 1"), sql("SELECT 2"), sql("SELECT 3"),
                                         sql("SELECT 4"), sql("SELECT 5"), sql("SELECT 6")})},
                                 context);
  other.join();
  EXPECT_EQ(result.stop, StopReason::Cancelled);
  // Each of them says so, those too that had not begun.
  std::vector<std::string> codes;
  for (const JsonValue& line : trajectory_->of(EventKind::ToolResult)) {
    codes.push_back(text_of(line, "code"));
  }
  ASSERT_EQ(codes.size(), 6U);
  EXPECT_THAT(codes, Each("cancelled"));
}

TEST_F(ReactLimits, NotMoreCallsAtOnceThanAllowed) {
  request_.limits.parallel_calls_max = 3;
  use_endless_tables();
  OpContext context;
  std::thread other([&] {
    while (tables_->running() < 3) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // a fourth would begin now
    context.cancel.cancel();
  });
  react({calls(
            {sql("SELECT 1"), sql("SELECT 2"), sql("SELECT 3"), sql("SELECT 4"), sql("SELECT 5")})},
        context);
  other.join();
  EXPECT_EQ(tables_->most_at_once(), 3);
  EXPECT_EQ(tables_->running(), 0);
}

TEST_F(ReactLimits, RefusalOfTheModel) {
  const RunResult result = react({refuses()});
  EXPECT_EQ(result.stop, StopReason::Refused);
  EXPECT_EQ(result.content, "I will not do that.");
  EXPECT_FALSE(result.has_converged());
}

TEST_F(ReactLimits, FailureOfTheProvider) {
  const RunResult result =
      react({calls({query(kMoons)}, "still looking"),
             fails({ErrorCode::Unavailable, "api.example: 503", "try later"})});
  EXPECT_EQ(result.stop, StopReason::Failed);
  ASSERT_TRUE(result.error.has_value());
  EXPECT_EQ(result.error->message, "api.example: 503");
  EXPECT_EQ(result.content, "still looking");  // what there is, and no answer
  EXPECT_FALSE(result.is_extracted);
  EXPECT_EQ(count_events("error"), 1U);
  EXPECT_THAT(text_of(trajectory_->of(EventKind::LlmCall)[1], "error"), HasSubstr("503"));
}

// A stream that breaks after eight characters, ten bytes of them.
ModelStep breaks() {
  return [](const llm::Request&, const OpContext&,
            const llm::StreamSink* sink) -> Result<llm::Answer> {
    sink->on_reasoning("Gr\xC3");  // in the middle of a character
    sink->on_text(
        "\xBC\xC3\x9F"
        "e an");
    return Error{ErrorCode::Unavailable, "the connection broke"};
  };
}

TEST_F(ReactLimits, WhatABrokenStreamCostIsCountedAndTold) {
  request_.limits.cost_max = 100;
  const RunResult result = react({calls({query(kMoons)}), breaks()});
  EXPECT_EQ(result.stop, StopReason::Failed);
  const auto lines = trajectory_->of(EventKind::LlmCall);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_NE(lines[1].find("error"), nullptr);
  const JsonValue* const usage = lines[1].find("usage");
  ASSERT_NE(usage, nullptr);
  EXPECT_EQ(to_json(*usage->find("is_estimated")), "true");
  EXPECT_EQ(usage->find("output_tokens")->to_uint64(), 2U);
  const auto input = usage->find("input_tokens")->to_uint64().value_or(0);
  EXPECT_GT(input, 100U);
  // The sum of both is known, as both are.
  ASSERT_TRUE(result.usage.cost);
  EXPECT_NEAR(*result.usage.cost, 0.01 + static_cast<double>(input + 2) * 0.01 / 110, 1e-9);
  EXPECT_NEAR(usage->find("cost")->to_double().value_or(0), *result.usage.cost - 0.01, 1e-9);
  EXPECT_TRUE(result.usage.is_estimated);
  const JsonValue end = trajectory_->of(EventKind::RunEnd)[0];
  EXPECT_EQ(to_json(*end.find("usage")->find("is_estimated")), "true");
  EXPECT_EQ(to_json(*end.find("usage")->find("cache_write_tokens")), "0");
}

}  // namespace
}  // namespace helve::agent
