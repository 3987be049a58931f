#include "sources/remote/endpoint_failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::remote {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const WallTime kNow = std::chrono::sys_days(std::chrono::year(2026) / 11 / 16);

EndpointState warm() { return {"Example", true, kNow}; }

EndpointFailure of(int status, std::string text, HttpHeaders headers = {}) {
  return failure_of(EndpointReply{status, std::move(headers), std::move(text)}, warm());
}

struct Case {
  int status;
  const char* text;
  EndpointCause cause;
};

// As the engines say it.
TEST(EndpointFailure, CausesAreRecognised) {
  const Case cases[] = {
      {500, "Virtuoso S1T00 Error SR171: Transaction timed out\n\nSPARQL query:\nSELECT",
       EndpointCause::TooHeavy},
      {500,
       "Virtuoso 42000 Error The estimated execution time 4345 (sec) exceeds the limit of 400 "
       "(sec).",
       EndpointCause::TooHeavy},
      {500, "Virtuoso 22023 Error SR353: Sorted TOP clause specifies more then 10001 rows to sort.",
       EndpointCause::TooHeavy},
      {500, "java.util.concurrent.TimeoutException\n\tat java.util.concurrent.FutureTask",
       EndpointCause::TooHeavy},
      {400, "Virtuoso 37000 Error SP030: SPARQL compiler, line 1: syntax error at 'WHER'",
       EndpointCause::Syntax},
      {400, "Parse error: Encountered \" \"}\" \"} \"\" at line 1, column 20.",
       EndpointCause::Syntax},
      {400, "MALFORMED QUERY: Lexical error at line 1", EndpointCause::Syntax},
      {400, "bad", EndpointCause::Syntax},
      {401, "", EndpointCause::Refused},
      {403, "no", EndpointCause::Refused},
      {404, "<html><body>not here</body></html>", EndpointCause::NotThere},
      {408, "", EndpointCause::TooHeavy},
      {414, "", EndpointCause::Refused},
      {429, "slow down", EndpointCause::Busy},
      {500, "oops", EndpointCause::WrongAnswer},
      {502, "<html><title>Bad Gateway</title></html>", EndpointCause::Gateway},
      {503, "", EndpointCause::Busy},
      {504, "Gateway Time-out", EndpointCause::TooHeavy},
      {200, "Tried to allocate 4 GB, but only 1 GB were available", EndpointCause::TooHeavy},
      {200, "<html><body>Welcome to our portal</body></html>", EndpointCause::WrongAnswer},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(of(one.status, one.text).cause, one.cause) << one.status << " " << one.text;
    // Whatever they say is the detail alone.
    const EndpointFailure failure = of(one.status, std::string("canary ") + one.text);
    EXPECT_EQ(failure.error.message.find("canary"), std::string::npos) << one.text;
    EXPECT_EQ(failure.error.hint.find("canary"), std::string::npos) << one.text;
  }
}

TEST(EndpointFailure, EveryCauseSaysWhatToDo) {
  for (const int status : {200, 301, 400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504}) {
    const EndpointFailure failure = of(status, "");
    EXPECT_FALSE(failure.error.hint.empty()) << status;
    EXPECT_THAT(failure.error.message, HasSubstr("Example")) << status;
  }
}

TEST(EndpointFailure, OnlyWhatMayGoBetterIsTriedAgain) {
  EXPECT_TRUE(of(429, "").may_retry);
  EXPECT_TRUE(of(502, "").may_retry);
  EXPECT_TRUE(of(503, "").may_retry);
  for (const int status : {400, 401, 403, 404, 414, 500, 504}) {
    EXPECT_FALSE(of(status, "").may_retry) << status;
  }
}

TEST(EndpointFailure, TimeIsTheQuerysFaultOnlyWhereSomethingWasAnswered) {
  const HttpFailure late{HttpFault::HeadTime, {ErrorCode::LimitExceeded, "no answer"}};
  EXPECT_EQ(failure_of(late, warm()).cause, EndpointCause::TooHeavy);
  const EndpointFailure cold = failure_of(late, EndpointState{"Example", false, kNow});
  EXPECT_EQ(cold.cause, EndpointCause::Cold);
  EXPECT_TRUE(cold.may_retry);
}

TEST(EndpointFailure, MessagesAreCleaned) {
  EXPECT_EQ(cleaned_message("<html><head><style>p {x}</style><title>500</title></head><body><p>It "
                            "&lt;broke&gt;\n &amp; fell</p></body></html>"),
            "500 It <broke> & fell");
  EXPECT_EQ(cleaned_message("Out of luck\n\tat org.example.Main(Main.java:1)\n"), "Out of luck");
  EXPECT_THAT(cleaned_message("Virtuoso 37000 Error SP030\n\nSPARQL query:\nSELECT ?secret"),
              Not(HasSubstr("secret")));
  EXPECT_EQ(cleaned_message("a\x1b[31mb\xff"), "a\\x1B[31mb\xEF\xBF\xBD");
  EXPECT_LE(cleaned_message(std::string(10'000, 'x')).size(), 310U);
  EXPECT_EQ(cleaned_message("<<<<"), "");
  EXPECT_EQ(cleaned_message(""), "");
}

TEST(EndpointFailure, RetryAfterIsReadInBothForms) {
  EXPECT_EQ(read_retry_after("120", kNow), std::chrono::seconds(120));
  EXPECT_EQ(read_retry_after("Mon, 16 Nov 2026 00:01:00 GMT", kNow), std::chrono::seconds(60));
  EXPECT_EQ(read_retry_after("99999999", kNow), std::chrono::hours(24));
  for (const char* bad : {"", "soon", "-1", "1.5", "Mon, 16 Nov 2020 00:01:00 GMT",
                          "Mon, 99 Nov 2026 00:01:00 GMT", "Mon, 16 Xxx 2026 00:01:00 GMT"}) {
    EXPECT_EQ(read_retry_after(bad, kNow), std::nullopt) << bad;
  }
  const EndpointFailure busy = of(429, "", {{"retry-after", "30"}});
  EXPECT_EQ(busy.retry_after, std::chrono::seconds(30));
  EXPECT_THAT(busy.error.message, HasSubstr("30"));
}

TEST(EndpointFailure, NamesGoBothWays) {
  for (const EndpointCause cause : {EndpointCause::TooHeavy, EndpointCause::Stopped}) {
    EXPECT_EQ(cause_named(name_of(cause)), cause);
  }
  EXPECT_EQ(cause_named("nothing"), std::nullopt);
}

}  // namespace
}  // namespace helve::remote
