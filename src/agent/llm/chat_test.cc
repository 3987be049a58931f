#include "agent/llm/chat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/llm/answer_parts.h"
#include "agent/llm/wire_testing.h"

namespace helve::llm {
namespace {

using ::testing::HasSubstr;

ReadAnswer read_chat(std::string_view body) { return read_body(chat_wire(), body); }

TEST(ChatRequest, HasTheConversationInItsOrder) {
  EXPECT_EQ(
      chat_wire().body(whole_request(), {"m", false, true}),
      R"({"model":"m","stream":true,"stream_options":{"include_usage":true},"max_tokens":4096,)"
      R"("tools":[{"type":"function","function":{"name":"find","description":"Finds things.",)"
      R"("parameters":{"type":"object","properties":{"q":{"type":"string"}}}}}],)"
      R"("messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Where?"},)"
      R"({"role":"assistant","content":"I look.","tool_calls":[{"id":"a1","type":"function",)"
      R"("function":{"name":"find","arguments":"{\"q\": \"x\"}"}},{"id":"a2","type":"function",)"
      R"("function":{"name":"find","arguments":"{\"not_an_object\":\"{broken\"}"}}]},)"
      R"({"role":"tool","tool_call_id":"a1","content":"found x"},)"
      R"({"role":"tool","tool_call_id":"a2","content":"no JSON"},)"
      R"({"role":"user","content":"Go on."}]})");
}

TEST(ChatRequest, ALongerConversationBeginsWithTheBytesOfAShorterOne) {
  const std::string whole = chat_wire().body(whole_request(), {"m", false, false});
  for (std::size_t count = 0; count < 5; ++count) {
    std::string part =
        chat_wire().body(first_messages(whole_request(), count), {"m", false, false});
    part.resize(part.size() - 2);  // "]}"
    EXPECT_TRUE(whole.starts_with(part)) << part;
  }
}

TEST(ChatRequest, TheOwnServiceHasAnotherNameForTheCap) {
  Request request;
  request.temperature = 0.5;
  EXPECT_EQ(chat_wire().body(request, {"m", true, false}),
            R"({"model":"m","stream":false,"max_completion_tokens":4096,"temperature":0.5,)"
            R"("messages":[]})");
}

TEST(ChatRequest, ACallWithoutTextHasNoContent) {
  Request request;
  Message message{Role::Assistant, "", {}, {}, false, {}};
  message.calls.push_back(make_call("1", "f", ""));
  request.messages.push_back(message);
  EXPECT_THAT(chat_wire().body(request, {"m", false, false}),
              HasSubstr(R"("content":null,"tool_calls":[{"id":"1","type":"function","function":)"
                        R"({"name":"f","arguments":"{}"}}])"));
}

TEST(ChatAnswer, IsReadWhole) {
  const auto got = read_chat(
      R"({"model":"m-1","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":)"
      R"("assistant","content":null,"reasoning_content":"hm","tool_calls":[{"id":"c1","type":)"
      R"("function","function":{"name":"f","arguments":"{\"a\":1}"}},{"function":{"name":"g",)"
      R"("arguments":{"b":2}}}]}}],"usage":{"prompt_tokens":100,"completion_tokens":7,)"
      R"("prompt_tokens_details":{"cached_tokens":60}}})");
  ASSERT_TRUE(got.answer) << got.answer.error().to_string();
  EXPECT_EQ(got.answer->model, "m-1");
  EXPECT_EQ(got.answer->stop, Stop::ToolCalls);
  EXPECT_EQ(got.answer->reasoning, "hm");
  ASSERT_EQ(got.answer->calls.size(), 2U);
  EXPECT_EQ(got.answer->calls[0].written, R"({"a":1})");
  EXPECT_EQ(to_json(got.answer->calls[1].arguments), R"({"b":2})");
  EXPECT_EQ(got.answer->calls[1].id, "");  // named by who has the conversation
  EXPECT_EQ(got.answer->usage.input_tokens, 100U);
  EXPECT_EQ(got.answer->usage.cached_tokens, 60U);
  EXPECT_EQ(got.answer->usage.output_tokens, 7U);
}

