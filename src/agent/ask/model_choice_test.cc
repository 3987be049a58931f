#include "agent/ask/model_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_env.h"
#include "tests/support/fake_model.h"

namespace helve::agent {
namespace {

using ::testing::HasSubstr;

ModelWords words(llm::ProviderWords model, llm::ProviderWords sub_model) {
  return {std::move(model), std::move(sub_model)};
}

TEST(SubModel, TakesTheServerOfTheModel) {
  const auto sub = sub_model_words(words({.provider = "chat:large@http://one/v1",
                                          .key = "env:ONE",
                                          .prices_file = "prices.toml",
                                          .record = "log.jsonl"},
                                         {.model = "small"}));
  ASSERT_TRUE(sub.has_value());
  EXPECT_EQ(sub->provider, "chat:large@http://one/v1");
  EXPECT_EQ(sub->model, "small");
  EXPECT_EQ(sub->key, "env:ONE");
  EXPECT_EQ(sub->prices_file, "prices.toml");
  EXPECT_EQ(sub->record, "log.jsonl");
}

// A key belongs to its server.
TEST(SubModel, OfAnotherServerDoesNotGetTheKey) {
  const ModelWords at_url = words({.provider = "chat", .url = "http://one/v1", .key = "env:ONE"},
                                  {.model = "small", .url = "http://two/v1"});
  const auto sub = sub_model_words(at_url);
  ASSERT_TRUE(sub.has_value());
  EXPECT_EQ(sub->key, "");
  EXPECT_EQ(sub->url, "http://two/v1");
  const ModelWords provided = words({.provider = "chat", .url = "http://one/v1", .key = "env:ONE"},
                                    {.provider = "anthropic", .model = "small"});
  EXPECT_EQ(sub_model_words(provided)->key, "");
  EXPECT_EQ(sub_model_words(provided)->url, "");
}

TEST(SubModel, BesideAScriptNeedsAProviderOfItsOwn) {
  FakeEnv env;
  env.files().put("/answers.jsonl", "{\"text\":\"a\"}\n");
  env.files().put("/others.jsonl", "{\"text\":\"b\"}\n");
  const llm::ProviderWords script{.script = "/answers.jsonl"};
  EXPECT_EQ(open_models(words(script, {.model = "small"}), Loop::Rlm, env).error().code,
            ErrorCode::InvalidInput);
  const auto both =
      open_models(words(script, {.provider = "scripted:/others.jsonl"}), Loop::Rlm, env);
  ASSERT_TRUE(both.has_value()) << both.error().to_string();
  ASSERT_NE(both->sub_model, nullptr);
  EXPECT_EQ(both->sub_model->complete({}, {})->text, "b");
  EXPECT_EQ(both->model->complete({}, {})->text, "a");
  EXPECT_EQ(open_models(words(script, {}), Loop::Rlm, env)->sub_model, nullptr);
  const auto react =
      open_models(words(script, {.provider = "scripted:/others.jsonl"}), Loop::React, env);
  EXPECT_EQ(react.error().code, ErrorCode::InvalidInput);
}

TEST(Requests, AreCheckedBeforeAnythingIsPaidFor) {
  class Free final : public llm::Provider {
   public:
    Result<llm::Answer> complete(const llm::Request& /*request*/, const OpContext& /*context*/,
                                 const llm::StreamSink* /*sink*/) override {
      return Error{ErrorCode::Internal, "asked"};
    }
    bool tells_cost() const override { return false; }
    std::string name() const override { return "free"; }
    std::string model() const override { return "free-1"; }
  };
  Free free;
  helve::testing::FakeModel priced({});
  AskRequest request;
  request.limits.cost_max = 1;
  EXPECT_TRUE(check_request(request, priced, nullptr).has_value());
  const auto unpriced = check_request(request, free, nullptr);
  ASSERT_FALSE(unpriced.has_value());
  EXPECT_EQ(unpriced.error().code, ErrorCode::InvalidInput);
  EXPECT_FALSE(check_request(request, priced, &free).has_value());
  request.limits.cost_max.reset();
  request.signature = "context -> answer";
  EXPECT_THAT(check_request(request, free, nullptr).error().hint, HasSubstr("--loop rlm"));
  request.loop = Loop::Rlm;
  EXPECT_TRUE(check_request(request, free, nullptr).has_value());
  request.signature = "answer";
  EXPECT_THAT(check_request(request, free, nullptr).error().message, HasSubstr("->"));
}

}  // namespace
}  // namespace helve::agent
