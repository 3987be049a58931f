#include "agent/llm/model_http.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/llm/anthropic.h"
#include "agent/llm/chat.h"
#include "agent/llm/model_failure.h"
#include "agent/llm/responses.h"
#include "agent/llm/wire_testing.h"
#include "base/redaction.h"
#include "tests/support/fake_env.h"

namespace helve::llm {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kSaysHi =
    R"({"model":"m","choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],)"
    R"("usage":{"prompt_tokens":1000000,"completion_tokens":500000}})";
const std::string kStreamsHi =
    events({R"({"choices":[{"delta":{"content":"h"}}]})",
            R"({"choices":[{"delta":{"content":"i"},"finish_reason":"stop"}]})", "[DONE]"});

class ModelHttp : public ::testing::Test {
 protected:
  ModelHttp() {
    settings_.url = "https://models.test/v1";
    settings_.model = "m";
    request_.messages.push_back({Role::User, "Hello there", {}, {}, false, {}});
  }

  Result<Answer> ask(const StreamSink* sink = nullptr) {
    auto provider = open_model(chat_wire(), settings_, "key-12345678-abcd", env_);
    if (!provider) return provider.error();
    return (*provider)->complete(request_, context_, sink);
  }
  // What waited between tries.
  milliseconds waited() { return std::chrono::duration_cast<milliseconds>(env_.clock().elapsed()); }
  void fails(int status, HttpHeaders headers, std::string body = "{}") {
    env_.http().reply(HttpResponse{status, std::move(headers), std::move(body)});
  }

  FakeEnv env_;
  ProviderSettings settings_;
  Request request_;
  OpContext context_;
  std::string heard_;
  StreamSink sink_{[this](std::string_view text) { heard_ += text; }, {}};
};

TEST_F(ModelHttp, SendsOneRequestToTheServerAlone) {
  env_.http().reply(200, kSaysHi);
  settings_.prices = Prices{2, 0, 0, 4};
  settings_.headers = {{"X-Team", "graphs"}};
  const auto answer = ask();
  ASSERT_TRUE(answer) << answer.error().to_string();
  EXPECT_EQ(answer->text, "hi");
  EXPECT_EQ(answer->retries, 0U);
  EXPECT_DOUBLE_EQ(answer->usage.cost.value(), 4.0);
  ASSERT_EQ(env_.http().requests().size(), 1U);
  const HttpRequest sent = env_.http().requests()[0];
  EXPECT_EQ(sent.method, "POST");
  EXPECT_EQ(sent.url, "https://models.test/v1/chat/completions");
  const HttpHeaders credentials = {{"authorization", "Bearer key-12345678-abcd"},
                                   {"X-Team", "graphs"}};
  EXPECT_EQ(sent.credentials, credentials);
  EXPECT_TRUE(sent.reach.allows_private);
}

TEST_F(ModelHttp, UsageThatNobodyTellsIsEstimated) {
  env_.http().reply(200, R"({"choices":[{"message":{"content":"four"}}]})");
  const auto answer = ask();
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->usage.is_estimated);
  EXPECT_EQ(answer->usage.input_tokens, 3U);  // "Hello there"
  EXPECT_EQ(answer->usage.output_tokens, 1U);
}

TEST_F(ModelHttp, ACostThatTheServerTellsCountsWhereThereAreNoPrices) {
  const auto with_cost = [this](const std::string& cost) {
    env_.http().reply(200, R"({"choices":[{"message":{"content":"four"}}],"usage":)"
                           R"({"prompt_tokens":1000000,"completion_tokens":1,"cost":)" +
                               cost + "}}");
    const auto answer = ask();
    return answer ? answer->usage.cost : std::optional<double>(-1);
  };
  EXPECT_EQ(with_cost("0.25"), 0.25);
  EXPECT_EQ(with_cost("-1"), std::nullopt);
  EXPECT_EQ(with_cost("\"much\""), std::nullopt);
  env_.http().reply(200, R"({"choices":[{"message":{"content":"four"}}],"usage":{"cost":0.5}})");
  const auto estimated = ask();
  ASSERT_TRUE(estimated);
  EXPECT_TRUE(estimated->usage.is_estimated);
  EXPECT_EQ(estimated->usage.cost, 0.5);
  settings_.prices = Prices{2, 0, 0, 0};
  EXPECT_EQ(with_cost("0.25"), 2.0);
}

