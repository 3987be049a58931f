#include "agent/llm/answer_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/llm/answer_parts.h"
#include "agent/llm/chat.h"
#include "agent/llm/wire_testing.h"

namespace helve::llm {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Whatever the pieces are cut into.
void expect_error(std::string_view body, ErrorCode code,
                  const ::testing::Matcher<std::string>& words) {
  for (const std::size_t piece : {1, 3, 1000}) {
    const auto got = read_body(chat_wire(), body, piece);
    ASSERT_FALSE(got.answer) << body;
    EXPECT_EQ(got.answer.error().code, code) << body;
    EXPECT_THAT(got.answer.error().message, words) << body;
    EXPECT_FALSE(got.answer.error().hint.empty()) << body;
  }
}

TEST(AnswerBody, PlainWordsAreNoEvents) {
  for (const char* words :
       {"error: upstream model not loaded", "internal error", "data", "database", "retrying",
        "event", "d", "event horizon: none", "identity: unknown"}) {
    expect_error(words, ErrorCode::Unavailable,
                 AllOf(HasSubstr("other text came instead"), HasSubstr(words)));
  }
}

TEST(AnswerBody, WhatOnlyBeginsLikeEventsIsToldByItsText) {
  for (const char* words : {"id: 5 is not loaded", ": no worker is free", "retry: 100 s"}) {
    expect_error(
        words, ErrorCode::Unavailable,
        AllOf(HasSubstr("without an event"), HasSubstr(words), Not(HasSubstr("in the middle"))));
  }
}

TEST(AnswerBody, FieldsAreEventsByTheirWholeNames) {
  const std::string whole = R"({"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]})";
  for (const std::string& before :
       {std::string("data:"), std::string("event: x\ndata: "), std::string("event\ndata: "),
        std::string("id\r\ndata: "), std::string(": a comment\n\ndata: "),
        std::string("\xEF\xBB\xBF\ndata: "), std::string("retry: 3\rdata: ")}) {
    for (const std::size_t piece : {1, 4, 1000}) {
      const auto got = read_body(chat_wire(), before + whole + "\n\n", piece);
      ASSERT_TRUE(got.answer) << before << got.answer.error().to_string();
      EXPECT_EQ(got.answer->text, "hi");
    }
  }
}

TEST(AnswerBody, JsonThatIsNestedTooDeepIsALimit) {
  const std::string deep = std::string(5'000, '[') + std::string(5'000, ']');
  expect_error(deep, ErrorCode::LimitExceeded, HasSubstr("nested"));
  expect_error("data: " + deep + "\n\n", ErrorCode::LimitExceeded, HasSubstr("nested"));
}

TEST(AnswerBody, TheLimitHasTheHintOfWhoSetIt) {
  Pieces pieces(nullptr);
  const auto reader = chat_wire().reader(pieces);
  AnswerBody body(*reader, {10, "raise it"});
  EXPECT_TRUE(body.add("0123456789"));
  const auto more = body.add("x");
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::LimitExceeded);
  EXPECT_EQ(more.error().hint, "raise it");
}

}  // namespace
}  // namespace helve::llm
