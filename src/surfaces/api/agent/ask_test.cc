#include "helve/ask.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "base/json.h"
#include "helve/source.h"
#include "tests/support/temp_directory.h"

namespace helve::api {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<Tools> tools() {
  auto source = connect("sample:");
  if (!source) return source.error();
  ToolsOptions options;
  options.marks_data = true;
  return get_tools(*source, {}, options);
}

ModelAnswer calling(std::string name, std::string arguments) {
  ModelAnswer answer;
  answer.calls.push_back({"", std::move(name), std::move(arguments)});
  return answer;
}

// Looks for moons of Mars, then hands in.
struct MarsModel {
  std::vector<ModelRequest> requests;

  Result<ModelAnswer> operator()(const ModelRequest& request) {
    requests.push_back(request);
    if (requests.size() == 1) {
      return calling("sparql_query", R"({"query":"SELECT ?m { ?m sol:orbits body:Mars }"})");
    }
    return calling("submit", R"({"answer":"Two.","handles":["results_0"]})");
  }
};

TEST(ApiAsk, AModelOfTheProgramWorksWithTheTools) {
  const auto made = tools();
  ASSERT_TRUE(made) << made.error().to_string();
  MarsModel model;
  std::vector<std::string> events;
  AgentOptions options;
  options.model = [&model](const ModelRequest& request) { return model(request); };
  options.history = {{"What is Mars?", "A planet."}};
  options.on_event = [&events](const AskEvent& event) { events.emplace_back(event.kind); };
  const auto answer = ask(*made, "Which moons has Mars?", options);
  ASSERT_TRUE(answer) << answer.error().to_string();
  EXPECT_TRUE(answer->has_converged);
  EXPECT_EQ(answer->stop_reason, "submitted");
  EXPECT_EQ(answer->content, "Two.");
  EXPECT_EQ(answer->query, "SELECT ?m { ?m sol:orbits body:Mars }");
  ASSERT_EQ(answer->evidence.size(), 1U);
  EXPECT_EQ(answer->evidence[0].rows, 2U);
  EXPECT_THAT(answer->tools_used, ElementsAre("sparql_query"));
  EXPECT_EQ(answer->steps, 2U);
  EXPECT_THAT(events, Contains("tool_call"));
  EXPECT_TRUE(parse_json(answer->json).has_value());
  // The rows stay where they are, for who asked.
  EXPECT_FALSE(made->call("sparql_slice", R"({"result":"results_0"})").is_error);

  ASSERT_EQ(model.requests.size(), 2U);
  EXPECT_EQ(model.requests[0].messages[0].text, "What is Mars?");
  const ModelMessage& reply = model.requests[1].messages.back();
  EXPECT_EQ(reply.role, ModelMessage::Role::Tool);
  EXPECT_THAT(reply.text, HasSubstr("<data "));
  EXPECT_FALSE(reply.is_error);
}

TEST(ApiAsk, AFileMayConfigureTheModel) {
  const helve::TempDirectory folder;
  std::ofstream(folder.path() / "answers.jsonl")
      << R"({"calls":[{"name":"submit","arguments":{"answer":"Two."}}],"usage":{"input_tokens":10}})"
      << "\n";
  const std::string file = (folder.path() / "model.toml").string();
  std::ofstream(file)
      << "[model]\nscript = \"answers.jsonl\"\n[model.prices]\ninput = 1e5\noutput = 1\n";
  const auto made = tools();
  ASSERT_TRUE(made);
  AgentOptions options;
  options.settings.config_file = file;
  options.limits.cost_max = 5;
  const auto answer = ask(*made, "How many?", options);
  ASSERT_TRUE(answer) << answer.error().to_string();
  EXPECT_EQ(answer->content, "Two.");
  EXPECT_DOUBLE_EQ(answer->cost.value_or(0), 1);
  std::ofstream(file) << "[model]\nscirpt = \"answers.jsonl\"\n";
  const auto wrong = ask(*made, "How many?", options);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().to_string(), HasSubstr("did you mean script?"));
}

// The program tells nothing of tokens: they are estimated as those of servers are.
TEST(ApiAsk, TokensOfAModelOfTheProgramAreEstimated) {
  const auto made = tools();
  ASSERT_TRUE(made);
  AgentOptions options;
  options.model = [](const ModelRequest&) -> Result<ModelAnswer> {
    return calling("submit", R"({"answer":"Two."})");
  };
  const auto answer = ask(*made, "How many?", options);
  ASSERT_TRUE(answer) << answer.error().to_string();
  EXPECT_EQ(answer->output_tokens, 6U);  // of the call: "submit" and its arguments
  EXPECT_THAT(answer->json, HasSubstr(R"("is_estimated":true)"));
}

