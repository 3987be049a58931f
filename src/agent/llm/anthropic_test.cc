#include "agent/llm/anthropic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/llm/answer_parts.h"
#include "agent/llm/wire_testing.h"

namespace helve::llm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kMark = R"(,"cache_control":{"type":"ephemeral"})";

ReadAnswer read_anthropic(std::string_view body) { return read_body(anthropic_wire(), body); }

std::string without(std::string text, std::string_view what) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what)) {
    text.erase(at, what.size());
  }
  return text;
}

TEST(AnthropicRequest, ResultsAndWhatIsSaidNextAreOneTurn) {
  EXPECT_EQ(
      anthropic_wire().body(whole_request(), {"m", true, true}),
      R"({"model":"m","stream":true,"max_tokens":4096,"tools":[{"name":"find","description":)"
      R"("Finds things.","input_schema":{"type":"object","properties":{"q":{"type":"string"}}},)"
      R"("cache_control":{"type":"ephemeral"}}],"system":[{"type":"text","text":"Be brief.",)"
      R"("cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":)"
      R"("text","text":"Where?"}]},{"role":"assistant","content":[{"type":"text","text":"I look."},)"
      R"({"type":"tool_use","id":"a1","name":"find","input":{"q":"x"}},{"type":"tool_use","id":)"
      R"("a2","name":"find","input":{"not_an_object":"{broken"}}]},{"role":"user","content":[)"
      R"({"type":"tool_result","tool_use_id":"a1","content":"found x"},{"type":"tool_result",)"
      R"("tool_use_id":"a2","content":"no JSON","is_error":true},{"type":"text","text":"Go on.",)"
      R"("cache_control":{"type":"ephemeral"}}]}]})");
}

TEST(AnthropicRequest, ALongerConversationDiffersInTheMarkAlone) {
  const std::string whole =
      without(anthropic_wire().body(whole_request(), {"m", true, false}), kMark);
  for (const std::size_t count : {1, 2, 3, 4}) {
    std::string part = without(
        anthropic_wire().body(first_messages(whole_request(), count), {"m", true, false}), kMark);
    part.resize(part.size() - 4);  // "]}]}"
    EXPECT_TRUE(whole.starts_with(part)) << part;
  }
}

TEST(AnthropicRequest, EmptyTextsAndForeignIdsAreMadeFit) {
  Request request;
  request.messages.push_back({Role::User, " ", {}, {}, false, {}});
  Message message{Role::Assistant, "", {}, {}, false, {}};
  message.calls.push_back(make_call("call:1/x", "f", ""));
  request.messages.push_back(message);
  request.messages.push_back({Role::Tool, "", {}, "call:1/x", false, {}});
  const std::string body = anthropic_wire().body(request, {"m", true, false});
  EXPECT_THAT(body, HasSubstr("[{\"type\":\"text\",\"text\":\"(nothing)\"}]"));
  EXPECT_THAT(
      body, HasSubstr(R"("content":[{"type":"tool_use","id":"call_1_x","name":"f","input":{}}])"));
  EXPECT_THAT(body, HasSubstr(R"("tool_use_id":"call_1_x","content":"")"));
  EXPECT_THAT(body, Not(HasSubstr("system")));
}

// What calls and results are named in a body, in their order.
std::vector<std::string> ids_in(const std::string& body) {
  std::vector<std::string> ids;
  const JsonValue json = *parse_json(body);
  for (const JsonValue& message : *json.find("messages")->if_array()) {
    for (const JsonValue& block : *message.find("content")->if_array()) {
      if (text_at(&block, "type") == "tool_use") ids.emplace_back(text_at(&block, "id"));
      if (text_at(&block, "type") == "tool_result") {
        ids.push_back("=" + std::string(text_at(&block, "tool_use_id")));
      }
    }
  }
  return ids;
}

TEST(AnthropicRequest, ResultsHaveTheIdsOfTheirCalls) {
  Request request;
  Message foreign{Role::Assistant, "", {}, {}, false, {}};
  foreign.calls = {make_call("a:1", "f", ""), make_call("a.1", "f", ""), make_call("a_1", "f", "")};
  request.messages.push_back(foreign);
  for (const char* id : {"a:1", "a.1", "a_1"}) {
    request.messages.push_back({Role::Tool, "r", {}, id, false, {}});
  }
  // Blocks of a server go back as they came, with its id.
  Message own{Role::Assistant, "", {}, {}, false, {}};
  own.calls = {make_call("functions.find:0", "find", "")};
  own.opaque.push_back(
      {"anthropic", *parse_json(R"([{"type":"thinking","thinking":"hm",)"
                                R"("signature":"S"},{"type":"tool_use","id":)"
                                R"("functions.find:0","name":"find","input":{}}])")});
  request.messages.push_back(own);
  request.messages.push_back({Role::Tool, "r", {}, "functions.find:0", false, {}});
  const std::string whole = anthropic_wire().body(request, {"m", true, false});
  EXPECT_THAT(ids_in(whole), ElementsAre("a_1", "a_1_2", "a_1_3", "=a_1", "=a_1_2", "=a_1_3",
                                         "functions.find:0", "=functions.find:0"));
  EXPECT_THAT(ids_in(anthropic_wire().body(first_messages(request, 2), {"m", true, false})),
              ElementsAre("a_1", "a_1_2", "a_1_3", "=a_1"));
}

TEST(AnthropicAnswer, UsageIsNotLostToALaterZero) {
  const auto got = read_anthropic(events(
      {R"({"type":"message_start","message":{"usage":{"input_tokens":1000,)"
       R"("cache_read_input_tokens":50,"output_tokens":1}}})",
       R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}})",
       R"({"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":0,)"
       R"("cache_read_input_tokens":0,"output_tokens":33}})"}));
  ASSERT_TRUE(got.answer) << got.answer.error().to_string();
  EXPECT_EQ(got.answer->usage.input_tokens, 1050U);
  EXPECT_EQ(got.answer->usage.cached_tokens, 50U);
  EXPECT_EQ(got.answer->usage.output_tokens, 33U);
}