TEST_F(ModelHttp, IdsAreMadeUpAndUnique) {
  Message earlier{Role::Assistant, "", {}, {}, false, {}};
  earlier.calls.push_back({"call_2", "f", JsonValue(JsonValue::Object{}), "{}"});
  request_.messages.push_back(earlier);
  env_.http().reply(
      200, R"({"choices":[{"message":{"tool_calls":[{"function":{"name":"a"}},)"
           R"({"id":"x","function":{"name":"b"}},{"id":"x","function":{"name":"c"}}]}}]})");
  const auto answer = ask();
  ASSERT_TRUE(answer) << answer.error().to_string();
  EXPECT_EQ(answer->calls[0].id, "call_3");
  EXPECT_EQ(answer->calls[1].id, "x");
  EXPECT_EQ(answer->calls[2].id, "call_4");
}

TEST_F(ModelHttp, WhatPassesIsTriedAgain) {
  for (const int status : {408, 409, 429, 500, 502, 503, 504, 529}) {
    fails(status, {});
    env_.http().reply(200, kSaysHi);
    const auto answer = ask();
    ASSERT_TRUE(answer) << status << answer.error().to_string();
    EXPECT_EQ(answer->retries, 1U) << status;
  }
  EXPECT_EQ(env_.http().requests().size(), 16U);
}

TEST_F(ModelHttp, WhatStaysIsNot) {
  const std::vector<std::pair<int, ErrorCode>> cases = {
      {301, ErrorCode::InvalidInput}, {400, ErrorCode::InvalidInput},
      {401, ErrorCode::Denied},       {402, ErrorCode::LimitExceeded},
      {403, ErrorCode::Denied},       {404, ErrorCode::InvalidInput},
      {413, ErrorCode::InvalidInput}, {422, ErrorCode::InvalidInput}};
  for (const auto& [status, code] : cases) {
    fails(status, {{"location", "https://elsewhere.test/"}});
    const auto answer = ask();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, code) << status;
    EXPECT_THAT(answer.error().message,
                AllOf(HasSubstr("models.test"), HasSubstr(std::to_string(status))));
    EXPECT_FALSE(answer.error().hint.empty());
  }
  EXPECT_EQ(env_.http().requests().size(), cases.size());
  EXPECT_EQ(waited(), milliseconds(0));
}

