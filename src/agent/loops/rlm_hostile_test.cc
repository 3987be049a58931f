// Code that does not stop, prints for ever or tries to get out: the run ends within its limits.
#include "agent/loops/code_blocks.h"
#include "agent/loops/json_object.h"
#include "agent/loops/loop_testing.h"

namespace helve::agent {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ModelStep says_code(const std::string& text) { return says("```python\n" + text + "\n```\n"); }

class RlmHostile : public LoopTest {
 protected:
  static std::string count_code() { return "sparql_count('sol:GasGiant')"; }
};

TEST_F(RlmHostile, LoopsEndWithTheTime) {
  request_.limits.time_max = std::chrono::seconds(2);
  const RunResult result = rlm({says_code("r = sparql_query('SELECT ?s { ?s a sol:GasGiant }')"),
                                says_code("while True: pass")});
  EXPECT_EQ(result.stop, StopReason::TimeBudget);
  EXPECT_FALSE(result.error.has_value());
  EXPECT_EQ(result.content, "s\nbody:Jupiter\nbody:Saturn\n");
  EXPECT_EQ(model_->asked(), 2U);
}

TEST_F(RlmHostile, LoopsThatCannotBeInterruptedEndToo) {
  request_.limits.time_max = std::chrono::seconds(2);
  const RunResult result =
      rlm({says_code("while True:\n  try:\n    while True: pass\n  except BaseException: pass")});
  EXPECT_EQ(result.stop, StopReason::TimeBudget);
}

TEST_F(RlmHostile, CancelledWhileCodeRuns) {
  OpContext context;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    context.cancel.cancel();
  });
  const RunResult result = rlm({says_code("while True: pass")}, context);
  other.join();
  EXPECT_EQ(result.stop, StopReason::Cancelled);
}

TEST_F(RlmHostile, PrintingForEverLosesTheSandbox) {
  const RunResult result = rlm({says_code("while True: print('x' * 100000)")});
  EXPECT_EQ(result.stop, StopReason::Failed);
  ASSERT_TRUE(result.error.has_value());
  EXPECT_THAT(result.error->message, HasSubstr("the sandbox was lost: "));
  EXPECT_LT(printed_.size(), 1'000'000U);
}

TEST_F(RlmHostile, LostSandboxEndsTheRun) {
  const RunResult result =
      rlm({says_code("print('x')"), says_code("import os\nos._exit(3)"), says_code("print(1)")});
  EXPECT_EQ(result.stop, StopReason::Failed);
  ASSERT_TRUE(result.error.has_value());
  EXPECT_THAT(result.error->message, HasSubstr("the sandbox was lost: "));
  EXPECT_EQ(model_->asked(), 2U);
  const auto lines = trajectory_->of(EventKind::Iteration);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_FALSE(text_of(lines[1], "error").empty());
}

TEST_F(RlmHostile, CallsForEverEndAtTheCap) {
  request_.limits.tool_calls_max = 7;
  for (const std::string& loop :
       {"while True: " + count_code(),
        "while True:\n  try: " + count_code() + "\n  except ToolError: pass"}) {
    const RunResult result = rlm({says_code(loop)});
    EXPECT_EQ(result.stop, StopReason::CallCap) << loop;
    EXPECT_EQ(result.tool_calls, 7U);
    EXPECT_FALSE(result.error.has_value());
    EXPECT_EQ(model_->asked(), 1U);
  }
}

TEST_F(RlmHostile, AnswerInTheSameBlockIsHeardAtTheCap) {
  request_.limits.tool_calls_max = 1;
  const RunResult result = rlm({says_code("try:\n  while True: " + count_code() +
                                          "\nexcept ToolError as e: SUBMIT(answer=str(e))")});
  EXPECT_TRUE(result.has_converged());
  EXPECT_THAT(result.content, HasSubstr("all 1 tool calls"));
}

TEST_F(RlmHostile, TokensOfSubCallsCount) {
  request_.limits.tokens_max = 50'000;
  request_.limits.model_calls_max = 1'000;
  FakeModel sub(
      {[](const llm::Request&, const OpContext&, const llm::StreamSink*) -> Result<llm::Answer> {
        llm::Answer answer = answer_of("yes");
        answer.usage.output_tokens = 10'000;
        return answer;
      }});
  model_ = std::make_unique<FakeModel>(
      std::vector<ModelStep>{says("I ask.\n```python\nwhile True: print(llm_query('q'))\n```"),
                             says_code("print('never')")});
  RunParts all = parts(*model_);
  all.sub_model = &sub;
  const RunResult result = run_rlm(request_, all, {});
  EXPECT_EQ(result.stop, StopReason::TokenBudget);
  EXPECT_EQ(result.content, "I ask.");
  EXPECT_EQ(sub.asked(), 5U);
  EXPECT_EQ(model_->asked(), 1U);
}

