#include "agent/llm/model_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/fake_env.h"

namespace helve::llm {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kConfigVariables[] = {
    "HELVE_PROVIDER", "HELVE_MODEL",     "HELVE_MODEL_URL", "HELVE_MODEL_KEY",
    "HELVE_PRICES",   "HELVE_TEST_GATE", "OPENAI_API_KEY",  "ANTHROPIC_API_KEY"};

constexpr const char* kWhole = R"([model]
provider = "chat"
model = "qwen3"
url = "http://models.test/v1"
key = "file:keys/model"
record = "log.jsonl"
retries_max = 5
connect_timeout = 2.5
answer_timeout = 60
silence_timeout = 7
answer_bytes_max = 2048
allows_private = false

[model.prices]
input = 1.5
output = 6

[model.headers]
X-Team = "graphs"
X-Gate-Key = "env:HELVE_TEST_GATE"
Cookie = "file:cookie"
)";

class ModelFile : public ::testing::Test {
 protected:
  ModelFile() { clear(); }
  ~ModelFile() override { clear(); }
  static void clear() {
    for (const char* name : kConfigVariables) unsetenv(name);
  }

  std::string error_of(const std::string& text) {
    env_.files().put("/conf/model.toml", text);
    const auto read = read_model_file("/conf/model.toml", env_);
    return read ? "none" : read.error().to_string();
  }
  Result<ProviderSettings> settled(ProviderWords words = {}, const char* text = kWhole) {
    env_.files().put("/conf/model.toml", text);
    words.config_file = "/conf/model.toml";
    return settle_provider(words, env_);
  }

  FakeEnv env_;
};

