#include "agent/llm/responses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/llm/answer_parts.h"
#include "agent/llm/wire_testing.h"

namespace helve::llm {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ReadAnswer read_response(std::string_view body) { return read_body(responses_wire(), body); }

constexpr std::string_view kReasoned =
    R"({"id":"r","status":"completed","model":"o","output":[{"type":"reasoning","id":"rs_1",)"
    R"("summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"XX"},{"type":)"
    R"("function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{\"a\":1}"},{"type":)"
    R"("message","role":"assistant","content":[{"type":"output_text","text":"ok"}]}],"usage":{)"
    R"("input_tokens":50,"input_tokens_details":{"cached_tokens":40},"output_tokens":6}})";

TEST(ResponsesRequest, HasTheConversationAsItems) {
  EXPECT_EQ(
      responses_wire().body(whole_request(), {"gpt-5", true, true}),
      R"({"model":"gpt-5","stream":true,"store":false,"include":["reasoning.encrypted_content"],)"
      R"("max_output_tokens":4096,"tools":[{"type":"function","name":"find","description":)"
      R"("Finds things.","parameters":{"type":"object","properties":{"q":{"type":"string"}}},)"
      R"("strict":false}],"instructions":"Be brief.","input":[{"type":"message","role":"user",)"
      R"("content":[{"type":"input_text","text":"Where?"}]},{"type":"message","role":"assistant",)"
      R"("content":[{"type":"output_text","text":"I look."}]},{"type":"function_call","call_id":)"
      R"("a1","name":"find","arguments":"{\"q\": \"x\"}"},{"type":"function_call","call_id":"a2",)"
      R"("name":"find","arguments":"{\"not_an_object\":\"{broken\"}"},{"type":)"
      R"("function_call_output","call_id":"a1","output":"found x"},{"type":"function_call_output",)"
      R"("call_id":"a2","output":"no JSON"},{"type":"message","role":"user","content":[{"type":)"
      R"("input_text","text":"Go on."}]}]})");
}

TEST(ResponsesRequest, ALongerConversationBeginsWithTheBytesOfAShorterOne) {
  const std::string whole = responses_wire().body(whole_request(), {"m", true, false});
  for (std::size_t count = 0; count < 5; ++count) {
    std::string part =
        responses_wire().body(first_messages(whole_request(), count), {"m", true, false});
    part.resize(part.size() - 2);
    EXPECT_TRUE(whole.starts_with(part)) << part;
  }
}

TEST(ResponsesRequest, EncryptedReasoningIsAskedOfThoseWhoReason) {
  for (const char* name : {"o3-mini", "gpt-5.1", "openai/gpt-oss-20b", "codex-mini-latest"}) {
    EXPECT_THAT(responses_wire().body({}, {name, true, false}), HasSubstr("encrypted")) << name;
  }
  for (const char* name : {"gpt-4o", "gpt-4.1-mini", "qwen3", "olmo"}) {
    EXPECT_THAT(responses_wire().body({}, {name, true, false}), Not(HasSubstr("encrypted")))
        << name;
  }
}

TEST(ResponsesAnswer, IsReadWhole) {
  const auto got = read_response(kReasoned);
  ASSERT_TRUE(got.answer) << got.answer.error().to_string();
  EXPECT_EQ(got.answer->text, "ok");
  EXPECT_EQ(got.answer->reasoning, "hm");
  ASSERT_EQ(got.answer->calls.size(), 1U);
  EXPECT_EQ(got.answer->calls[0].id, "c1");
  EXPECT_EQ(got.answer->stop, Stop::ToolCalls);
  EXPECT_EQ(got.answer->usage.input_tokens, 50U);
  EXPECT_EQ(got.answer->usage.cached_tokens, 40U);
  ASSERT_EQ(got.answer->opaque.size(), 1U);
}

TEST(ResponsesAnswer, EncryptedReasoningGoesBackAsItCame) {
  const auto got = read_response(kReasoned);
  ASSERT_TRUE(got.answer);
  Request request;
  request.messages.push_back(
      {Role::Assistant, got.answer->text, got.answer->calls, {}, false, got.answer->opaque});
  EXPECT_THAT(responses_wire().body(request, {"o3", true, false}),
              HasSubstr(R"("input":[{"type":"reasoning","id":"rs_1","summary":[{"type":)"
                        R"("summary_text","text":"hm"}],"encrypted_content":"XX"},{"type":)"
                        R"("function_call","id":"fc_1",)"));
  request.messages[0].calls.clear();  // no longer what came: reasoning would belong to nothing
  EXPECT_THAT(responses_wire().body(request, {"o3", true, false}), Not(HasSubstr("XX")));
}

TEST(ResponsesAnswer, ReasoningWithoutItsContentIsNotKept) {
  const auto got = read_response(
      R"({"status":"completed","output":[{"type":"reasoning","id":"rs","summary":[]},{"type":)"
      R"("message","content":[{"type":"output_text","text":"ok"}]}]})");
  ASSERT_TRUE(got.answer);
  EXPECT_TRUE(got.answer->opaque.empty());
}

