#include "agent/llm/model_failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utc.h"

namespace helve::llm {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const WallTime kNow = *read_utc("2026-01-01T00:00:00Z");

ModelFailure of(int status, std::string_view body, HttpHeaders headers = {}) {
  return failure_of_status({status, std::move(headers), "https://m.test/v1"}, body, "m.test", kNow);
}

std::optional<Duration> wait_of(const HttpHeaders& headers) {
  return read_wait({429, headers, ""}, kNow);
}

TEST(RetryAfter, IsReadInEveryForm) {
  EXPECT_EQ(wait_of({{"retry-after-ms", "1500"}, {"retry-after", "9"}}), milliseconds(1'500));
  EXPECT_EQ(wait_of({{"retry-after", "0.25"}}), milliseconds(250));
  EXPECT_EQ(wait_of({{"retry-after", "0"}}), seconds(0));
  EXPECT_EQ(wait_of({{"retry-after", "Thu, 01 Jan 2026 00:00:07 GMT"}}), seconds(7));
  EXPECT_EQ(wait_of({{"retry-after", "Thursday, 01-Jan-26 00:00:07 GMT"}}), seconds(7));
  EXPECT_EQ(wait_of({{"retry-after", "Thu Jan  1 00:00:07 2026"}}), seconds(7));
  EXPECT_EQ(wait_of({{"retry-after", "Thu Jan  1 00:00:07 2015"}}), seconds(0));
  EXPECT_EQ(wait_of({{"retry-after", "9e99"}}), std::chrono::hours(24));
}

TEST(RetryAfter, SenselessOnesAreAsAbsent) {
  for (const char* text : {"", "-5", "-0.1", "soon", "nan", "inf", "-inf", "5 s"}) {
    EXPECT_EQ(wait_of({{"retry-after", text}}), std::nullopt) << text;
    EXPECT_EQ(wait_of({{"retry-after-ms", text}, {"retry-after", "1"}}), seconds(1)) << text;
  }
}

TEST(StatusFailure, AnEmptyAccountIsToldWithManyStatuses) {
  const std::string credit =
      R"({"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance )"
      R"(is too low to access the API. Please go to Plans & Billing."}})";
  for (const int status : {400, 403}) {
    const ModelFailure failure = of(status, credit);
    EXPECT_EQ(failure.error.code, ErrorCode::LimitExceeded) << status;
    EXPECT_THAT(failure.error.hint, HasSubstr("bills"));
    EXPECT_FALSE(failure.may_retry);
  }
  EXPECT_EQ(of(403, R"({"error":"insufficient credits"})").error.code, ErrorCode::LimitExceeded);
  EXPECT_EQ(of(429, R"({"error":{"code":"insufficient_quota"}})").error.code,
            ErrorCode::LimitExceeded);
  // Who is too fast is told of bills too, and is not out of money.
  const ModelFailure fast =
      of(429,
         R"({"error":{"type":"tokens","message":"Rate limit reached. More at /account/billing"}})");
  EXPECT_EQ(fast.error.code, ErrorCode::Unavailable);
  EXPECT_TRUE(fast.may_retry);
  EXPECT_EQ(of(403, R"({"error":{"type":"permission_error","message":"not for you"}})").error.code,
            ErrorCode::Denied);
}

TEST(StatusFailure, HintsFollowWhatTheServerSaid) {
  const auto hint = [](int status, const std::string& words) {
    return of(status, R"({"error":{"message":")" + words + R"("}})").error.hint;
  };
  EXPECT_THAT(hint(400, "The model `gpt-6` does not exist"), HasSubstr("name of the model"));
  EXPECT_THAT(hint(400, "prompt is too long: 300000 tokens"), HasSubstr("too long"));
  EXPECT_THAT(hint(400, "maximum context length is 8192"), HasSubstr("too long"));
  for (const int status : {400, 422}) {
    EXPECT_THAT(hint(status, "tools are not supported by this model"),
                AllOf(HasSubstr("what it does not take"), Not(HasSubstr("name of the model"))));
  }
  EXPECT_THAT(hint(404, ""), HasSubstr("/v1"));
  EXPECT_THAT(hint(301, ""), HasSubstr("redirects"));
}

TEST(ExchangeFailure, LimitsOfOursAreNotMetTwice) {
  const ModelFailure headers = failure_of_exchange(
      {HttpFault::Cut,
       {ErrorCode::LimitExceeded, "the HTTP response has too many headers", "check the address"}},
      "m.test");
  EXPECT_EQ(headers.error.code, ErrorCode::LimitExceeded);
  EXPECT_THAT(headers.error.message, AllOf(HasSubstr("m.test"), HasSubstr("too many headers"),
                                           Not(HasSubstr("closed the connection"))));
  EXPECT_FALSE(headers.error.hint.empty());
  EXPECT_FALSE(headers.may_retry);
  const ModelFailure cut =
      failure_of_exchange({HttpFault::Cut, {ErrorCode::Unavailable, "gone"}}, "m.test");
  EXPECT_TRUE(cut.may_retry);
}

}  // namespace
}  // namespace helve::llm