TEST(AnthropicAnswer, ADeltaWithoutABeginningBeginsABlock) {
  const auto got = read_anthropic(events(
      {R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta",)"
       R"("thinking":"hm"}})",
       R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"H"}})",
       R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"i"}})",
       R"({"type":"content_block_delta","index":2,"delta":{"type":"later_delta","text":"x"}})",
       R"({"type":"message_delta","delta":{"stop_reason":"end_turn"}})"}));
  ASSERT_TRUE(got.answer) << got.answer.error().to_string();
  EXPECT_EQ(got.answer->text, "Hi");
  EXPECT_EQ(got.text, "Hi");
  EXPECT_EQ(got.answer->reasoning, "hm");
}

TEST(AnthropicAnswer, IsReadWhole) {
  const auto got = read_anthropic(
      R"({"type":"message","model":"c","content":[{"type":"text","text":"I look."},{"type":)"
      R"("tool_use","id":"t1","name":"f","input":{"a":1}},{"type":"tool_use","id":"t2","name":"g",)"
      R"("input":{}}],"stop_reason":"tool_use","usage":{"input_tokens":10,)"
      R"("cache_read_input_tokens":70,"cache_creation_input_tokens":20,"output_tokens":5}})");
  ASSERT_TRUE(got.answer) << got.answer.error().to_string();
  EXPECT_EQ(got.answer->text, "I look.");
  ASSERT_EQ(got.answer->calls.size(), 2U);
  EXPECT_EQ(to_json(got.answer->calls[0].arguments), R"({"a":1})");
  EXPECT_EQ(got.answer->stop, Stop::ToolCalls);
  EXPECT_EQ(got.answer->usage.input_tokens, 100U);
  EXPECT_EQ(got.answer->usage.cached_tokens, 70U);
  EXPECT_EQ(got.answer->usage.cache_write_tokens, 20U);
  EXPECT_EQ(got.answer->usage.output_tokens, 5U);
  EXPECT_TRUE(got.answer->opaque.empty());
}

std::string thinking_stream() {
  return events(
      {R"({"type":"message_start","message":{"model":"c","usage":{"input_tokens":9,)"
       R"("cache_read_input_tokens":1,"output_tokens":1}}})",
       R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"h"}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"m"}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"S1"}})",
       R"({"type":"content_block_stop","index":0})", R"({"type":"ping"})",
       R"({"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking",)"
       R"("data":"xx"}})",
       R"({"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}})",
       R"({"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"Hé"}})",
       R"({"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"t",)"
       R"("name":"f","input":{}}})",
       R"({"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta",)"
       R"("partial_json":"{\"a\":"}})",
       R"({"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta",)"
       R"("partial_json":"1}"}})",
       R"({"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":33}})",
       R"({"type":"message_stop"})"});
}