TEST_F(ModelHttp, TriesEndAfterTwoMore) {
  for (int i = 0; i < 5; ++i) fails(503, {}, R"({"error":{"message":"asleep"}})");
  const auto answer = ask();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(answer.error().message, AllOf(HasSubstr("503"), HasSubstr("tried 3 times")));
  EXPECT_EQ(answer.error().detail, "asleep");
  EXPECT_EQ(env_.http().requests().size(), 3U);
  // 0.5 s and 1 s, less at most a quarter.
  EXPECT_GE(waited(), milliseconds(1'125));
  EXPECT_LE(waited(), milliseconds(1'500));
}

TEST_F(ModelHttp, ServersSayHowLongToWait) {
  const std::vector<std::pair<HttpHeaders, milliseconds>> cases = {
      {{{"retry-after-ms", "1500"}, {"retry-after", "9"}}, milliseconds(1'500)},
      {{{"retry-after", "7"}}, seconds(7)},
      {{{"retry-after", "0.25"}}, milliseconds(250)},
      {{{"retry-after", "Wed, 01 Jan 2025 00:01:00 GMT"}}, seconds(60)},
      {{{"retry-after", "Wed, 01 Jan 2020 00:00:00 GMT"}}, seconds(0)}};
  for (const auto& [headers, wait] : cases) {
    FakeEnv env;
    env.http().reply(HttpResponse{429, headers, "{}"});
    env.http().reply(200, kSaysHi);
    const auto provider = open_model(chat_wire(), settings_, "", env);
    const auto answer = (*provider)->complete(request_, context_);
    ASSERT_TRUE(answer) << answer.error().to_string();
    EXPECT_EQ(std::chrono::duration_cast<milliseconds>(env.clock().elapsed()), wait);
  }
}

TEST_F(ModelHttp, TooLongAWaitIsToldInstead) {
  fails(429, {{"retry-after", "3600"}}, R"({"error":{"message":"slow down"}})");
  const auto answer = ask();
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("it says to wait 1 h"));
  context_.deadline = Deadline(env_.clock(), seconds(5));
  fails(429, {{"retry-after", "10"}});
  EXPECT_FALSE(ask());
  EXPECT_EQ(waited(), milliseconds(0));
  EXPECT_EQ(env_.http().requests().size(), 2U);
}

TEST_F(ModelHttp, AnEmptyAccountIsNotTriedAgain) {
  fails(429, {}, R"({"error":{"message":"You exceeded","code":"insufficient_quota"}})");
  fails(503, {{"x-should-retry", "false"}});
  const auto empty = ask();
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().code, ErrorCode::LimitExceeded);
  EXPECT_FALSE(ask());
  EXPECT_EQ(env_.http().requests().size(), 2U);
}

TEST_F(ModelHttp, ConnectionsAreTriedAgainAndCertificatesAreNot) {
  const Error error{ErrorCode::Unavailable, "nobody listens"};
  for (const HttpFault fault : {HttpFault::Connect, HttpFault::Resolve, HttpFault::Cut}) {
    env_.http().fail(error, fault);
  }
  const auto answer = ask();
  ASSERT_FALSE(answer);
  EXPECT_EQ(env_.http().requests().size(), 3U);
  EXPECT_THAT(answer.error().message, HasSubstr("models.test"));
  env_.http().fail(error, HttpFault::Tls);
  EXPECT_FALSE(ask());
  EXPECT_EQ(env_.http().requests().size(), 4U);
}

TEST_F(ModelHttp, AStreamIsPassedOnAsItComes) {
  env_.http().reply(200, kStreamsHi, "text/event-stream");
  const auto answer = ask(&sink_);
  ASSERT_TRUE(answer) << answer.error().to_string();
  EXPECT_EQ(heard_, "hi");
  EXPECT_THAT(env_.http().requests()[0].body, HasSubstr(R"("stream":true)"));
}

TEST_F(ModelHttp, AStreamThatComesWholeIsPassedOnToo) {
  env_.http().reply(200, kSaysHi);
  ASSERT_TRUE(ask(&sink_));
  EXPECT_EQ(heard_, "hi");
}

TEST_F(ModelHttp, NothingIsTriedAgainOnceAPieceWasPassedOn) {
  env_.http().reply(200,
                    events({R"({"choices":[{"delta":{"content":"h"}}]})",
                            R"({"error":{"message":"gone","type":"server_error"}})"}),
                    "text/event-stream");
  env_.http().reply(200, kStreamsHi, "text/event-stream");
  const auto answer = ask(&sink_);
  ASSERT_FALSE(answer);
  EXPECT_EQ(heard_, "h");
  EXPECT_THAT(answer.error().message, AllOf(HasSubstr("gone"), HasSubstr("passed on")));
  EXPECT_EQ(env_.http().requests().size(), 1U);
}

TEST_F(ModelHttp, AnErrorBeforeTheFirstPieceIsTriedAgain) {
  env_.http().reply(200, events({R"({"error":{"message":"busy","type":"overloaded_error"}})"}),
                    "text/event-stream");
  env_.http().reply(200, kStreamsHi, "text/event-stream");
  const auto answer = ask(&sink_);
  ASSERT_TRUE(answer) << answer.error().to_string();
  EXPECT_EQ(heard_, "hi");
  EXPECT_EQ(answer->retries, 1U);
}

TEST_F(ModelHttp, AWebPageIsNoAnswer) {
  env_.http().reply(200, "<html><h1>Sign in</h1></html>", "text/html");
  const auto answer = ask();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(answer.error().message, AllOf(HasSubstr("web page"), HasSubstr("models.test")));
  EXPECT_THAT(answer.error().hint, HasSubstr("/v1"));
  EXPECT_EQ(env_.http().requests().size(), 1U);
}

TEST_F(ModelHttp, AnswersAreBounded) {
  settings_.answer_bytes_max = 1'000;
  env_.http().reply(200, R"({"choices":[{"message":{"content":")" + std::string(2'000, 'x'));
  const auto answer = ask();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::LimitExceeded);
  EXPECT_THAT(answer.error().hint, HasSubstr("answer_bytes_max"));
  EXPECT_EQ(env_.http().requests().size(), 1U);
}

TEST_F(ModelHttp, WhoWritesBeyondTheTokensIsNotListenedTo) {
  request_.output_tokens_max = 100;
  // 512 KiB, and 512 bytes for each token.
  const std::string head = R"({"choices":[{"message":{"content":")";
  const std::string end = R"("}}]})";
  const std::string fits(524'288 + 51'200 - head.size() - end.size(), 'x');
  env_.http().reply(200, head + fits + end);
  ASSERT_TRUE(ask());
  env_.http().reply(200, head + fits + "x" + end);
  const auto answer = ask();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::LimitExceeded);
  EXPECT_THAT(answer.error().hint,
              AllOf(HasSubstr("100 tokens"), Not(HasSubstr("answer_bytes_max"))));
}