TEST(ApiAsk, RunsOfAScriptAreRecordedAlike) {
  const helve::TempDirectory folder;
  const std::string script = (folder.path() / "answers.jsonl").string();
  std::ofstream(script)
      << R"({"text":"","calls":[{"name":"submit","arguments":{"answer":"Two."}}]})"
      << "\n";
  std::vector<std::string> texts;
  for (const char* const name : {"a.jsonl", "b.jsonl"}) {
    const auto made = tools();
    ASSERT_TRUE(made);
    AgentOptions options;
    options.settings.script = script;
    options.trajectory_file = (folder.path() / name).string();
    options.has_times = false;
    const auto answer = ask(*made, "How many?", options);
    ASSERT_TRUE(answer) << answer.error().to_string();
    EXPECT_EQ(answer->content, "Two.");
    EXPECT_FALSE(answer->trajectory_error.has_value());
    std::ifstream file(options.trajectory_file);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  EXPECT_THAT(texts[0], HasSubstr(R"("kind":"run_end")"));
  EXPECT_EQ(texts[0], texts[1]);
}

TEST(ApiAsk, WhatGoesWrongInTheRunIsAResult) {
  const auto made = tools();
  ASSERT_TRUE(made);
  AgentOptions options;
  options.model = [](const ModelRequest&) -> Result<ModelAnswer> {
    return Error{ErrorCode::Unavailable, "the model sleeps", {}};
  };
  const auto failed = ask(*made, "How many?", options);
  ASSERT_TRUE(failed);
  EXPECT_FALSE(failed->has_converged);
  EXPECT_EQ(failed->stop_reason, "failed");
  ASSERT_TRUE(failed->error.has_value());
  EXPECT_THAT(failed->error->message, HasSubstr("the model sleeps"));
  // A model must not throw; one that does is a failure, no crash.
  options.model = [](const ModelRequest&) -> Result<ModelAnswer> {
    throw std::runtime_error("out of order");
  };
  const auto thrown = ask(*made, "How many?", options);
  ASSERT_TRUE(thrown);
  EXPECT_EQ(thrown->stop_reason, "failed");
}

TEST(ApiAsk, CancellingEndsIt) {
  const auto made = tools();
  ASSERT_TRUE(made);
  CallOptions call;
  AgentOptions options;
  options.model = [&call](const ModelRequest& request) -> Result<ModelAnswer> {
    call.cancel.cancel();
    EXPECT_TRUE(request.cancel.is_cancelled());
    return calling("sparql_query", R"({"query":"ASK {}"})");
  };
  const auto answer = ask(*made, "How many?", options, call);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->stop_reason, "cancelled");
}

TEST(ApiAsk, ACallerPausesAndSaysAWord) {
  const auto made = tools();
  ASSERT_TRUE(made);
  MarsModel model;
  std::vector<std::uint64_t> steps;
  AgentOptions options;
  options.model = [&model](const ModelRequest& request) { return model(request); };
  options.steering = [&steps](std::uint64_t step) {
    steps.push_back(step);
    return AskSteering{false, step == 2 ? "wrong table" : ""};
  };
  const auto answer = ask(*made, "Which moons has Mars?", options);
  ASSERT_TRUE(answer) << answer.error().to_string();
  EXPECT_TRUE(answer->has_converged);
  EXPECT_THAT(steps, ElementsAre(1U, 2U));
  ASSERT_EQ(model.requests.size(), 2U);
  EXPECT_EQ(model.requests[1].messages.back().text, "wrong table");
  // It ends the run before the model is asked, or by throwing.
  options.steering = [](std::uint64_t) { return AskSteering{true, ""}; };
  EXPECT_EQ(ask(*made, "How many?", options)->stop_reason, "cancelled");
  options.steering = [](std::uint64_t) -> AskSteering { throw std::runtime_error("no"); };
  EXPECT_EQ(ask(*made, "How many?", options)->stop_reason, "cancelled");
  EXPECT_EQ(model.requests.size(), 2U);
}

TEST(ApiAsk, CodeAsksTheSubModelAndHandsInWhatTheSignatureSays) {
  const auto made = tools();
  ASSERT_TRUE(made);
  AgentOptions options;
  options.loop = "rlm";
  options.signature = "question -> sparql: str, answer";
  options.model = [](const ModelRequest& request) -> Result<ModelAnswer> {
    EXPECT_THAT(request.system, HasSubstr("sparql: str"));
    ModelAnswer answer;
    answer.text =
        "```python\nsparql_query('ASK {}')\n"
        "SUBMIT(sparql='ASK {}', answer=llm_query('Which moons has Mars?'))\n```";
    return answer;
  };
  options.sub_model = [](const ModelRequest& request) -> Result<ModelAnswer> {
    EXPECT_EQ(request.messages.back().text, "Which moons has Mars?");
    ModelAnswer answer;
    answer.text = "Two of them.";
    return answer;
  };
  const auto answer = ask(*made, "Which moons has Mars?", options);
  ASSERT_TRUE(answer) << answer.error().to_string();
  if (answer->error && answer->error->message.find("sandbox") != std::string::npos) {
    GTEST_SKIP() << answer->error->message;
  }
  EXPECT_TRUE(answer->has_converged) << answer->json;
  EXPECT_THAT(answer->json, HasSubstr(R"("sparql":"ASK {}","answer":"Two of them.")"));
  // Neither makes sense where no code runs.
  options.loop = "react";
  EXPECT_EQ(ask(*made, "How many?", options).error().code, ErrorCode::InvalidInput);
  options.sub_model = {};
  EXPECT_EQ(ask(*made, "How many?", options).error().code, ErrorCode::InvalidInput);
}

TEST(ApiAsk, OptionsThatMakeNoSenseAreRefused) {
  const auto made = tools();
  ASSERT_TRUE(made);
  AgentOptions options;
  options.model = [](const ModelRequest&) -> Result<ModelAnswer> {
    ADD_FAILURE() << "asked";
    return ModelAnswer();
  };
  EXPECT_EQ(ask(*made, "  ", options).error().code, ErrorCode::InvalidInput);
  AgentOptions loop = options;
  loop.loop = "other";
  EXPECT_EQ(ask(*made, "How many?", loop).error().code, ErrorCode::InvalidInput);
  AgentOptions layers = options;
  layers.layers = "L9";
  EXPECT_EQ(ask(*made, "How many?", layers).error().code, ErrorCode::InvalidInput);
}

}  // namespace
}  // namespace helve::api
