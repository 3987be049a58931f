#include "surfaces/mcp/agent/sampling_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/llm/answer_parts.h"

namespace helve::mcp {
namespace {

using ::testing::HasSubstr;

JsonValue json(std::string_view text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value.has_value()) << text;
  return value ? *value : JsonValue();
}

llm::Request conversation() {
  llm::Request request;
  request.system = "You are.";
  request.tools.push_back({"peek", "Looks.", json(R"({"type":"object"})")});
  request.messages.push_back({llm::Role::User, "How many?"});
  llm::Message called{llm::Role::Assistant, "I look."};
  called.calls.push_back({"c1", "peek", json(R"({"term":"a"})"), ""});
  called.calls.push_back({"c2", "peek", json(R"({"term":"b"})"), ""});
  request.messages.push_back(called);
  llm::Message first{llm::Role::Tool, "8"};
  first.call_id = "c1";
  llm::Message second{llm::Role::Tool, "no such term"};
  second.call_id = "c2";
  second.is_error = true;
  request.messages.push_back(first);
  request.messages.push_back(second);
  return request;
}

TEST(SamplingMessages, WithToolsResultsStandTogetherAndAlone) {
  EXPECT_EQ(to_json(sampling_params(conversation(), true)),
            R"({"messages":[{"role":"user","content":{"type":"text","text":"How many?"}},)"
            R"({"role":"assistant","content":[{"type":"text","text":"I look."},)"
            R"({"type":"tool_use","id":"c1","name":"peek","input":{"term":"a"}},)"
            R"({"type":"tool_use","id":"c2","name":"peek","input":{"term":"b"}}]},)"
            R"({"role":"user","content":[{"type":"tool_result","toolUseId":"c1","content":)"
            R"([{"type":"text","text":"8"}],"isError":false},)"
            R"({"type":"tool_result","toolUseId":"c2","content":)"
            R"([{"type":"text","text":"no such term"}],"isError":true}]}],)"
            R"("systemPrompt":"You are.","maxTokens":4096,)"
            R"("tools":[{"name":"peek","description":"Looks.","inputSchema":{"type":"object"}}],)"
            R"("toolChoice":{"mode":"auto"}})");
}

TEST(SamplingMessages, WithoutToolsTheyAreToldInWords) {
  const JsonValue params = sampling_params(conversation(), false);
  EXPECT_EQ(params.find("tools"), nullptr);
  EXPECT_THAT(*params.find("systemPrompt")->if_string(), HasSubstr("- peek: Looks."));
  const std::string messages = to_json(*params.find("messages"));
  EXPECT_THAT(messages,
              HasSubstr(R"(I look.\n[{\"tool\":\"peek\",\"arguments\":{\"term\":\"a\"}})"));
  EXPECT_THAT(messages, HasSubstr(R"(Result:\n8\n\nError:\nno such term)"));
}

llm::Answer read(std::string_view result, bool has_tools) {
  auto answer = read_sampled(json(result), conversation(), has_tools);
  EXPECT_TRUE(answer.has_value()) << result;
  return answer ? *answer : llm::Answer();
}

TEST(SamplingMessages, ReadsBlocks) {
  const llm::Answer answer = read(
      R"({"role":"assistant","model":"m","stopReason":"toolUse","content":[{"type":"text","text":"a"},
          {"type":"tool_use","id":"x","name":"peek","input":{"term":"a"}},
          {"type":"tool_use","name":"peek","input":[]},{"type":"image"},7]})",
      true);
  EXPECT_EQ(answer.text, "a");
  EXPECT_EQ(answer.model, "m");
  EXPECT_EQ(answer.stop, llm::Stop::ToolCalls);
  ASSERT_EQ(answer.calls.size(), 2U);
  EXPECT_EQ(answer.calls[0].id, "x");
  EXPECT_EQ(answer.calls[1].id, "call_3");
  EXPECT_TRUE(answer.calls[1].arguments.is_null());
  EXPECT_TRUE(answer.usage.is_estimated);
}

TEST(SamplingMessages, ReadsCallsThatAreWritten) {
  const auto said = [](std::string_view text) {
    std::string result = R"({"content":{"type":"text","text":)";
    append_json_string(result, text);
    return read(result + "}}", false);
  };
  const llm::Answer plain = said(R"({"tool": "peek", "arguments": {"term": "a"}})");
  ASSERT_EQ(plain.calls.size(), 1U);
  EXPECT_EQ(plain.text, "");
  EXPECT_EQ(plain.calls[0].id, "call_3");
  EXPECT_EQ(to_json(plain.calls[0].arguments), R"({"term":"a"})");
  const llm::Answer fenced = said("I look.\n```json\n{\"tool\": \"peek\"}\n```\n");
  ASSERT_EQ(fenced.calls.size(), 1U);
  EXPECT_EQ(fenced.text, "I look.");
  EXPECT_EQ(said(R"([{"tool":"peek"},{"tool":"peek"}])").calls.size(), 2U);
  // As models write them all the same.
  EXPECT_EQ(said("{\"tool\": \"peek\"}\nI will wait for the result.").calls.size(), 1U);
  EXPECT_EQ(said("{\"tool\": \"peek\"}\n{\"tool\": \"peek\"}").calls.size(), 2U);
  EXPECT_EQ(said("[Note] I look, \"then\n{\"tool\": \"peek\"}").calls.size(), 1U);
  const llm::Answer blocks =
      said("First:\n```json\n{\"tool\": \"peek\"}\n```\nthen\n```\n{\n \"tool\": \"look\"\n}\n```");
  ASSERT_EQ(blocks.calls.size(), 2U);
  EXPECT_EQ(blocks.calls[1].name, "look");
  EXPECT_EQ(blocks.text, "First:");
  EXPECT_EQ(said("There are 8.").stop, llm::Stop::EndTurn);
  // Data that looks like JSON is no call.
  EXPECT_TRUE(said("[1, 2]").calls.empty());
  EXPECT_EQ(said("{\"rows\": 8}").text, "{\"rows\": 8}");
}

TEST(SamplingMessages, TooManyCallsAreAnError) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "{\"tool\": \"peek\"}\n";
  std::string result = R"({"content":{"type":"text","text":)";
  append_json_string(result, text);
  const auto answer = read_sampled(json(result + "}}"), conversation(), false);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, llm::too_many_calls().code);
}

// Brackets that never end cost no more than so many looks.
TEST(SamplingMessages, BracketsThatDoNotEndAreText) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "{\n";
  std::string result = R"({"content":{"type":"text","text":)";
  append_json_string(result, text);
  const auto answer = read_sampled(json(result + "}}"), conversation(), false);
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->calls.empty());
  EXPECT_EQ(answer->text.size(), text.size());
}

// What a model wrote that is no object goes back to it.
TEST(SamplingMessages, ArgumentsThatAreNoObjectAreNotLost) {
  llm::Request request = conversation();
  request.messages[1].calls[0] = {"c1", "peek", JsonValue(), "[7]"};
  EXPECT_THAT(to_json(sampling_params(request, true)), HasSubstr("not_an_object"));
  EXPECT_THAT(to_json(sampling_params(request, false)), HasSubstr("not_an_object"));
}

TEST(SamplingMessages, WhatHasNoContentIsNoAnswer) {
  for (const char* const result : {"{}", R"({"content":"text"})", R"({"content":null})"}) {
    EXPECT_FALSE(read_sampled(json(result), {}, true).has_value()) << result;
  }
}

}  // namespace
}  // namespace helve::mcp