TEST(AnthropicAnswer, IsReadFromAStream) {
  const auto got = read_anthropic(thinking_stream());
  ASSERT_TRUE(got.answer) << got.answer.error().to_string();
  EXPECT_EQ(got.text, "Hé");
  EXPECT_EQ(got.reasoning, "hm");
  EXPECT_EQ(got.answer->text, "Hé");
  EXPECT_EQ(got.answer->reasoning, "hm");
  ASSERT_EQ(got.answer->calls.size(), 1U);
  EXPECT_EQ(got.answer->calls[0].written, R"({"a":1})");
  EXPECT_EQ(got.answer->usage.input_tokens, 10U);
  EXPECT_EQ(got.answer->usage.output_tokens, 33U);
}

TEST(AnthropicAnswer, SignedThinkingGoesBackAsItCame) {
  const auto got = read_anthropic(thinking_stream());
  ASSERT_TRUE(got.answer);
  Request request;
  request.messages.push_back({Role::User, "q", {}, {}, false, {}});
  request.messages.push_back(
      {Role::Assistant, got.answer->text, got.answer->calls, {}, false, got.answer->opaque});
  request.messages.push_back({Role::Tool, "r", {}, "t", false, {}});
  const std::string thinking =
      R"([{"type":"thinking","thinking":"hm","signature":"S1"},{"type":"redacted_thinking",)"
      R"("data":"xx"},)";
  EXPECT_THAT(anthropic_wire().body(request, {"m", true, false}),
              HasSubstr(thinking + R"({"type":"text","text":"Hé"},{"type":"tool_use","id":"t",)"
                                   R"("name":"f","input":{"a":1}}])"));
  // Changed since: what was thought stays in front of it.
  request.messages[1].text = "Other";
  EXPECT_THAT(anthropic_wire().body(request, {"m", true, false}),
              HasSubstr(thinking + R"({"type":"text","text":"Other"},)"));
  // Not a matter of other providers.
  request.messages[1].opaque[0].kind = "responses";
  EXPECT_THAT(anthropic_wire().body(request, {"m", true, false}), Not(HasSubstr("S1")));
}

TEST(AnthropicAnswer, StopsAreToldApart) {
  const auto stop_of = [](const std::string& reason) {
    const auto got = read_anthropic(R"({"content":[{"type":"text","text":"a"}],"stop_reason":")" +
                                    reason + R"("})");
    return got.answer ? got.answer->stop : Stop::ToolCalls;
  };
  EXPECT_EQ(stop_of("end_turn"), Stop::EndTurn);
  EXPECT_EQ(stop_of("stop_sequence"), Stop::EndTurn);
  EXPECT_EQ(stop_of("max_tokens"), Stop::OutputCap);
  EXPECT_EQ(stop_of("refusal"), Stop::Refusal);
  EXPECT_EQ(stop_of("pause_turn"), Stop::Other);
}

TEST(AnthropicAnswer, ErrorsInsideAStreamAreErrors) {
  const auto got = read_anthropic(
      "event: message_start\ndata: {\"type\":\"message_start\"}\n\nevent: error\ndata: "
      R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})"
      "\n\n");
  ASSERT_FALSE(got.answer);
  EXPECT_EQ(got.answer.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(got.answer.error().message, HasSubstr("Overloaded (overloaded_error)"));
}

TEST(AnthropicAnswer, WhatEndsInTheMiddleIsNoAnswer) {
  for (const std::string& body :
       {events({R"({"type":"content_block_start","index":0,"content_block":{"type":"text",)"
                R"("text":"a"}})"}),
        std::string(R"({"type":"message"})"), std::string("[]"), std::string("{}")}) {
    const auto got = read_anthropic(body);
    ASSERT_FALSE(got.answer) << body;
    EXPECT_EQ(got.answer.error().code, ErrorCode::Unavailable) << body;
  }
}

TEST(AnthropicAnswer, BrokenArgumentsAreKeptAsWritten) {
  const auto got = read_anthropic(events(
      {R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"f"}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta",)"
       R"("partial_json":"{\"a\""}})",
       R"({"type":"message_delta","delta":{"stop_reason":"max_tokens"}})"}));
  ASSERT_TRUE(got.answer) << got.answer.error().to_string();
  ASSERT_EQ(got.answer->calls.size(), 1U);
  EXPECT_TRUE(got.answer->calls[0].arguments.is_null());
  EXPECT_EQ(got.answer->calls[0].written, R"({"a")");
  EXPECT_EQ(got.answer->stop, Stop::OutputCap);
  EXPECT_FALSE(got.has_usage);
}

}  // namespace
}  // namespace helve::llm
