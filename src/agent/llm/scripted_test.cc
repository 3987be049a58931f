#include "agent/llm/scripted.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

#include "agent/llm/exchange_json.h"
#include "base/redaction.h"
#include "tests/support/fake_env.h"

namespace helve::llm {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Request asking(std::string text) {
  Request request;
  request.system = "S";
  request.messages.push_back({Role::User, std::move(text), {}, {}, false, {}});
  return request;
}

class Scripted : public ::testing::Test {
 protected:
  std::shared_ptr<Provider> open(std::string text) {
    env_.files().put("/script.jsonl", std::move(text));
    auto opened = open_scripted("/script.jsonl", "", env_);
    EXPECT_TRUE(opened) << opened.error().to_string();
    return opened ? *opened : nullptr;
  }
  std::string error_of(std::string text) {
    env_.files().put("/script.jsonl", std::move(text));
    const auto opened = open_scripted("/script.jsonl", "", env_);
    return opened ? "none" : opened.error().to_string();
  }

  FakeEnv env_;
};

TEST_F(Scripted, GivesAnswersInTheirOrder) {
  const auto model =
      open(R"({"calls":[{"name":"f","arguments":{"a":1}},{"name":"g","arguments":"{broken"}]})"
           "\n\n"
           R"({"text":"two words","reasoning":"hm","stop":"output_cap","usage":{"input_tokens":5}})"
           "\n"
           R"({"error":{"code":"unavailable","message":"asleep"}})");
  const auto first = model->complete(asking("q"), {});
  ASSERT_TRUE(first) << first.error().to_string();
  EXPECT_EQ(first->stop, Stop::ToolCalls);
  EXPECT_EQ(first->calls[0].id, "call_1");
  EXPECT_EQ(to_json(first->calls[0].arguments), R"({"a":1})");
  EXPECT_TRUE(first->calls[1].arguments.is_null());
  EXPECT_EQ(first->calls[1].written, "{broken");
  EXPECT_TRUE(first->usage.is_estimated);

  std::vector<std::string> heard;
  const StreamSink sink{[&](std::string_view text) { heard.emplace_back(text); }, {}};
  const auto second = model->complete(asking("q"), {}, &sink);
  ASSERT_TRUE(second);
  EXPECT_EQ(heard, (std::vector<std::string>{"two ", "words"}));
  EXPECT_EQ(second->stop, Stop::OutputCap);
  EXPECT_EQ(second->usage.input_tokens, 5U);
  EXPECT_FALSE(second->usage.is_estimated);

  const auto third = model->complete(asking("q"), {});
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, ErrorCode::Unavailable);
  const auto fourth = model->complete(asking("q"), {});
  ASSERT_FALSE(fourth);
  EXPECT_THAT(fourth.error().message, AllOf(HasSubstr("3 answers"), HasSubstr("request 4")));
}

TEST_F(Scripted, ExpectsWhatLeadsToAnAnswer) {
  const auto model = open(R"({"text":"a","expect":"rows"})"
                          "\n"
                          R"({"text":"b","expect":"rows"})");
  EXPECT_TRUE(model->complete(asking("3 rows came"), {}));
  const auto wrong = model->complete(asking("nothing came"), {});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(wrong.error().message,
              AllOf(HasSubstr("line 2"), HasSubstr("'rows'"), HasSubstr("nothing came")));
}

TEST_F(Scripted, UsageHasACostWhereThereArePrices) {
  env_.files().put("/s.jsonl",
                   R"({"text":"a","usage":{"input_tokens":1000000,"output_tokens":1000000}})"
                   "\n"
                   R"({"text":"b","usage":{"input_tokens":1000000,"cost":0.5}})");
  const auto unpriced = open_scripted("/s.jsonl", "m", env_);
  EXPECT_FALSE((*unpriced)->tells_cost());
  EXPECT_FALSE((*unpriced)->complete(asking("q"), {})->usage.cost);
  const auto priced = record(*open_scripted("/s.jsonl", "m", env_, Prices{2, 1, 1, 3}), "/l", env_);
  EXPECT_TRUE((*priced)->tells_cost());
  EXPECT_DOUBLE_EQ((*priced)->complete(asking("q"), {})->usage.cost.value(), 5.0);
  EXPECT_DOUBLE_EQ((*priced)->complete(asking("q"), {})->usage.cost.value(), 0.5);  // its own
  Usage usage;
  usage.output_tokens = 1'000'000;
  EXPECT_DOUBLE_EQ((*priced)->cost_of(usage).value(), 3.0);
  EXPECT_TRUE(open(R"({"text":"a","usage":{"input_tokens":1,"cost":0.5}})")->tells_cost());
}

// A conversation in which a tool has replied, with a mark made for it.
Request marked(const std::string& mark) {
  Request request = asking("q");
  Message calls{Role::Assistant, "", {}, {}, false, {}};
  calls.calls.push_back({"c", "f", *parse_json(R"({"a":1})"), R"({"a": 1})"});
  request.messages.push_back(calls);
  request.messages.push_back(
      {Role::Tool, "2 rows\n<data " + mark + ">\nx\n</data " + mark + ">\n", {}, "c", false, {}});
  return request;
}

TEST_F(Scripted, MarksOfDataAreNoOtherRequest) {
  const auto recorded = record(open(R"({"text":"found"})"), "/log.jsonl", env_);
  ASSERT_TRUE((*recorded)->complete(marked("0a1b"), {}));
  const auto played = open_scripted("/log.jsonl", "", env_);
  ASSERT_TRUE(played) << played.error().to_string();
  Request again = marked("ffff");
  again.output_tokens_max = 7;
  again.messages[1].calls[0].written = R"({"a":1})";
  const auto answer = (*played)->complete(again, {});
  ASSERT_TRUE(answer) << answer.error().to_string();
  EXPECT_EQ(answer->text, "found");
  Request other = marked("ffff");
  other.messages[2].text = "3 rows";
  EXPECT_FALSE((*played)->complete(other, {}));
}

TEST_F(Scripted, RecordingsWithAnotherHashAreFoundByTheirRequests) {
  const std::string request = to_json(to_json_value(marked("0a1b")));
  const auto played =
      open(R"({"request_hash":"5f0c","request":)" + request + R"(,"answer":{"text":"found"}})");
  EXPECT_TRUE(played->complete(marked("ffff"), {}));
  EXPECT_FALSE(played->complete(asking("other"), {}));
}

TEST(RequestHash, IsOfWhatDecidesAnAnswer) {
  const std::string hash = request_hash(marked("0a1b"));
  EXPECT_EQ(hash.size(), 64U);
  EXPECT_EQ(request_hash(marked("ffff")), hash);
  const auto changed = [](const std::function<void(Request&)>& change) {
    Request request = marked("0a1b");
    change(request);
    return request_hash(request);
  };
  const std::vector<std::function<void(Request&)>> changes = {
      [](Request& r) { r.system = "T"; },
      [](Request& r) {
        r.tools.push_back({"t", "d", JsonValue()});
      },
      [](Request& r) { r.messages[0].text = "<data 0a1b>"; },  // no reply of a tool
      [](Request& r) { r.messages[1].calls[0].arguments = JsonValue(); },
      [](Request& r) { r.messages[1].calls[0].name = "g"; },
      [](Request& r) { r.messages[2].is_error = true; },
      [](Request& r) { r.messages[2].call_id = "d"; }};
  std::set<std::string> hashes = {hash};
  for (const auto& change : changes) hashes.insert(changed(change));
  EXPECT_EQ(hashes.size(), changes.size() + 1);
}

TEST_F(Scripted, WrongLinesAreNamed) {
  EXPECT_THAT(error_of("{\"text\":\"a\"}\n{\"txt\":\"b\"}"),
              AllOf(HasSubstr("/script.jsonl:2"), HasSubstr("'text'")));
  EXPECT_THAT(error_of("{\"text\":\n"), HasSubstr(":1:"));
  EXPECT_THAT(error_of("[]"), HasSubstr("no JSON object"));
  EXPECT_THAT(error_of(R"({"text":"a","stop":"never"})"), HasSubstr("end_turn"));
  EXPECT_THAT(error_of(R"({"calls":[{"arguments":{}}]})"), HasSubstr("no name"));
  EXPECT_THAT(error_of(R"({"error":{"code":"tired"}})"), HasSubstr("tired"));
  EXPECT_THAT(error_of(R"({"request":{}})"), HasSubstr("neither answer nor error"));
}

TEST_F(Scripted, ExchangesAreRecordedAndPlayedBack) {
  env_.files().put("/answers.jsonl",
                   R"({"text":"one","calls":[{"name":"f","arguments":{"a":1}}],"reasoning":"r"})"
                   "\n"
                   R"({"text":"two"})"
                   "\n"
                   R"({"error":{"code":"denied","message":"no","hint":"ask"}})"
                   "\n"
                   R"({"text":"again"})");
  const auto answers = open_scripted("/answers.jsonl", "m", env_);
  ASSERT_TRUE(answers);
  const auto recorded = record(*answers, "/log.jsonl", env_);
  ASSERT_TRUE(recorded) << recorded.error().to_string();
  EXPECT_EQ((*recorded)->model(), "m");
  std::vector<std::string> asked = {"x", "y", "z", "x"};
  std::vector<std::string> told;
  const auto tell = [](Provider& model, const std::string& text) {
    const auto answer = model.complete(asking(text), {});
    return answer ? to_json(to_json_value(*answer)) : answer.error().to_string();
  };
  for (const std::string& text : asked) told.push_back(tell(**recorded, text));

  const auto played = open_scripted("/log.jsonl", "m", env_);
  ASSERT_TRUE(played) << played.error().to_string();
  // By what is asked, in whatever order; the same again in the order it was.
  for (const std::size_t i : {2, 0, 3, 1}) EXPECT_EQ(tell(**played, asked[i]), told[i]) << i;
  EXPECT_EQ(tell(**played, "x"), told[3]);  // the last stays
}

TEST_F(Scripted, WhatWasNotRecordedNamesTheNearest) {
  Request longer = asking("the first question");
  longer.messages.push_back({Role::Assistant, "hm", {}, {}, false, {}});
  longer.messages.push_back({Role::User, "as it was", {}, {}, false, {}});
  env_.files().put("/answers.jsonl", "{\"text\":\"1\"}\n{\"text\":\"2\"}");
  const auto recorded = record(*open_scripted("/answers.jsonl", "", env_), "/log.jsonl", env_);
  ASSERT_TRUE(recorded);
  ASSERT_TRUE((*recorded)->complete(asking("something else"), {}));
  ASSERT_TRUE((*recorded)->complete(longer, {}));

  const auto played = open_scripted("/log.jsonl", "", env_);
  ASSERT_TRUE(played);
  longer.messages[2].text = "as it is";
  const auto answer = (*played)->complete(longer, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(answer.error().message, AllOf(HasSubstr("line 2"),
                                            HasSubstr("message 3: 'as it was' was recorded, 'as it "
                                                      "is' is asked"),
                                            Not(HasSubstr("differs"))));
  longer.system = "T";
  EXPECT_THAT((*played)->complete(longer, {}).error().message, HasSubstr("system differs"));
}

TEST_F(Scripted, ExchangesWithoutAHashAnswerWhateverComes) {
  const auto model = open(R"({"answer":{"text":"a"}})"
                          "\n"
                          R"({"answer":{"text":"b"}})");
  EXPECT_EQ(model->complete(asking("1"), {})->text, "a");
  EXPECT_EQ(model->complete(asking("2"), {})->text, "b");
  EXPECT_FALSE(model->complete(asking("3"), {}));
}

TEST_F(Scripted, RecordingsHaveNoKnownSecrets) {
  register_secret("tok-4711-secret-of-scripts");
  env_.files().put("/answers.jsonl", R"({"text":"it is tok-4711-secret-of-scripts"})");
  const auto recorded = record(*open_scripted("/answers.jsonl", "", env_), "/log.jsonl", env_);
  ASSERT_TRUE((*recorded)->complete(asking("tok-4711-secret-of-scripts?"), {}));
  const std::string log = env_.files().content("/log.jsonl").value();
  EXPECT_THAT(log, Not(HasSubstr("tok-4711")));
  const auto played = open_scripted("/log.jsonl", "", env_);
  ASSERT_TRUE(played) << played.error().to_string();
  EXPECT_TRUE((*played)->complete(asking("tok-4711-secret-of-scripts?"), {}));
}

TEST_F(Scripted, ARecordThatCannotBeWrittenIsToldAtOnce) {
  env_.files().put("/answers.jsonl", R"({"text":"a"})");
  env_.files().deny("/log.jsonl");
  EXPECT_FALSE(record(*open_scripted("/answers.jsonl", "", env_), "/log.jsonl", env_));
}

TEST_F(Scripted, SeveralThreadsGetEachAnswerOnce) {
  constexpr int kThreads = 4;
  constexpr int kEach = 25;
  std::string script;
  for (int i = 0; i < kThreads * kEach; ++i) {
    script += R"({"text":")" + std::to_string(i) + "\"}\n";
  }
  const auto recorded = record(open(script), "/log.jsonl", env_);
  ASSERT_TRUE(recorded);
  std::mutex mutex;
  std::set<std::string> told;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) {
        const auto answer = (*recorded)->complete(asking("q"), {});
        const std::lock_guard lock(mutex);
        if (answer) told.insert(answer->text);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(told.size(), std::size_t{kThreads} * kEach);
  const std::string log = env_.files().content("/log.jsonl").value();
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), kThreads * kEach);
  EXPECT_TRUE(open_scripted("/log.jsonl", "", env_));
}

TEST_F(Scripted, WhatTheCallerEndsIsNotRecorded) {
  env_.files().put("/answers.jsonl", R"({"text":"a"})");
  const auto recorded = record(*open_scripted("/answers.jsonl", "", env_), "/log.jsonl", env_);
  OpContext context;
  context.cancel.cancel();
  const auto answer = (*recorded)->complete(asking("q"), context);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::Cancelled);
  EXPECT_EQ(env_.files().content("/log.jsonl").value(), "");
}

}  // namespace
}  // namespace helve::llm
