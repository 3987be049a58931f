#include "surfaces/mcp/agent/ask_offer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/env.h"
#include "surfaces/mcp/agent/ask_testing.h"
#include "tests/support/fake_env.h"
#include "tests/support/graph/graph_of.h"
#include "toolkit/tools/tool_testing.h"

namespace helve::mcp {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Who called what.
class ListedAudit final : public toolkit::AuditSink {
 public:
  explicit ListedAudit(std::vector<std::string>& calls) : calls_(calls) {}
  Result<void> check() override { return {}; }
  Result<void> write(const toolkit::AuditRecord& record) override {
    calls_.push_back(record.identity + " " + record.tool + " " + record.verdict);
    return {};
  }

 private:
  std::vector<std::string>& calls_;
};

// Answers in their order; then it fails.
class ListedModel final : public llm::Provider {
 public:
  explicit ListedModel(std::vector<llm::Answer> answers) : answers_(std::move(answers)) {}
  Result<llm::Answer> complete(const llm::Request& /*request*/, const OpContext& context,
                               const llm::StreamSink* /*sink*/) override {
    HELVE_TRY(context.check());
    if (on_ask) on_ask();
    if (next_ == answers_.size()) return Error{ErrorCode::Unavailable, "there is no more"};
    return answers_[next_++];
  }
  std::string name() const override { return "listed"; }
  std::string model() const override { return "m"; }

  std::function<void()> on_ask;

 private:
  std::vector<llm::Answer> answers_;
  std::size_t next_ = 0;
};

llm::Answer calling(std::string name, std::string_view arguments) {
  llm::Answer answer;
  answer.calls.push_back({"c1", std::move(name), json_of(arguments), std::string(arguments)});
  answer.stop = llm::Stop::ToolCalls;
  return answer;
}

class AskOfferTest : public ::testing::Test {
 protected:
  void SetUp() override {
    toolkit::ToolkitOptions options;
    options.is_one_session = false;
    options.marks_data = true;
    auto made = toolkit::Toolkit::make(options, real_env(), helve::testing::graph_factory(),
                                       std::make_unique<ListedAudit>(audited_));
    ASSERT_TRUE(made.has_value());
    toolkit_ = *std::move(made);
    ASSERT_TRUE(toolkit_->add_source(helve::testing::graph_of(toolkit::kPlanets, "planets")));
  }

  // A run that looks and answers.
  static std::vector<llm::Answer> short_run() {
    return {calling("sparql_query", R"({"query":"SELECT ?s { ?s ?p ?o } LIMIT 2"})"),
            calling("submit", R"({"answer":"two"})")};
  }

  std::shared_ptr<Offer> offer_with(std::vector<llm::Answer> answers) {
    model_ = std::make_shared<ListedModel>(std::move(answers));
    AskOfferOptions options;
    options.model = model_;
    return make_ask_offer(*toolkit_, std::move(options));
  }

  static JsonValue result_of(const std::optional<Outcome>& outcome) {
    if (!outcome || !std::holds_alternative<std::string>(*outcome)) {
      ADD_FAILURE() << "no result";
      return {};
    }
    return json_of(std::get<std::string>(*outcome));
  }
  static std::string text_of(const JsonValue& result) {
    return *result.find("content")->if_array()->at(0).find("text")->if_string();
  }

