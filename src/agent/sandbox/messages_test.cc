#include "agent/sandbox/messages.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace helve::sandbox {
namespace {

Result<Request> request_of(std::string_view text) {
  HELVE_ASSIGN(GuestMessage message, read_message(text));
  return read_request(std::move(message));
}

TEST(Messages, ACallIsRead) {
  const auto request = request_of(R"({"op": "call", "name": "f", "arguments": {"a": 1}})");
  ASSERT_TRUE(request) << request.error().to_string();
  const auto& call = std::get<CallRequest>(*request);
  EXPECT_EQ(call.name, "f");
  EXPECT_EQ(to_json(call.arguments), R"({"a":1})");
}

TEST(Messages, WhatIsNoRequestIsRefused) {
  for (const char* text :
       {"", "[]", "{}", R"({"op": 1})", R"({"op": "call"})", R"({"op": "call", "arguments": []})",
        R"({"op": "submit", "value": 1})", R"({"op": "model"})",
        R"({"op": "model", "prompts": [1]})", R"({"op": "model", "prompts": "x"})", "\xff",
        R"({"op": "call", "op": "call"})"}) {
    EXPECT_FALSE(request_of(text)) << text;
  }
}

TEST(Messages, DeepAndManyAreRefused) {
  EXPECT_FALSE(read_message(std::string(100'000, '[')));
  std::string many = R"({"op": "call", "arguments": {"a": [0)";
  for (int i = 0; i < 1'000'000; ++i) many += ",0";
  const auto read = read_message(many + "]}}");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::LimitExceeded);
}

TEST(Messages, RowsAreNumberedFromZero) {
  const auto request = request_of(
      R"({"op": "rows", "key": "results_0", "offset": 5, "limit": 18446744073709551615})");
  ASSERT_TRUE(request);
  const auto& rows = std::get<RowsRequest>(*request);
  EXPECT_EQ(rows.offset, 5U);
  EXPECT_EQ(rows.limit, UINT64_MAX);
  for (const char* limit : {"-5", "1180591620717411303424", "1.5", "null", "\"1\""}) {
    EXPECT_FALSE(request_of(fmt::format(R"({{"op": "rows", "offset": 0, "limit": {}}})", limit)));
  }
}

TEST(Messages, AnAnswerHasItsNumber) {
  const auto message = read_message(R"({"op": "done", "id": 7})");
  ASSERT_TRUE(message);
  EXPECT_TRUE(message->is_answer("done", 7));
  EXPECT_FALSE(message->is_answer("done", 8));
  EXPECT_FALSE(message->is_answer("value", 7));
}

TEST(Messages, OfWhatIsDoneNothingIsLongerThanItMay) {
  const std::string huge(1'000'000, 'x');
  const auto message =
      read_message(R"({"op": "done", "value": ")" + huge + R"(", "value_type": ")" + huge +
                   R"(", "error": {"type": ")" + huge + R"(", "traceback": 5, "line": -3}})");
  ASSERT_TRUE(message);
  BlockResult block;
  read_done(message->body, block);
  EXPECT_EQ(block.value.size(), 64U << 10);
  EXPECT_EQ(block.value_type.size(), 1'000U);
  ASSERT_TRUE(block.error);
  EXPECT_EQ(block.error->type.size(), 1'000U);
  EXPECT_EQ(block.error->traceback, "");
  EXPECT_FALSE(block.error->line);
}

TEST(Messages, ViewsAreBounded) {
  std::string text = R"({"op": "views", "views": [)";
  for (int i = 0; i < 1'000; ++i) text += R"({"name": "a", "length": -1},)";
  const auto message = read_message(text + "5]}");
  ASSERT_TRUE(message);
  const auto views = read_views(message->body);
  EXPECT_EQ(views.size(), 200U);
  EXPECT_FALSE(views[0].length);
}

TEST(Messages, WhatIsSubmittedHasTheTypesThatWereAskedFor) {
  const std::vector<SubmitField> fields = {{"a", "int"}, {"b", "list"}};
  const auto check = [&](std::string_view text) {
    return check_submitted(*parse_json(text), fields).has_value();
  };
  EXPECT_TRUE(check(R"({"a": 1, "b": []})"));
  EXPECT_TRUE(check(R"({"a": 123456789012345678901234567890, "b": [1]})"));
  EXPECT_FALSE(check(R"({"a": 1.5, "b": []})"));
  EXPECT_FALSE(check(R"({"a": true, "b": []})"));
  EXPECT_FALSE(check(R"({"a": 1})"));
  EXPECT_FALSE(check(R"({"a": 1, "b": [], "c": 1})"));
  EXPECT_TRUE(check_submitted(*parse_json(R"({"x": null})"), {}));
}

}  // namespace
}  // namespace helve::sandbox