TEST(ChatAnswer, IsReadFromAStream) {
  const auto got =
      read_chat(events({R"({"model":"m","choices":[{"delta":{"role":"assistant","content":""}}]})",
                        R"({"choices":null})", R"({"choices":[{"delta":{"reasoning":"th"}}]})",
                        R"({"choices":[{"delta":{"content":"Grü"}}]})",
                        R"({"choices":[{"delta":{"content":"ße"},"finish_reason":null}]})",
                        R"({"choices":[{"delta":{},"finish_reason":"stop"}]})",
                        R"({"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}})",
                        "[DONE]", "what is behind the end"}));
  ASSERT_TRUE(got.answer) << got.answer.error().to_string();
  EXPECT_EQ(got.answer->text, "Grüße");
  EXPECT_EQ(got.text, "Grüße");
  EXPECT_EQ(got.reasoning, "th");
  EXPECT_EQ(got.answer->stop, Stop::EndTurn);
  EXPECT_TRUE(got.has_usage);
  EXPECT_EQ(got.answer->usage.input_tokens, 3U);
}

TEST(ChatAnswer, CallsComeInDeltasByIndex) {
  const auto got = read_chat(events(
      {R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"f",)"
       R"("arguments":""}}]}}]})",
       R"({"choices":[{"delta":{"tool_calls":[{"index":1,"id":"y","function":{"name":"g",)"
       R"("arguments":"{\"b\""}},{"index":0,"function":{"name":"f","arguments":"{\"a\":"}}]}}]})",
       R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}},)"
       R"({"index":1,"function":{"arguments":":2}"}}]},"finish_reason":"stop"}]})",
       "[DONE]"}));
  ASSERT_TRUE(got.answer) << got.answer.error().to_string();
  ASSERT_EQ(got.answer->calls.size(), 2U);
  EXPECT_EQ(got.answer->calls[0].name, "f");
  EXPECT_EQ(to_json(got.answer->calls[0].arguments), R"({"a":1})");
  EXPECT_EQ(got.answer->calls[1].id, "y");
  EXPECT_EQ(to_json(got.answer->calls[1].arguments), R"({"b":2})");
  EXPECT_EQ(got.answer->stop, Stop::ToolCalls);
}

TEST(ChatAnswer, CallsWithoutIndexOrWithTheSameAreToldApartByTheirIds) {
  const auto got = read_chat(events(
      {R"({"choices":[{"delta":{"tool_calls":[{"id":"x","function":{"name":"f","arguments":"{}"}},)"
       R"({"id":"y","function":{"name":"g","arguments":{"a":1}}}]}}]})",
       R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"p","function":{"name":"h"}}]}}]})",
       R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"q","function":{"name":"h"}}]},)"
       R"("finish_reason":"tool_calls"}]})"}));
  ASSERT_TRUE(got.answer) << got.answer.error().to_string();
  std::string calls;
  for (const ToolUse& call : got.answer->calls) {
    calls += call.id + call.name + to_json(call.arguments) + " ";
  }
  EXPECT_EQ(calls, R"(xf{} yg{"a":1} ph{} qh{} )");
}

// Names and arguments of the calls that these deltas make.
std::string calls_of_deltas(std::initializer_list<std::string_view> deltas) {
  std::string body;
  for (const std::string_view delta : deltas) {
    body += "data: {\"choices\":[{\"delta\":{\"tool_calls\":[" + std::string(delta) + "]}}]}\n\n";
  }
  const auto got = read_chat(body + "data: [DONE]\n\n");
  if (!got.answer) return got.answer.error().to_string();
  std::string calls;
  for (const ToolUse& call : got.answer->calls) {
    calls += call.name + to_json(call.arguments) + " ";
  }
  return calls;
}