TEST_F(ModelFile, SaysAllThatThereIsToSay) {
  const auto settings = settled();
  ASSERT_TRUE(settings) << settings.error().to_string();
  EXPECT_EQ(settings->dialect, Dialect::Chat);
  EXPECT_EQ(settings->model, "qwen3");
  EXPECT_EQ(settings->url, "http://models.test/v1");
  EXPECT_EQ(settings->key, "file:/conf/keys/model");
  EXPECT_EQ(settings->record, "/conf/log.jsonl");
  EXPECT_EQ(settings->retries_max, 5U);
  EXPECT_EQ(settings->connect_timeout, milliseconds(2'500));
  EXPECT_EQ(settings->answer_timeout, seconds(60));
  EXPECT_EQ(settings->silence_timeout, seconds(7));
  EXPECT_EQ(settings->answer_bytes_max, 2'048U);
  EXPECT_FALSE(settings->allows_private);
  ASSERT_TRUE(settings->prices);
  EXPECT_DOUBLE_EQ(settings->prices->cached, 1.5);
  EXPECT_DOUBLE_EQ(settings->prices->output, 6);
  const std::vector<std::pair<std::string, std::string>> headers = {
      {"X-Team", "graphs"}, {"X-Gate-Key", "env:HELVE_TEST_GATE"}, {"Cookie", "file:/conf/cookie"}};
  EXPECT_EQ(settings->headers, headers);
}

TEST_F(ModelFile, WhatItLeavesOutIsAsUsual) {
  const auto settings = settled({}, "[model]\nprovider = \"chat:m@http://a.test\"\n");
  ASSERT_TRUE(settings) << settings.error().to_string();
  const ProviderSettings usual;
  EXPECT_EQ(settings->model, "m");
  EXPECT_EQ(settings->retries_max, usual.retries_max);
  EXPECT_EQ(settings->answer_timeout, usual.answer_timeout);
  EXPECT_EQ(settings->answer_bytes_max, usual.answer_bytes_max);
  EXPECT_TRUE(settings->allows_private);
  EXPECT_FALSE(settings->prices);
}

TEST_F(ModelFile, WordsGoBeforeItAndItGoesBeforeTheEnvironment) {
  setenv("HELVE_MODEL", "of-environment", 1);
  setenv("HELVE_MODEL_KEY", "sk-of-environment", 1);
  setenv("HELVE_MODEL_URL", "http://elsewhere.test", 1);
  EXPECT_EQ(settled()->model, "qwen3");
  EXPECT_EQ(settled()->url, "http://models.test/v1");
  EXPECT_EQ(settled({.model = "other"})->model, "other");
  EXPECT_FALSE(settled({.model = "other"})->prices) << "those are of its own model";
  EXPECT_EQ(settled({.key = "env:K"})->key, "env:K");
  const auto filled = settled({}, "[model]\nprovider = \"chat\"\nretries_max = 0\n");
  EXPECT_EQ(filled->model, "of-environment");
  EXPECT_EQ(filled->url, "http://elsewhere.test");
  EXPECT_EQ(filled->key, "env:HELVE_MODEL_KEY");
  EXPECT_EQ(filled->retries_max, 0U);
}

TEST_F(ModelFile, KeyAndHeadersAreForItsServerAlone) {
  const auto elsewhere = settled({.url = "http://b.test"});
  ASSERT_TRUE(elsewhere) << elsewhere.error().to_string();
  EXPECT_EQ(elsewhere->model, "qwen3");
  EXPECT_EQ(elsewhere->key, "");
  EXPECT_TRUE(elsewhere->headers.empty());
  EXPECT_EQ(elsewhere->retries_max, 5U);
  EXPECT_EQ(settled({.url = "http://models.test/v2"})->key, "file:/conf/keys/model");
  const auto other = settled({.provider = "anthropic", .model = "c"});
  EXPECT_EQ(other->url, "");
  EXPECT_EQ(other->key, "");
  EXPECT_TRUE(other->headers.empty());
}

TEST_F(ModelFile, MayNameAScriptOrAFileOfPrices) {
  env_.files().put("/conf/prices.toml", "[\"m*\"]\ninput = 2\noutput = 3\n");
  const auto settings = settled({},
                                "[model]\nscript = \"s.jsonl\"\nmodel = \"m1\"\n"
                                "prices = \"prices.toml\"\n");
  ASSERT_TRUE(settings) << settings.error().to_string();
  EXPECT_EQ(settings->dialect, Dialect::Scripted);
  EXPECT_EQ(settings->script, "/conf/s.jsonl");
  EXPECT_DOUBLE_EQ(settings->prices->output, 3);
  EXPECT_FALSE(settled({}, "[model]\nscript = \"s.jsonl\"\nprovider = \"chat\"\n"));
}

TEST_F(ModelFile, UnknownKeysHaveALineAndTheNearestName) {
  EXPECT_THAT(error_of("[model]\nmodel = \"m\"\nretries = 3\n"),
              AllOf(HasSubstr("/conf/model.toml:3:"), HasSubstr("unknown key \"retries\""),
                    HasSubstr("did you mean retries_max?")));
  EXPECT_THAT(error_of("[modle]\nmodel = \"m\"\n"),
              AllOf(HasSubstr(":1:"), HasSubstr("did you mean model?")));
  EXPECT_THAT(error_of("[model.prices]\ninptu = 3\n"),
              AllOf(HasSubstr(":2:"), HasSubstr("did you mean 'input'?")));
  EXPECT_THAT(error_of(""), HasSubstr("no section [model]"));
  EXPECT_THAT(error_of("model = \"m\"\n"), HasSubstr("model must be a table"));
}

TEST_F(ModelFile, WrongValuesHaveTheirPlace) {
  for (const char* line :
       {"retries_max = 11", "retries_max = \"2\"", "answer_timeout = 0", "answer_timeout = -1",
        "silence_timeout = \"2min\"", "connect_timeout = 100000", "answer_bytes_max = 1",
        "answer_bytes_max = 1.5", "allows_private = \"yes\"", "model = \"\"", "headers = \"X\"",
        "prices = 3", "[model.prices]\ninput = 1", "[model.headers]\nX-Team = 4",
        "[model.headers]\n\"X Team\" = \"a\"", "[model.headers]\nX-Team = \"a\\r\\nHost: b\""}) {
    EXPECT_THAT(error_of("[model]\n" + std::string(line) + "\n"), HasSubstr("/conf/model.toml:"))
        << line;
  }
}

TEST_F(ModelFile, SecretsAreNamedAndNotRepeated) {
  for (const char* line :
       {"key = \"abc-plain-4711\"", "[model.headers]\nAuthorization = \"Bearer abc-plain-4711\"",
        "[model.headers]\nX-Api-Key = \"abc-plain-4711\"",
        "[model.headers]\nX-Gate = \"sk-ant-api03-abcplain4711abcplain4711abcplain4711\""}) {
    const std::string error = error_of("[model]\n" + std::string(line) + "\n");
    EXPECT_THAT(error, AllOf(HasSubstr("line "), HasSubstr("env:NAME"), Not(HasSubstr("plain"))))
        << line;
  }
}

}  // namespace
}  // namespace helve::llm