TEST_F(ModelHttp, JsonThatIsNestedTooDeepIsNotTriedAgain) {
  env_.http().reply(200, std::string(5'000, '[') + std::string(5'000, ']'));
  const auto answer = ask();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::LimitExceeded);
  EXPECT_FALSE(answer.error().hint.empty());
  EXPECT_EQ(env_.http().requests().size(), 1U);
}

TEST_F(ModelHttp, AKeyThatTheServerRepeatsGoesNoFurther) {
  const std::string key = "key-12345678-abcd";
  register_secret(key);
  env_.http().reply(200,
                    events({R"({"choices":[{"delta":{"content":"it is key-123"}}]})",
                            R"({"choices":[{"delta":{"content":"45678-abcd!"}}]})",
                            R"({"model":"m key-12345678-abcd","choices":[{"delta":{"tool_calls":[)"
                            R"({"id":"c","function":{"name":"f","arguments":)"
                            R"("{\"q\":\"key-12345678-abcd\"}"}}]},"finish_reason":"stop"}]})"}),
                    "text/event-stream");
  const auto answer = ask(&sink_);
  ASSERT_TRUE(answer) << answer.error().to_string();
  EXPECT_EQ(heard_, "it is [secret]!");
  EXPECT_EQ(answer->text, "it is [secret]!");
  EXPECT_EQ(answer->model, "m [secret]");
  EXPECT_EQ(to_json(answer->calls[0].arguments), R"({"q":"[secret]"})");
  EXPECT_THAT(answer->calls[0].written, Not(HasSubstr(key)));
  // Whole, where a stream was asked for.
  heard_.clear();
  env_.http().reply(200, R"({"choices":[{"message":{"content":"key-12345678-abcd"}}]})");
  ASSERT_TRUE(ask(&sink_));
  EXPECT_EQ(heard_, "[secret]");
}

TEST_F(ModelHttp, WhoSendsNoKeyIsToldSo) {
  fails(401, {});
  const auto provider = open_model(chat_wire(), settings_, "", env_);
  const auto answer = (*provider)->complete(request_, context_);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().hint, HasSubstr("no key was sent"));
  fails(401, {});
  EXPECT_THAT(ask().error().hint, HasSubstr("check the key"));
}

TEST_F(ModelHttp, WhatWasUsedHasAPrice) {
  Usage usage;
  usage.input_tokens = 1'000'000;
  const auto unpriced = open_model(chat_wire(), settings_, "", env_);
  EXPECT_FALSE((*unpriced)->cost_of(usage));
  settings_.prices = Prices{2, 0, 0, 4};
  const auto priced = open_model(chat_wire(), settings_, "", env_);
  EXPECT_DOUBLE_EQ((*priced)->cost_of(usage).value(), 2.0);
}

TEST_F(ModelHttp, ErrorsHaveNoKey) {
  for (const std::string& key : {std::string("key-12345678-abcd"), std::string("ordinaryword")}) {
    register_secret(key);
    fails(401, {}, R"({"error":{"message":"Incorrect API key provided: )" + key + R"(. Bye."}})");
    const auto provider = open_model(chat_wire(), settings_, key, env_);
    const auto answer = (*provider)->complete(request_, context_);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::Denied);
    EXPECT_THAT(answer.error().to_string(), AllOf(Not(HasSubstr(key)), HasSubstr("Bye")));
  }
}

TEST_F(ModelHttp, WordsOfServersAreCutAndHarmless) {
  fails(400, {}, R"({"error":{"message":"\u001b[31m)" + std::string(5'000, 'x') + R"("}})");
  const auto answer = ask();
  ASSERT_FALSE(answer);
  EXPECT_LT(answer.error().message.size(), 500U);
  EXPECT_EQ(answer.error().message.find('\x1b'), std::string::npos);
}

TEST_F(ModelHttp, WhatIsCancelledIsNotSent) {
  context_.cancel.cancel();
  const auto answer = ask();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::Cancelled);
  EXPECT_TRUE(env_.http().requests().empty());
}

TEST_F(ModelHttp, HeadersOfOursCannotBeSet) {
  settings_.headers = {{"Content-Length", "3"}};
  const auto answer = ask();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::InvalidInput);
}