// Each prompt of a batch is asked for by itself, as long as there is something left.
TEST_F(RlmHostile, BatchesDoNotGoThroughTheBudget) {
  request_.limits.cost_max = 0.035;  // an answer costs 0.01
  request_.limits.parallel_calls_max = 1;
  FakeModel sub({says("yes")});
  for (const bool is_about_cost : {true, false}) {
    if (!is_about_cost) {
      request_.limits.cost_max.reset();
      request_.limits.tokens_max = 10'000;
      request_.limits.parallel_calls_max = 4;
    }
    FakeModel one_of(
        {[&](const llm::Request&, const OpContext&, const llm::StreamSink*) -> Result<llm::Answer> {
          llm::Answer answer = answer_of("yes");
          if (!is_about_cost) answer.usage.output_tokens = 9'000;
          return answer;
        }});
    model_ = std::make_unique<FakeModel>(std::vector<ModelStep>{
        says_code("llm_query_batched(['q'] * 25)"), says_code("print('never')")});
    RunParts all = parts(*model_);
    all.sub_model = &one_of;
    const RunResult result = run_rlm(request_, all, {});
    EXPECT_EQ(result.stop, is_about_cost ? StopReason::CostBudget : StopReason::TokenBudget);
    // With four at once, four may be on their way.
    EXPECT_LE(one_of.asked(), is_about_cost ? 3U : 4U);
    EXPECT_GT(one_of.asked(), 0U);
    EXPECT_EQ(trajectory_->of(EventKind::LlmCall).size(), one_of.asked() + 1);
    trajectory_ = std::make_unique<FakeTrajectory>();
  }
}

TEST_F(RlmHostile, PromptBeyondTheBudgetIsNotSent) {
  request_.limits.tokens_max = 20'000;
  FakeModel sub({says("yes")});
  model_ = std::make_unique<FakeModel>(std::vector<ModelStep>{
      says_code("try: llm_query('x' * 1_000_000)\nexcept ToolError as e: print(e)"),
      says_code("SUBMIT(answer='x')")});
  RunParts all = parts(*model_);
  all.sub_model = &sub;
  EXPECT_TRUE(run_rlm(request_, all, {}).has_converged());
  EXPECT_EQ(sub.asked(), 0U);
  EXPECT_THAT(heard(1), HasSubstr("the prompts take about 250,000 tokens"));
}

TEST_F(RlmHostile, EscapesAreRefusedAndTold) {
  rlm({says_code(
           "for attempt in ('open(\"/etc/passwd\").read()', 'import socket; socket.socket()',\n"
           "                '__import__(\"os\").system(\"id\")', '__import__(\"os\").fork()'):\n"
           "  try:\n    exec(attempt)\n    print('done')\n"
           "  except BaseException as e: print('refused', type(e).__name__)"),
       says_code("SUBMIT(answer='x')")});
  const std::string text = heard(1);
  EXPECT_THAT(text, HasSubstr("refused"));
  EXPECT_EQ(text.find("root:"), std::string::npos);
  EXPECT_EQ(text.find("uid="), std::string::npos);
}

TEST_F(RlmHostile, PolicyHoldsForCode) {
  set_policy(R"({"allowed_tools": ["sparql_count"]})");
  const RunResult result = rlm({says_code("print('sparql_query' in globals())"),
                                says_code("SUBMIT(answer=str(" + count_code() + "['count']))")});
  ASSERT_TRUE(result.has_converged());
  EXPECT_THAT(heard(1), HasSubstr("False"));
  EXPECT_THAT(model_->request(0).system, ::testing::Not(HasSubstr("sparql_query(query")));
}

TEST_F(RlmHostile, CodeThatIsNoText) {
  const RunResult result =
      rlm({says(std::string("```python\nprint('a\0b')\n```\n", 27)),
           says("```python\nprint('\xFF')\n```\n"), says_code("SUBMIT(answer='x')")});
  EXPECT_TRUE(result.has_converged());
  EXPECT_THAT(heard(1), HasSubstr("was not run"));
}