TEST(ResponsesAnswer, IsReadFromAStream) {
  const auto got = read_response(events(
      {R"({"type":"response.created","response":{"status":"in_progress","output":[]}})",
       R"({"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"hm"})",
       R"({"type":"response.output_text.delta","output_index":2,"delta":"o"})",
       R"({"type":"response.output_text.delta","output_index":2,"delta":"k"})",
       std::string(R"({"type":"response.completed","response":)") + std::string(kReasoned) + "}"}));
  ASSERT_TRUE(got.answer) << got.answer.error().to_string();
  EXPECT_EQ(got.text, "ok");
  EXPECT_EQ(got.reasoning, "hm");
  EXPECT_EQ(got.answer->text, "ok");
  EXPECT_EQ(got.answer->calls.size(), 1U);
}

TEST(ResponsesAnswer, AnEmptyEndLeavesWhatCameBefore) {
  const auto got = read_response(events(
      {R"({"type":"response.output_item.added","output_index":1,"item":{"type":"function_call",)"
       R"("call_id":"x","name":"f","arguments":""}})",
       R"({"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"a\":"})",
       R"({"type":"response.function_call_arguments.delta","output_index":1,"delta":"1}"})",
       R"({"type":"response.output_item.added","output_index":2,"item":{"type":"function_call",)"
       R"("name":"g"}})",
       R"({"type":"response.output_item.done","output_index":2,"item":{"type":"function_call",)"
       R"("name":"g","arguments":{"b":2}}})",
       R"({"type":"response.output_text.delta","delta":"hi"})",
       R"({"type":"response.completed","response":{"status":"completed","output":[]}})"}));
  ASSERT_TRUE(got.answer) << got.answer.error().to_string();
  ASSERT_EQ(got.answer->calls.size(), 2U);
  EXPECT_EQ(to_json(got.answer->calls[0].arguments), R"({"a":1})");
  EXPECT_EQ(to_json(got.answer->calls[1].arguments), R"({"b":2})");
  EXPECT_EQ(got.answer->text, "hi");
  EXPECT_FALSE(got.has_usage);
}

// Names and arguments of the calls.
std::string calls_of(const ReadAnswer& got) {
  if (!got.answer) return got.answer.error().to_string();
  std::string calls;
  for (const ToolUse& call : got.answer->calls) calls += call.name + to_json(call.arguments) + " ";
  return calls;
}

constexpr const char* kEmptyEnd =
    R"({"type":"response.completed","response":{"status":"completed","output":[]}})";

TEST(ResponsesAnswer, TheEndIsMergedWithWhatCame) {
  const std::string came =
      events({R"({"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning",)"
              R"("id":"rs"}})",
              R"({"type":"response.output_item.added","output_index":1,"item":{"type":)"
              R"("function_call","id":"fc_a","call_id":"c1","name":"find","arguments":""}})",
              R"({"type":"response.function_call_arguments.delta","output_index":1,"delta":)"
              R"("{\"p\":\"Mars\"}"})"});
  // By a name, or by its type where every event has another id.
  for (const char* id :
       {R"("id":"fc_a",)", R"("id":"fc_b","call_id":"c1",)", R"("id":"fc_b",)", ""}) {
    const auto got = read_response(
        came + events({std::string(R"({"type":"response.completed","response":{"status":)") +
                       R"("completed","output":[{"type":"function_call",)" + id +
                       R"("name":"find","arguments":""}]}})"}));
    EXPECT_EQ(calls_of(got), R"(find{"p":"Mars"} )") << id;
  }
  // What the end has in full counts.
  const auto whole =
      read_response(came + events({R"({"type":"response.completed","response":{"output":[)"
                                   R"({"type":"function_call","call_id":"c1","name":"find",)"
                                   R"("arguments":"{\"p\":1}"}]}})"}));
  EXPECT_EQ(calls_of(whole), R"(find{"p":1} )");
}

TEST(ResponsesAnswer, WhatTheEndLeavesOutIsNotLost) {
  const auto got = read_response(events(
      {R"({"type":"response.output_item.done","output_index":1,"item":{"type":"function_call",)"
       R"("id":"b","call_id":"c2","name":"g","arguments":"{}"}})",
       R"({"type":"response.output_item.done","output_index":0,"item":{"type":"function_call",)"
       R"("id":"a","call_id":"c1","name":"f","arguments":"{}"}})",
       R"({"type":"response.output_item.added","output_index":2,"item":{"type":"function_call",)"
       R"("id":"c","call_id":"c3","name":"unfinished"}})",
       R"({"type":"response.completed","response":{"output":[{"type":"function_call","id":"a",)"
       R"("call_id":"c1","name":"f","arguments":"{}"}]}})"}));
  EXPECT_EQ(calls_of(got), "f{} g{} ");
}