TEST(ChatAnswer, WholeCallsWithOneIndexAndNoIdsAreSeveral) {
  EXPECT_EQ(
      calls_of_deltas({R"({"index":0,"function":{"name":"find","arguments":"{\"p\":\"}Mars\"}"}})",
                       R"({"index":0,"function":{"name":"schema","arguments":"{}"}})"}),
      R"(find{"p":"}Mars"} schema{} )");
  EXPECT_EQ(calls_of_deltas({R"({"index":0,"function":{"name":"f","arguments":"{\"a\":1}"}})",
                             R"({"index":0,"function":{"name":"f","arguments":"{\"a\":2}"}})",
                             R"({"index":0,"function":{"name":"f","arguments":"{\"a\""}})",
                             R"({"index":0,"function":{"arguments":":3}"}})"}),
            R"(f{"a":1} f{"a":2} f{"a":3} )");
  EXPECT_EQ(calls_of_deltas({R"({"index":0,"function":{"name":"f","arguments":{}}})",
                             R"({"index":0,"function":{"name":"f","arguments":{}}})",
                             R"({"index":0,"function":{"name":"g","arguments":{"b":1}}})"}),
            R"(f{} f{} g{"b":1} )");
}

TEST(ChatAnswer, ANameThatIsRepeatedBeginsNoCall) {
  EXPECT_EQ(calls_of_deltas({R"({"index":0,"function":{"name":"f","arguments":"{\"a\":{}"}})",
                             R"({"index":0,"function":{"name":"f","arguments":",\"b\":1}"}})",
                             R"({"index":0,"function":{"name":"f","arguments":""}})",
                             R"({"index":0,"function":{"name":"f","arguments":"\n"}})"}),
            R"(f{"a":{},"b":1} )");
}

TEST(ChatAnswer, AnEmptyObjectIsNothingWritten) {
  for (const char* empty : {"{}", R"("{}")"}) {
    const std::string first =
        R"({"index":0,"id":"x","function":{"name":"f","arguments":)" + std::string(empty) + "}}";
    EXPECT_EQ(calls_of_deltas({first, R"({"index":0,"function":{"arguments":"{\"a\""}})",
                               R"({"index":0,"function":{"name":"f","arguments":":1}"}})"}),
              R"(f{"a":1} )");
    EXPECT_EQ(calls_of_deltas({first, R"({"index":0,"function":{"arguments":""}})"}), "f{} ");
  }
}

TEST(ChatAnswer, UsageIsNotLostToALaterOneThatSaysNothing) {
  for (const char* later : {R"({"choices":[],"usage":{}})", R"({"choices":null,"usage":null})",
                            R"({"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0}})",
                            R"({"choices":[],"usage":{"prompt_tokens":1,"total_tokens":1}})"}) {
    const auto got =
        read_chat(events({R"({"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]})",
                          R"({"choices":null,"usage":{"prompt_tokens":1000,"completion_tokens":7,)"
                          R"("prompt_tokens_details":{"cached_tokens":600}}})",
                          later, "[DONE]"}));
    ASSERT_TRUE(got.answer) << got.answer.error().to_string();
    EXPECT_TRUE(got.has_usage) << later;
    EXPECT_EQ(got.answer->usage.input_tokens, 1000U) << later;
    EXPECT_EQ(got.answer->usage.cached_tokens, 600U) << later;
    EXPECT_EQ(got.answer->usage.output_tokens, 7U) << later;
  }
}

TEST(ChatAnswer, BrokenArgumentsAreKeptAsWritten) {
  for (const char* written : {R"({\"a\":)", "[1]", R"(\"text\")", R"({\"a\":1,\"a\":2})"}) {
    const auto got = read_chat(
        std::string(R"({"choices":[{"message":{"tool_calls":[{"id":"x","function":{"name":"f",)") +
        R"("arguments":")" + written + R"("}}]}}]})");
    ASSERT_TRUE(got.answer) << got.answer.error().to_string();
    EXPECT_TRUE(got.answer->calls[0].arguments.is_null()) << written;
    EXPECT_FALSE(got.answer->calls[0].written.empty());
  }
}