TEST_F(RlmHostile, EmptyAnswersEnd) {
  const RunResult result = rlm({says("")});
  EXPECT_EQ(result.stop, StopReason::Failed);
  EXPECT_THAT(result.error->message, HasSubstr("nothing 3 times in a row"));
  EXPECT_EQ(model_->asked(), 3U);
}

TEST_F(RlmHostile, AnswersThatAreCutOffAreToldOf) {
  llm::Answer cut = answer_of("I look.\n```python\nprint(");
  cut.stop = llm::Stop::OutputCap;
  EXPECT_TRUE(rlm({gives(cut), says_code("SUBMIT(answer='x')")}).has_converged());
  EXPECT_THAT(heard(1), HasSubstr("Your answer was cut off at 4,096 tokens"));
  const RunResult result = rlm({gives(cut)});
  EXPECT_EQ(result.stop, StopReason::OutputCap);
  EXPECT_EQ(result.content, "I look.");
  EXPECT_EQ(model_->asked(), 2U);
}

TEST_F(RlmHostile, SubmittedAnswerTooLong) {
  const RunResult result =
      rlm({says_code("SUBMIT(answer='x' * 100_000)"), says_code("SUBMIT(answer='short')")});
  EXPECT_TRUE(result.has_converged());
  EXPECT_EQ(result.content, "short");
  EXPECT_THAT(heard(1), HasSubstr("SUBMIT was refused: the answer has 100,000 characters"));
}

TEST_F(RlmHostile, ModelThatRefusesOrFails) {
  EXPECT_EQ(rlm({refuses()}).stop, StopReason::Refused);
  const RunResult failed = rlm({fails({ErrorCode::Denied, "401"})});
  EXPECT_EQ(failed.stop, StopReason::Failed);
  EXPECT_EQ(failed.error->message, "401");
  request_.limits.time_max = std::chrono::seconds(1);
  EXPECT_EQ(rlm({streams_on()}).stop, StopReason::TimeBudget);
}

TEST(CodeBlocks, MayBeIndented) {
  EXPECT_THAT(find_code("Then:\n   ```python\n   if x:\n     y\n   ```\n").blocks,
              ElementsAre("if x:\n  y\n"));
  EXPECT_THAT(find_code("1. First\n\n    ```python\n    x\n  z\n    ```\n2. ...").blocks,
              ElementsAre("x\nz\n"));
  EXPECT_THAT(find_code("- ```py\n  x = 1\n  ```\n10) ```py\n    y\n    ```").blocks,
              ElementsAre("x = 1\n", "y\n"));
  EXPECT_THAT(find_code("\t```python\n\tx\n\t```").blocks, ElementsAre("x\n"));
  // Far inside of a text that is no fence.
  EXPECT_THAT(find_code("```python\nx = \"\"\"\n    ```\n\"\"\"\n```").blocks,
              ElementsAre("x = \"\"\"\n    ```\n\"\"\"\n"));
}

TEST(CodeBlocks, LeaveProse) {
  EXPECT_EQ(find_code("\n a\n```python\nx\n```\n\nb\n```sql\ny\n```\n\n").prose,
            "a\n\nb\n```sql\ny\n```");
  EXPECT_EQ(find_code("```python\nx\n```\n").prose, "");
  EXPECT_EQ(find_code("so\n```python\nx").prose, "so");
}

TEST(CodeBlocks, AreFoundByTheirFences) {
  EXPECT_THAT(find_code("a\n```python\nx = 1\n```\nb\n``` \n```\n```Py\ny\n```").blocks,
              ElementsAre("x = 1\n", "y\n"));
  EXPECT_THAT(find_code("```python\r\nx\r\n```\r\n").blocks, ElementsAre("x\r\n"));
  EXPECT_TRUE(find_code("```sql\nSELECT\n```\n```\nplain\n```").blocks.empty());
  EXPECT_TRUE(find_code("```python\nx = 1").is_open);
  EXPECT_TRUE(find_code("").blocks.empty());
  std::string many;
  for (int i = 0; i < 50; ++i) many += "```python\n1\n```\n";
  EXPECT_EQ(find_code(many).blocks.size(), kBlocksMax);
  EXPECT_EQ(find_code(many).left_out, 30U);
}

}  // namespace
}  // namespace helve::agent