TEST(ResponsesAnswer, ItemsWithoutAPlaceAreToldApartByTheirIds) {
  EXPECT_EQ(
      calls_of(read_response(events(
          {R"({"type":"response.output_item.done","item":{"type":"function_call","id":"a","name":"f",)"
           R"("arguments":"{\"n\":1}"}})",
           R"({"type":"response.output_item.done","item":{"type":"function_call","id":"b","name":"g",)"
           R"("arguments":"{\"n\":2}"}})",
           kEmptyEnd}))),
      R"(f{"n":1} g{"n":2} )");
  // Deltas by item_id.
  EXPECT_EQ(
      calls_of(read_response(events(
          {R"({"type":"response.output_item.added","item":{"type":"function_call","id":"a","name":"f"}})",
           R"({"type":"response.output_item.added","item":{"type":"function_call","id":"b","name":"g"}})",
           R"({"type":"response.function_call_arguments.delta","item_id":"a","delta":"{\"n\":1}"})",
           R"({"type":"response.function_call_arguments.delta","item_id":"b","delta":"{\"n\":2}"})",
           kEmptyEnd}))),
      R"(f{"n":1} g{"n":2} )");
  // Nothing but their order.
  EXPECT_EQ(
      calls_of(read_response(events(
          {R"({"type":"response.output_item.added","item":{"type":"function_call","name":"f"}})",
           R"({"type":"response.function_call_arguments.delta","delta":"{\"n\":1}"})",
           R"({"type":"response.output_item.done","item":{"type":"function_call","name":"f"}})",
           R"({"type":"response.output_item.done","item":{"type":"function_call","name":"g",)"
           R"("arguments":"{\"n\":2}"}})",
           kEmptyEnd}))),
      R"(f{"n":1} g{"n":2} )");
}

TEST(ResponsesAnswer, TooManyItemsAreAnErrorWhereverTheyStand) {
  const std::string call = R"({"type":"function_call","name":"f","arguments":"{}"})";
  const auto body_with = [&](std::size_t count, const std::string& item) {
    std::string items;
    for (std::size_t i = 0; i < count; ++i) items += (i > 0 ? "," : "") + item;
    return R"({"status":"completed","output":[)" + items + "]}";
  };
  std::string came;
  for (int i = 0; i < 300; ++i) {
    came += R"(data: {"type":"response.output_item.done","output_index":)" + std::to_string(i) +
            R"(,"item":)" + call + "}\n\n";
  }
  for (const std::string& body : {came + events({kEmptyEnd}), body_with(kCallsMax + 1, call),
                                  body_with(20'000, R"({"type":"message"})")}) {
    const auto got = read_response(body);
    ASSERT_FALSE(got.answer);
    EXPECT_EQ(got.answer.error().code, ErrorCode::LimitExceeded);
    EXPECT_FALSE(got.answer.error().hint.empty());
  }
  const auto fits = read_response(body_with(kCallsMax, call));
  ASSERT_TRUE(fits.answer);
  EXPECT_EQ(fits.answer->calls.size(), kCallsMax);
}

TEST(ResponsesAnswer, StopsAreToldApart) {
  const auto capped = read_response(
      R"({"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]})");
  ASSERT_TRUE(capped.answer);
  EXPECT_EQ(capped.answer->stop, Stop::OutputCap);
  const auto refused = read_response(
      R"({"status":"completed","output":[{"type":"message","content":[{"type":"refusal",)"
      R"("refusal":"I do not"}]}]})");
  ASSERT_TRUE(refused.answer);
  EXPECT_EQ(refused.answer->stop, Stop::Refusal);
  EXPECT_EQ(refused.answer->text, "I do not");
  const auto other = read_response(R"({"status":"cancelled","output":[]})");
  ASSERT_TRUE(other.answer);
  EXPECT_EQ(other.answer->stop, Stop::Other);
}

TEST(ResponsesAnswer, ErrorsInsideAreErrors) {
  const auto failed = read_response(
      events({R"({"type":"response.failed","response":{"status":"failed","error":{"code":)"
              R"("rate_limit_exceeded","message":"slow down"},"output":[]}})"}));
  ASSERT_FALSE(failed.answer);
  EXPECT_EQ(failed.answer.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(failed.answer.error().message, HasSubstr("slow down"));
  const auto event =
      read_response(events({R"({"type":"error","code":"invalid_prompt","message":"no"})"}));
  ASSERT_FALSE(event.answer);
  EXPECT_EQ(event.answer.error().code, ErrorCode::InvalidInput);
  const auto null = read_response(R"({"status":"completed","error":null,"output":[]})");
  EXPECT_TRUE(null.answer);
}

TEST(ResponsesAnswer, WhatEndsInTheMiddleIsNoAnswer) {
  for (const std::string& body :
       {events({R"({"type":"response.output_text.delta","delta":"a"})", "[DONE]"}),
        events({R"({"type":"response.completed"})"}), std::string("{}"),
        std::string(R"({"status":"completed"})")}) {
    const auto got = read_response(body);
    ASSERT_FALSE(got.answer) << body;
    EXPECT_EQ(got.answer.error().code, ErrorCode::Unavailable) << body;
  }
}

}  // namespace
}  // namespace helve::llm
