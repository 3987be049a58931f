#include "agent/llm/answer_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/redaction.h"

namespace helve::llm {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ServerWords, AKeyThatIsCutInTwoIsNotShown) {
  const std::string key = "key-0f9e8d7c6b5a4938-of-words";
  register_secret(key);
  // Wherever it stands: blanks run together, so that even what is far behind may be shown.
  for (std::size_t blanks = 4'700; blanks < 17'200; blanks += 7) {
    const std::string words = server_words("so: " + std::string(blanks, ' ') + key);
    EXPECT_THAT(words, Not(HasSubstr("key-0"))) << blanks;
    EXPECT_THAT(words, HasSubstr("so:"));
  }
}

TEST(ServerWords, LongWordsAreCutAndHarmless) {
  EXPECT_EQ(server_words(" a\r\n\tb "), "a b");
  EXPECT_LT(server_words(std::string(1'000'000, 'x')).size(), 310U);
  EXPECT_THAT(server_words(std::string(290, 'x') + "ü" + std::string(100'000, 'y')),
              HasSubstr("xü"));
}

TEST(ServerError, AnEmptyAccountIsALimitWhateverItIsCalled) {
  const Error credit =
      server_error("invalid_request_error", "Your credit balance is too low to use this model.");
  EXPECT_EQ(credit.code, ErrorCode::LimitExceeded);
  EXPECT_THAT(credit.hint, HasSubstr("bills"));
  EXPECT_EQ(server_error("insufficient_quota", "no").code, ErrorCode::LimitExceeded);
  // Those who are in a hurry are told of bills too.
  EXPECT_EQ(server_error("rate_limit_error", "pay at /billing to go faster").code,
            ErrorCode::Unavailable);
  EXPECT_EQ(server_error("insufficient_permissions", "no").code, ErrorCode::Denied);
  EXPECT_EQ(server_error("invalid_request_error", "a credit card number").code,
            ErrorCode::InvalidInput);
}

TEST(StatusCodes, HaveOneTable) {
  EXPECT_EQ(code_of_status(0), ErrorCode::Unavailable);
  EXPECT_EQ(code_of_status(302), ErrorCode::InvalidInput);
  EXPECT_EQ(code_of_status(402), ErrorCode::LimitExceeded);
  EXPECT_EQ(code_of_status(407), ErrorCode::Denied);
  EXPECT_EQ(code_of_status(409), ErrorCode::Unavailable);
  EXPECT_EQ(code_of_status(422), ErrorCode::InvalidInput);
  EXPECT_EQ(code_of_status(529), ErrorCode::Unavailable);
}

TEST(RedactAnswer, TakesKnownSecretsOutOfEverything) {
  const std::string key = "key-5544332211-of-answers";
  register_secret(key);
  Answer answer;
  answer.text = "it is " + key;
  answer.reasoning = key + "!";
  answer.model = "m/" + key;
  answer.calls = {make_call("id", "f", R"({"q":")" + key + R"("})"),
                  // The same, hidden by an escape.
                  make_call("id2", "g", R"({"q":"\u006b)" + key.substr(1) + R"("})"),
                  make_call("id3", "h", "{broken " + key), make_call("id4", "i", R"({"q": 1})")};
  answer.opaque = {{"a", JsonValue("signed")}, {"b", JsonValue("signed " + key)}};
  redact_answer(answer);
  ASSERT_EQ(answer.opaque.size(), 1U);
  EXPECT_EQ(answer.opaque[0].kind, "a");
  std::string all = answer.text + answer.reasoning + answer.model;
  for (const ToolUse& call : answer.calls) all += call.written + to_json(call.arguments);
  EXPECT_THAT(all, Not(HasSubstr("5544332211")));
  EXPECT_EQ(answer.text, "it is [secret]");
  EXPECT_EQ(to_json(answer.calls[1].arguments), R"({"q":"[secret]"})");
  EXPECT_EQ(answer.calls[2].written, "{broken [secret]");
  EXPECT_EQ(answer.calls[3].written, R"({"q": 1})");  // as it came
}

TEST(Characters, MayBeCutAnywhere) {
  const std::string_view text = "Grüße 🌍";
  for (std::size_t at = 0; at <= text.size(); ++at) {
    EXPECT_EQ(characters(text.substr(0, at)) + characters(text.substr(at)), 7U);
  }
}

}  // namespace
}  // namespace helve::llm