TEST(ChatAnswer, StopsAreToldApart) {
  const auto stop_of = [](std::string_view reason, std::string_view more) {
    const auto got =
        read_chat(std::string(R"({"choices":[{"message":{"content":"a")") + std::string(more) +
                  R"(},"finish_reason":")" + std::string(reason) + R"("}]})");
    return got.answer ? got.answer->stop : Stop::Other;
  };
  EXPECT_EQ(stop_of("stop", ""), Stop::EndTurn);
  EXPECT_EQ(stop_of("length", ""), Stop::OutputCap);
  EXPECT_EQ(stop_of("content_filter", ""), Stop::Refusal);
  EXPECT_EQ(stop_of("stop", R"(,"refusal":"I do not")"), Stop::Refusal);
  EXPECT_EQ(stop_of("stop", R"(,"tool_calls":[{"function":{"name":"f"}}])"), Stop::ToolCalls);
  EXPECT_EQ(stop_of("weather", ""), Stop::Other);
}

TEST(ChatAnswer, ContentMayBeInParts) {
  const auto got = read_chat(
      R"({"choices":[{"message":{"content":[{"type":"thinking","thinking":[{"type":"text",)"
      R"("text":"hm"}]},{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]})");
  ASSERT_TRUE(got.answer);
  EXPECT_EQ(got.answer->text, "ab");
  EXPECT_EQ(got.answer->reasoning, "hm");
}

TEST(ChatAnswer, ErrorsInsideAreErrors) {
  const auto overloaded =
      read_chat(events({R"({"choices":[{"delta":{"content":"a"}}]})",
                        R"({"error":{"message":"too busy","type":"overloaded_error"}})"}));
  ASSERT_FALSE(overloaded.answer);
  EXPECT_EQ(overloaded.answer.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(overloaded.answer.error().message, HasSubstr("too busy"));
  const auto named = read_chat("event: error\ndata: out of memory\n\n");
  ASSERT_FALSE(named.answer);
  EXPECT_THAT(named.answer.error().message, HasSubstr("out of memory"));
  const auto plain = read_chat(R"({"error":"model not loaded"})");
  ASSERT_FALSE(plain.answer);
  EXPECT_THAT(plain.answer.error().message, HasSubstr("model not loaded"));
  const auto numbered = read_chat(R"({"object":"error","message":"no such model","code":404})");
  ASSERT_FALSE(numbered.answer);
  EXPECT_EQ(numbered.answer.error().code, ErrorCode::InvalidInput);
}

TEST(ChatAnswer, WhatEndsInTheMiddleIsNoAnswer) {
  for (const std::string& body :
       {std::string(), events({R"({"choices":[{"delta":{"content":"a"}}]})"}), events({"[DONE]"}),
        std::string(R"({"choices":[{"message":{"content":"a)"), std::string(R"({"choices":[]})"),
        std::string(R"({"choices":null})"), std::string("<html>Welcome</html>"),
        events({"{not json"})}) {
    const auto got = read_chat(body);
    ASSERT_FALSE(got.answer) << body;
    EXPECT_EQ(got.answer.error().code, ErrorCode::Unavailable) << body;
  }
}

TEST(ChatAnswer, CallsAreBounded) {
  std::string calls;
  for (std::size_t i = 0; i <= kCallsMax; ++i) {
    calls += (i > 0 ? "," : "") + std::string(R"({"function":{"name":"f"}})");
  }
  const auto got = read_chat(R"({"choices":[{"message":{"tool_calls":[)" + calls + "]}}]}");
  ASSERT_FALSE(got.answer);
  EXPECT_EQ(got.answer.error().code, ErrorCode::LimitExceeded);
}

TEST(ChatAnswer, TypesThatAreNotExpectedArePassedOver) {
  const auto got = read_chat(events(
      {R"({"choices":[7,{"delta":{"content":3,"tool_calls":"x","reasoning":[]}}],"usage":"no",)"
       R"("model":4})",
       R"([1,2])", R"("text")", R"({"choices":[{"delta":{"tool_calls":[null,{"index":"a"}]}}]})",
       R"({"choices":[{"delta":null,"finish_reason":"stop"}]})"}));
  ASSERT_TRUE(got.answer) << got.answer.error().to_string();
  EXPECT_EQ(got.answer->text, "");
  EXPECT_FALSE(got.has_usage);
}

}  // namespace
}  // namespace helve::llm