  std::vector<std::string> audited_;
  std::unique_ptr<toolkit::Toolkit> toolkit_;
  std::shared_ptr<ListedModel> model_;
  SamplingTurn turn_;
};

TEST_F(AskOfferTest, IsListedWhereThereIsAModel) {
  turn_.capabilities.clear();
  EXPECT_THAT(make_ask_offer(*toolkit_, {})->list(ListKind::Tools, turn_), IsEmpty());
  const auto listed = offer_with({})->list(ListKind::Tools, turn_);
  ASSERT_THAT(listed, SizeIs(1));
  const JsonValue entry = json_of(listed[0]);
  EXPECT_EQ(*entry.find("name")->if_string(), "ask");
  EXPECT_EQ(*entry.find("inputSchema")->find("type")->if_string(), "object");
  turn_.capabilities = {"sampling"};
  EXPECT_THAT(make_ask_offer(*toolkit_, {})->list(ListKind::Tools, turn_), SizeIs(1));
}

TEST_F(AskOfferTest, AnswersWithEvidenceAndTellsItsSteps) {
  turn_.who.identity = "ann";
  const auto offer = offer_with(short_run());
  const JsonValue result =
      result_of(offer->call_tool("queryclaw_ask", json_of(R"({"question":"How many?"})"), turn_));
  EXPECT_FALSE(*result.find("isError")->if_bool()) << to_json(result);
  EXPECT_THAT(text_of(result), HasSubstr("two"));
  const JsonValue& structure = *result.find("structuredContent");
  EXPECT_EQ(*structure.find("content")->if_string(), "two");
  EXPECT_EQ(*structure.find("stop_reason")->if_string(), "submitted");
  ASSERT_GE(turn_.told.size(), 3U);
  EXPECT_EQ(turn_.told.front().first, 0);
  EXPECT_EQ(turn_.told[1].second.substr(0, 6), "step 1");
  for (std::size_t i = 1; i < turn_.told.size(); ++i) {
    EXPECT_GT(turn_.told[i].first, turn_.told[i - 1].first);
  }
  EXPECT_THAT(turn_.tools_noted, ::testing::ElementsAre("ask"));
  EXPECT_THAT(audited_, ::testing::Contains("ann sparql_query ok"));
}

TEST_F(AskOfferTest, WrongArgumentsAreToldBeforeTheModelIsAsked) {
  const auto offer = offer_with({});
  int asked = 0;
  model_->on_ask = [&] { ++asked; };
  for (const char* const arguments :
       {"{}", R"({"question":"  "})", R"({"question":7})", R"({"question":"a","loop":"x"})",
        R"({"question":"a","max_steps":0})", R"({"question":"a","max_steps":"x"})",
        R"({"question":"a","relevant":[1]})", R"({"question":"a","max_stepz":2})"}) {
    const JsonValue result = result_of(offer->call_tool("ask", json_of(arguments), turn_));
    EXPECT_TRUE(*result.find("isError")->if_bool()) << arguments;
  }
  EXPECT_EQ(asked, 0);
}

TEST_F(AskOfferTest, NumbersMayBeTexts) {
  const auto offer = offer_with(short_run());
  const JsonValue result = result_of(
      offer->call_tool("ask", json_of(R"({"question":"How many?","max_steps":"1"})"), turn_));
  EXPECT_EQ(*result.find("structuredContent")->find("stop_reason")->if_string(), "step_cap");
}

// What the result has is what the schema says.
TEST_F(AskOfferTest, ResultsAreAsTheirSchemaSays) {
  const auto offer = offer_with(short_run());
  const JsonValue entry = json_of(offer->list(ListKind::Tools, turn_).at(0));
  const JsonValue result =
      result_of(offer->call_tool("ask", json_of(R"({"question":"How many?"})"), turn_));
  const JsonValue& schema = *entry.find("outputSchema");
  const JsonValue& structure = *result.find("structuredContent");
  for (const JsonValue& name : *schema.find("required")->if_array()) {
    EXPECT_NE(structure.find(*name.if_string()), nullptr) << *name.if_string();
  }
  turn_.spoken = Revision::R20250326;
  EXPECT_EQ(json_of(offer->list(ListKind::Tools, turn_).at(0)).find("outputSchema"), nullptr);
}

// A model has read data, and may say what it found there.
TEST_F(AskOfferTest, WhatTheModelSaysStandsBetweenMarksAndIsHarmless) {
  const auto offer = offer_with({calling("submit", R"({"answer":"a\u001b[31m\u202e\nb"})")});
  const std::string text =
      text_of(result_of(offer->call_tool("ask", json_of(R"({"question":"How many?"})"), turn_)));
  EXPECT_THAT(text, ::testing::MatchesRegex("Answered in 1 steps. Evidence: none.\n<data "
                                            "[^>]*>\na\\\\x1B\\[31m\\\\u202E\nb\n</data [^>]*>\n"));
}

TEST_F(AskOfferTest, WithoutAModelTheWaysToGiveOneAreTold) {
  turn_.capabilities.clear();
  AskOfferOptions options;
  options.no_model = Error{ErrorCode::NotFound, "three ways", "the first"};
  const JsonValue result = result_of(
      make_ask_offer(*toolkit_, options)->call_tool("ask", json_of(R"({"question":"a"})"), turn_));
  EXPECT_THAT(text_of(result), HasSubstr("three ways\nhint: the first"));
}

TEST_F(AskOfferTest, RunsAreWrittenDownWhereAFolderIsGiven) {
  FakeEnv env;
  auto folder = agent::TrajectoryFolder::open({.path = "/runs"}, env);
  ASSERT_TRUE(folder.has_value());
  AskOfferOptions options;
  model_ = std::make_shared<ListedModel>(short_run());
  options.model = model_;
  options.trajectories = *std::move(folder);
  const auto offer = make_ask_offer(*toolkit_, options);
  result_of(offer->call_tool("ask", json_of(R"({"question":"How many?"})"), turn_));
  const auto names = env.files().list("/runs");
  ASSERT_TRUE(names.has_value());
  ASSERT_THAT(*names, SizeIs(1));
  const auto events = agent::read_trajectory("/runs" / names->front().filename(), env);
  ASSERT_TRUE(events.has_value());
  EXPECT_EQ(events->back().kind, agent::EventKind::RunEnd);
}

TEST_F(AskOfferTest, AModelThatFailsIsAnError) {
  const JsonValue result =
      result_of(offer_with({})->call_tool("ask", json_of(R"({"question":"How many?"})"), turn_));
  EXPECT_TRUE(*result.find("isError")->if_bool());
  EXPECT_THAT(text_of(result), HasSubstr("there is no more"));
}

TEST_F(AskOfferTest, CancellingEndsTheRun) {
  const auto offer = offer_with(short_run());
  model_->on_ask = [&] { turn_.context.cancel.cancel(); };
  const JsonValue result =
      result_of(offer->call_tool("ask", json_of(R"({"question":"How many?"})"), turn_));
  EXPECT_EQ(*result.find("structuredContent")->find("stop_reason")->if_string(), "cancelled");
}

TEST_F(AskOfferTest, ThePolicyOfTheCallerHolds) {
  toolkit::Policy policy;
  policy.allowed_tools = {"sparql_query"};
  turn_.who.policy = std::make_shared<const toolkit::Policy>(policy);
  const JsonValue result = result_of(
      offer_with(short_run())->call_tool("ask", json_of(R"({"question":"How many?"})"), turn_));
  EXPECT_TRUE(*result.find("isError")->if_bool());
  EXPECT_THAT(text_of(result), HasSubstr("does not allow"));
}

TEST_F(AskOfferTest, RunsOnlyReadWhateverThePolicyAllows) {
  toolkit::Policy policy;
  policy.read_only = false;
  turn_.who.policy = std::make_shared<const toolkit::Policy>(policy);
  const JsonValue result =
      result_of(offer_with({calling("data_modify", R"({"sql":"DELETE FROM t"})"),
                            calling("submit", R"({"answer":"done"})")})
                    ->call_tool("ask", json_of(R"({"question":"Delete it"})"), turn_));
  EXPECT_EQ(*result.find("structuredContent")->find("content")->if_string(), "done");
  EXPECT_THAT(audited_, ::testing::Contains("local data_modify denied"));
}

TEST_F(AskOfferTest, TheClientsOwnModelIsAskedCallByCall) {
  const auto offer = make_ask_offer(*toolkit_, {});
  const JsonValue question = json_of(R"({"question":"How many?"})");
  const std::vector<JsonValue> says = {
      json_of(R"({"role":"assistant","model":"m","content":{"type":"tool_use","id":"a",
                  "name":"sparql_query","input":{"query":"SELECT ?s { ?s ?p ?o } LIMIT 2"}}})"),
      json_of(R"({"role":"assistant","model":"m","content":{"type":"tool_use","id":"b",
                  "name":"submit","input":{"answer":"two"}}})")};
  std::string state;
  std::map<std::string, JsonValue, std::less<>> answers;
  for (std::size_t call = 0; call <= says.size(); ++call) {
    SamplingTurn turn;
    turn.spoken = Revision::R20260728;
    turn.kept_state = state;
    turn.came = answers;
    const auto outcome = offer->call_tool("ask", question, turn);
    if (call < says.size()) {
      ASSERT_THAT(turn.asked, SizeIs(1)) << call;
      state = turn.state_to_keep;
      answers = {{turn.asked[0].key, says[call]}};
      continue;
    }
    EXPECT_THAT(turn.asked, IsEmpty());
    EXPECT_THAT(text_of(result_of(outcome)), HasSubstr("two"));
  }
}

TEST_F(AskOfferTest, OlderClientsAreAskedWhileTheCallWaits) {
  turn_.when_asked = {
      json_of(R"({"role":"assistant","model":"m","content":[{"type":"tool_use","id":"b",
                  "name":"submit","input":{"answer":"two"}}]})")};
  const JsonValue result =
      result_of(make_ask_offer(*toolkit_, {})
                    ->call_tool("ask", json_of(R"({"question":"How many?"})"), turn_));
  EXPECT_THAT(text_of(result), HasSubstr("two"));
}

TEST_F(AskOfferTest, PythonCannotBeResumed) {
  turn_.spoken = Revision::R20260728;
  const JsonValue result =
      result_of(make_ask_offer(*toolkit_, {})
                    ->call_tool("ask", json_of(R"({"question":"How many?","loop":"rlm"})"), turn_));
  EXPECT_TRUE(*result.find("isError")->if_bool());
  EXPECT_THAT(turn_.asked, IsEmpty());
}

TEST_F(AskOfferTest, OtherToolsAreNotItsOwn) {
  EXPECT_FALSE(offer_with({})->call_tool("sparql_query", json_of("{}"), turn_).has_value());
}

}  // namespace
}  // namespace helve::mcp