// Pieces with time between them.
class SlowHttp final : public Http {
 public:
  SlowHttp(FakeClock& clock, Duration before_head, std::vector<std::pair<Duration, std::string>> p,
           int status)
      : clock_(clock), before_head_(before_head), pieces_(std::move(p)), status_(status) {}

  HttpOpened exchange(const HttpRequest& request, const OpContext& context) override {
    clock_.advance(before_head_);
    if (auto goes_on = context.check(); !goes_on) {
      return tl::unexpected(HttpFailure{HttpFault::Stopped, goes_on.error()});
    }
    return HttpStream{{status_, {}, request.url}, std::make_unique<Body>(*this, context)};
  }

 private:
  struct Body final : ByteSource {
    Body(SlowHttp& http, OpContext op) : owner(http), context(std::move(op)) {}
    Result<std::size_t> read(std::span<char> into) override {
      if (owner.next_ == owner.pieces_.size()) {
        return Error{ErrorCode::Unavailable, "the connection was reset"};
      }
      const auto& [wait, text] = owner.pieces_[owner.next_++];
      owner.clock_.advance(wait);
      HELVE_TRY(context.check());
      return text.copy(into.data(), into.size());
    }
    SlowHttp& owner;
    OpContext context;
  };

  FakeClock& clock_;
  Duration before_head_;
  std::vector<std::pair<Duration, std::string>> pieces_;
  int status_;
  std::size_t next_ = 0;
};

class SlowEnv final : public Env {
 public:
  SlowEnv(Duration before_head, std::vector<std::pair<Duration, std::string>> pieces,
          int status = 200)
      : http_(fake_.clock(), before_head, std::move(pieces), status) {}
  FakeClock& clock() override { return fake_.clock(); }
  Files& files() override { return fake_.files(); }
  Http& http() override { return http_; }
  Processes& processes() override { return fake_.processes(); }
  Random& random() override { return fake_.random(); }

 private:
  FakeEnv fake_;
  SlowHttp http_;
};

// Someone cancels while it sleeps for the third time.
class CancelledEnv final : public Env, public Clock {
 public:
  explicit CancelledEnv(CancelToken token) : token_(std::move(token)) {}
  Clock& clock() override { return *this; }
  Files& files() override { return fake_.files(); }
  FakeHttp& http() override { return fake_.http(); }
  Processes& processes() override { return fake_.processes(); }
  Random& random() override { return fake_.random(); }

  MonotonicTime now() const override { return fake_.clock().now(); }
  WallTime wall() const override { return fake_.clock().wall(); }
  void sleep_for(Duration duration) override {
    fake_.clock().advance(duration);
    if (++sleeps_ == 3) token_.cancel();
  }
  int sleeps() const { return sleeps_; }

 private:
  mutable FakeEnv fake_;
  CancelToken token_;
  int sleeps_ = 0;
};

TEST_F(ModelHttp, CancellationEndsTheWait) {
  CancelledEnv env(context_.cancel);
  env.http().reply(HttpResponse{503, {{"retry-after", "30"}}, "{}"});
  const auto provider = open_model(chat_wire(), settings_, "", env);
  const auto answer = (*provider)->complete(request_, context_);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::Cancelled);
  EXPECT_EQ(env.sleeps(), 3);
  EXPECT_EQ(env.http().requests().size(), 1U);
}

const std::string kPiece = events({R"({"choices":[{"delta":{"content":"h"}}]})"});
const std::string kEnd = events({R"({"choices":[{"delta":{},"finish_reason":"stop"}]})", "[DONE]"});

TEST_F(ModelHttp, SlowTokensAreNoSilence) {
  settings_.silence_timeout = seconds(10);
  SlowEnv env(seconds(100), {{seconds(9), kPiece}, {seconds(9), kPiece}, {seconds(9), kEnd}});
  const auto provider = open_model(chat_wire(), settings_, "", env);
  const auto answer = (*provider)->complete(request_, context_, &sink_);
  ASSERT_TRUE(answer) << answer.error().to_string();
  EXPECT_EQ(heard_, "hh");
}

TEST_F(ModelHttp, SilenceEndsAStream) {
  settings_.silence_timeout = seconds(10);
  SlowEnv env(seconds(0), {{seconds(9), kPiece}, {seconds(11), kEnd}});
  const auto provider = open_model(chat_wire(), settings_, "", env);
  const auto answer = (*provider)->complete(request_, context_, &sink_);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::LimitExceeded);
  EXPECT_THAT(answer.error().message, AllOf(HasSubstr("silent"), HasSubstr("models.test")));
}

TEST_F(ModelHttp, TheWordsOfAnErrorAreNotWaitedFor) {
  // Even where they trickle.
  SlowEnv env(seconds(30),
              {{seconds(1), "first "}, {milliseconds(900), "then "}, {seconds(1), "late"}}, 400);
  const auto provider = open_model(chat_wire(), settings_, "", env);
  const auto answer = (*provider)->complete(request_, context_);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(answer.error().message, HasSubstr("400"));
  EXPECT_THAT(answer.error().detail, AllOf(HasSubstr("first then"), Not(HasSubstr("late"))));
}

TEST_F(ModelHttp, AnAnswerHasAWholeTime) {
  settings_.answer_timeout = seconds(20);
  SlowEnv env(seconds(0), {{seconds(15), kPiece}, {seconds(6), kEnd}});
  const auto provider = open_model(chat_wire(), settings_, "", env);
  const auto answer = (*provider)->complete(request_, context_, &sink_);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::LimitExceeded);
  EXPECT_THAT(answer.error().hint, HasSubstr("answer_timeout"));
}

TEST_F(ModelHttp, TheDeadlineOfTheCallerCountsToo) {
  SlowEnv env(seconds(0), {{seconds(3), kPiece}, {seconds(3), kEnd}});
  context_.deadline = Deadline(env.clock(), seconds(5));
  const auto provider = open_model(chat_wire(), settings_, "", env);
  const auto answer = (*provider)->complete(request_, context_, &sink_);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::LimitExceeded);
  EXPECT_EQ(heard_, "h");
}

TEST_F(ModelHttp, AConnectionThatBreaksInTheMiddleIsSaidSo) {
  SlowEnv env(seconds(0), {{seconds(0), kPiece}});
  const auto provider = open_model(chat_wire(), settings_, "", env);
  const auto answer = (*provider)->complete(request_, context_, &sink_);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(answer.error().message,
              AllOf(HasSubstr("cut off in the middle"), HasSubstr("passed on")));
}

TEST_F(ModelHttp, ASinkMayCancel) {
  SlowEnv env(seconds(0), {{seconds(0), kPiece}, {seconds(0), kPiece}, {seconds(0), kEnd}});
  const StreamSink cancels{[this](std::string_view text) {
                             heard_ += text;
                             context_.cancel.cancel();
                           },
                           {}};
  const auto provider = open_model(chat_wire(), settings_, "", env);
  const auto answer = (*provider)->complete(request_, context_, &cancels);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::Cancelled);
  EXPECT_EQ(heard_, "h");
}

TEST(ModelUrl, IsMadeOfTheBase) {
  const auto url = [](const char* base, const Wire& wire) {
    return model_url(base, wire).value_or("none");
  };
  EXPECT_EQ(url("", chat_wire()), "https://api.openai.com/v1/chat/completions");
  EXPECT_EQ(url("", responses_wire()), "https://api.openai.com/v1/responses");
  EXPECT_EQ(url("", anthropic_wire()), "https://api.anthropic.com/v1/messages");
  EXPECT_EQ(url("http://localhost:11434", chat_wire()),
            "http://localhost:11434/v1/chat/completions");
  EXPECT_EQ(url("http://localhost:11434/", chat_wire()),
            "http://localhost:11434/v1/chat/completions");
  EXPECT_EQ(url("https://x.test/api/v3/", chat_wire()), "https://x.test/api/v3/chat/completions");
  EXPECT_EQ(url("https://x.test/a?api-version=1", chat_wire()),
            "https://x.test/a/chat/completions?api-version=1");
  EXPECT_EQ(url("https://x.test/v1/messages", anthropic_wire()), "https://x.test/v1/messages");
  EXPECT_EQ(url("ftp://x.test", chat_wire()), "none");
  EXPECT_EQ(url("https://me:secret@x.test", chat_wire()), "none");
}

TEST(BackOff, DoublesUpToEightSeconds) {
  EXPECT_EQ(back_off(0, 0), milliseconds(500));
  EXPECT_EQ(back_off(1, 0), seconds(1));
  EXPECT_EQ(back_off(4, 0), seconds(8));
  EXPECT_EQ(back_off(5, 0), seconds(8));
  EXPECT_EQ(back_off(100, 0), seconds(8));
  for (std::uint64_t random = 1; random < 1'000'000'000'000; random *= 7) {
    EXPECT_LE(back_off(2, random), seconds(2));
    EXPECT_GE(back_off(2, random), milliseconds(1'500));
  }
}

}  // namespace
}  // namespace helve::llm
