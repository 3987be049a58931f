#include "agent/llm/provider_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "agent/llm/text_file.h"
#include "base/redaction.h"
#include "tests/support/fake_env.h"

namespace helve::llm {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kVariables[] = {"HELVE_PROVIDER",  "HELVE_MODEL",         "HELVE_MODEL_URL",
                                      "HELVE_MODEL_KEY", "HELVE_PRICES",        "ANTHROPIC_API_KEY",
                                      "OPENAI_API_KEY",  "HELVE_TEST_MODEL_KEY"};

class Settings : public ::testing::Test {
 protected:
  Settings() { clear(); }
  ~Settings() override { clear(); }
  static void clear() {
    for (const char* name : kVariables) unsetenv(name);
  }
  static void set(const char* name, const char* value) { setenv(name, value, 1); }

  // "dialect model url key"
  std::string settled(const ProviderWords& words) {
    const auto settings = settle_provider(words, env_);
    if (!settings) return settings.error().to_string();
    return std::string(name_of(settings->dialect)) + " " + settings->model + " " + settings->url +
           " " + settings->key;
  }
  Result<std::vector<HttpRequest>> sent(const ProviderSettings& settings) {
    HELVE_ASSIGN(const auto provider, open_provider(settings, env_));
    static_cast<void>(provider->complete({}, {}).has_value());
    return env_.http().requests();
  }

  FakeEnv env_;
};

TEST_F(Settings, WithoutAModelTheThreeWaysAreTold) {
  const auto settings = settle_provider({}, env_);
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.error().code, ErrorCode::NotFound);
  EXPECT_THAT(settings.error().message,
              AllOf(HasSubstr("--provider"), HasSubstr("HELVE_PROVIDER"), HasSubstr("HELVE_MODEL"),
                    HasSubstr("ANTHROPIC_API_KEY"), HasSubstr("sampling"), HasSubstr("helve mcp")));
}

TEST_F(Settings, WordsComeTogetherOrApart) {
  EXPECT_EQ(settled({.provider = "chat", .model = "m", .url = "http://a.test/v1"}),
            "chat m http://a.test/v1 ");
  EXPECT_EQ(settled({.provider = "chat:llama3.1:8b@http://localhost:11434/v1"}),
            "chat llama3.1:8b http://localhost:11434/v1 ");
  EXPECT_EQ(settled({.provider = "chat:a@b@https://x.test"}), "chat a@b https://x.test ");
  EXPECT_EQ(settled({.provider = "openai:gpt-5", .key = "env:K"}), "responses gpt-5  env:K");
  EXPECT_EQ(settled({.model = "m", .url = "http://a.test"}), "chat m http://a.test ");
  const auto script = settle_provider({.provider = "scripted:/a:b.jsonl"}, env_);
  ASSERT_TRUE(script);
  EXPECT_EQ(script->script, "/a:b.jsonl");
  EXPECT_EQ(settled({.script = "/s"}), "scripted   ");
}

TEST_F(Settings, TheAgentWithoutAModelIsProviderOrModel) {
  EXPECT_EQ(settled({.model = "builtin:rules"}), "builtin rules  ");
  EXPECT_EQ(settled({.provider = "builtin:rules?seed=7"}), "builtin rules?seed=7  ");
  EXPECT_EQ(settled({.provider = "builtin"}), "builtin rules  ");
  set("HELVE_MODEL", "builtin:rules");
  EXPECT_EQ(settled({}), "builtin rules  ");
  EXPECT_THAT(settled({.provider = "anthropic"}), HasSubstr("no model"));
  set("HELVE_PROVIDER", "chat:m@http://a.test/v1");
  set("HELVE_MODEL_KEY", "sk-of-environment");
  EXPECT_EQ(settled({.model = "builtin:rules"}), "builtin rules  ");
  EXPECT_EQ(settled({}), "chat m http://a.test/v1 env:HELVE_MODEL_KEY");
}

TEST_F(Settings, TheAgentWithoutAModelTakesASeed) {
  for (const char* model : {"rules", "rules?seed=0", "Rules?seed=18446744073709551615"}) {
    const auto opened = open_provider({.dialect = Dialect::Builtin, .model = model}, env_);
    ASSERT_TRUE(opened) << model;
    EXPECT_EQ((*opened)->name(), "builtin");
    EXPECT_EQ((*opened)->model(), "rules");
    EXPECT_TRUE((*opened)->tells_cost());
  }
  for (const char* model : {"", "rule", "rules?", "rules?seed=", "rules?seed=x", "rules?seed=1x",
                            "rules?seed=-1", "rules?seed=18446744073709551616", "rules?x=1"}) {
    const auto opened = open_provider({.dialect = Dialect::Builtin, .model = model}, env_);
    ASSERT_FALSE(opened) << model;
    EXPECT_EQ(opened.error().code, ErrorCode::InvalidInput);
  }
}

TEST_F(Settings, TheEnvironmentFillsIn) {
  set("HELVE_PROVIDER", "chat");
  set("HELVE_MODEL", "m");
  set("HELVE_MODEL_URL", "http://a.test/v1");
  set("HELVE_MODEL_KEY", "sk-of-environment");
  EXPECT_EQ(settled({}), "chat m http://a.test/v1 env:HELVE_MODEL_KEY");
  EXPECT_EQ(settled({.model = "n"}), "chat n http://a.test/v1 env:HELVE_MODEL_KEY");
  // Another server does not get this one's key, nor another provider its address.
  EXPECT_EQ(settled({.url = "http://b.test/v1"}), "chat m http://b.test/v1 ");
  EXPECT_EQ(settled({.url = "http://a.test/v2"}), "chat m http://a.test/v2 env:HELVE_MODEL_KEY");
  EXPECT_EQ(settled({.provider = "anthropic", .model = "c"}), "anthropic c  ");
  set("HELVE_MODEL_KEY", "file:/key");
  EXPECT_EQ(settled({}), "chat m http://a.test/v1 file:/key");
}

TEST_F(Settings, AScriptGoesBeforeTheEnvironment) {
  set("HELVE_PROVIDER", "chat:m@http://a.test");
  set("HELVE_MODEL_KEY", "sk-of-environment");
  EXPECT_EQ(settled({.script = "/s"}), "scripted   ");
  EXPECT_EQ(settle_provider({.script = "/s"}, env_)->script, "/s");
  EXPECT_EQ(settled({.model = "n", .script = "/s"}), "scripted n  ");
  for (const ProviderWords& words :
       {ProviderWords{.provider = "chat:m@http://a.test", .script = "/s"},
        ProviderWords{.provider = "anthropic", .script = "/s"},
        ProviderWords{.provider = "scripted:/other", .script = "/s"}}) {
    const auto settings = settle_provider(words, env_);
    ASSERT_FALSE(settings) << words.provider;
    EXPECT_EQ(settings.error().code, ErrorCode::InvalidInput);
    EXPECT_THAT(settings.error().message, HasSubstr(words.provider));
    EXPECT_FALSE(settings.error().hint.empty());
  }
  EXPECT_TRUE(settle_provider({.provider = "scripted", .script = "/s"}, env_));
  EXPECT_TRUE(settle_provider({.provider = "scripted:/s", .script = "/s"}, env_));
  // And who names a server means no script.
  set("HELVE_PROVIDER", "scripted:/s");
  EXPECT_EQ(settled({.model = "m", .url = "http://a.test"}), "chat m http://a.test ");
}

TEST_F(Settings, NamesOfProvidersHaveNoCase) {
  EXPECT_EQ(settle_provider({.provider = "Scripted:/s"}, env_)->script, "/s");
  EXPECT_EQ(settled({.provider = "CHAT:m@http://a.test"}), "chat m http://a.test ");
}

TEST_F(Settings, AKeyWithoutAnAddressIsForTheServiceItself) {
  set("HELVE_MODEL_KEY", "sk-of-environment");
  for (const char* provider : {"", "chat"}) {
    set("HELVE_PROVIDER", provider);
    EXPECT_EQ(settled({.provider = "chat", .model = "m"}), "chat m  env:HELVE_MODEL_KEY");
    EXPECT_EQ(settled({.model = "m", .url = "https://api.openai.com/v1"}),
              "chat m https://api.openai.com/v1 env:HELVE_MODEL_KEY");
    for (const char* url : {"http://b.test/v1", "http://api.openai.com/v1"}) {
      EXPECT_EQ(settled({.model = "m", .url = url}), "chat m " + std::string(url) + " ");
      EXPECT_EQ(settled({.model = "m", .url = url, .key = "env:HELVE_MODEL_KEY"}),
                "chat m " + std::string(url) + " env:HELVE_MODEL_KEY");
    }
  }
  EXPECT_EQ(settled({.provider = "anthropic", .model = "c"}), "anthropic c  ");
}

TEST_F(Settings, ScriptsMayHavePrices) {
  env_.files().put("/prices.toml",
                   "[scripted]\ninput = 2\noutput = 3\n[m]\ninput = 1\noutput = 1\n");
  const auto nameless = settle_provider({.prices_file = "/prices.toml", .script = "/s"}, env_);
  ASSERT_TRUE(nameless && nameless->prices);
  EXPECT_DOUBLE_EQ(nameless->prices->input, 2);
  const auto named =
      settle_provider({.model = "m", .prices_file = "/prices.toml", .script = "/s"}, env_);
  ASSERT_TRUE(named && named->prices);
  EXPECT_DOUBLE_EQ(named->prices->input, 1);
}

TEST_F(Settings, KeysOfServicesNameTheirProviders) {
  set("HELVE_MODEL", "some-model");
  set("ANTHROPIC_API_KEY", "sk-ant-1");
  EXPECT_EQ(settled({}), "anthropic some-model  ");
  set("OPENAI_API_KEY", "sk-2");
  EXPECT_EQ(settled({}), "responses some-model  ");
  EXPECT_EQ(settled({.model = "claude-x"}), "anthropic claude-x  ");
  unsetenv("HELVE_MODEL");
  unsetenv("OPENAI_API_KEY");
  EXPECT_THAT(settled({}),
              AllOf(HasSubstr("'anthropic' is given and no model"), HasSubstr("HELVE_MODEL")));
}

TEST_F(Settings, AModelWithoutAProviderIsSaidSo) {
  EXPECT_THAT(settled({.model = "qwen3"}),
              AllOf(HasSubstr("'qwen3' is given and no provider"), HasSubstr("--url")));
}

TEST_F(Settings, UnknownProvidersHaveNearNames) {
  EXPECT_THAT(settled({.provider = "antropic", .model = "m"}),
              AllOf(HasSubstr("'antropic'"), HasSubstr("did you mean 'anthropic'")));
  EXPECT_THAT(settled({.provider = "xyz", .model = "m"}), HasSubstr("chat"));
  EXPECT_EQ(*read_dialect("OpenAI"), Dialect::Responses);
  EXPECT_EQ(name_of(Dialect::Responses), "responses");
}

TEST_F(Settings, PricesComeFromAFile) {
  env_.files().put("/prices.toml", "[m]\ninput = 2\noutput = 3\n");
  const auto settings =
      settle_provider({.provider = "chat:m@http://a.test", .prices_file = "/prices.toml"}, env_);
  ASSERT_TRUE(settings);
  ASSERT_TRUE(settings->prices);
  EXPECT_DOUBLE_EQ(settings->prices->output, 3);
  set("HELVE_PRICES", "/nowhere.toml");
  EXPECT_THAT(settled({.provider = "chat:m@http://a.test"}), HasSubstr("/nowhere.toml"));
}

TEST_F(Settings, AServiceGetsItsOwnKeyAndNoOtherHostDoes) {
  set("OPENAI_API_KEY", "sk-of-the-service");
  ProviderSettings settings;
  settings.model = "m";
  auto requests = sent(settings);
  ASSERT_TRUE(requests) << requests.error().to_string();
  ASSERT_FALSE(requests->empty());
  EXPECT_EQ(requests->back().credentials[0].second, "Bearer sk-of-the-service");
  for (const char* url : {"http://localhost:8000/v1", "https://api.openai.com.evil.test/v1",
                          "http://api.openai.com/v1"}) {
    settings.url = url;
    requests = sent(settings);
    ASSERT_TRUE(requests) << requests.error().to_string();
    EXPECT_TRUE(requests->back().credentials.empty()) << url;
  }
}

TEST_F(Settings, WhatIsMissingIsSaid) {
  ProviderSettings settings;
  const auto error = [&] {
    const auto opened = open_provider(settings, env_);
    return opened ? std::string("none") : opened.error().to_string();
  };
  EXPECT_THAT(error(), HasSubstr("--model"));
  settings.model = "m";
  EXPECT_THAT(error(), AllOf(HasSubstr("api.openai.com"), HasSubstr("OPENAI_API_KEY")));
  settings.dialect = Dialect::Anthropic;
  EXPECT_THAT(error(), HasSubstr("ANTHROPIC_API_KEY"));
  settings.key = "sk-secret-itself";
  EXPECT_THAT(error(), AllOf(HasSubstr("env:NAME"), Not(HasSubstr("sk-secret-itself"))));
  settings.key = "env:HELVE_TEST_MODEL_KEY";
  EXPECT_THAT(error(), HasSubstr("HELVE_TEST_MODEL_KEY is not set"));
  set("HELVE_TEST_MODEL_KEY", "two words");
  EXPECT_THAT(error(), AllOf(HasSubstr("no key"), Not(HasSubstr("two words"))));
  set("HELVE_TEST_MODEL_KEY", "sk-1234567890");
  EXPECT_EQ(error(), "none");
  settings.url = "localhost:8000";
  EXPECT_THAT(error(), HasSubstr("localhost:8000"));
  settings.url.clear();
  settings.retries_max = 100;
  EXPECT_THAT(error(), HasSubstr("retries"));
  settings.retries_max = 2;
  settings.model = "two words";
  EXPECT_THAT(error(), HasSubstr("no name of a model"));
  settings.model = "m";
  settings.silence_timeout = Duration(0);
  EXPECT_THAT(error(), HasSubstr("limit"));
  settings.dialect = Dialect::Scripted;
  EXPECT_THAT(error(), HasSubstr("scripted:FILE"));
}

TEST_F(Settings, KeysMayBeInFiles) {
  env_.files().put("/key", "  sk-in-a-file\n");
  EXPECT_EQ(read_key("file:/key", env_).value(), "sk-in-a-file");
  env_.files().put("/large", std::string(10'000, 'x'));
  EXPECT_EQ(read_key("file:/large", env_).error().code, ErrorCode::LimitExceeded);
  EXPECT_EQ(read_key("file:/none", env_).error().code, ErrorCode::NotFound);
}

TEST_F(Settings, HeadersMayNameSecrets) {
  set("HELVE_TEST_MODEL_KEY", "gate-0123456789");
  ProviderSettings settings;
  settings.model = "m";
  settings.url = "http://localhost:8000";
  settings.headers = {{"X-Gate", "env:HELVE_TEST_MODEL_KEY"}, {"X-Team", "graphs"}};
  auto requests = sent(settings);
  ASSERT_TRUE(requests) << requests.error().to_string();
  HttpHeaders credentials = {{"X-Gate", "gate-0123456789"}, {"X-Team", "graphs"}};
  EXPECT_EQ(requests->back().credentials, credentials);
  // Of several words, of which each is a secret.
  set("HELVE_TEST_MODEL_KEY", "Bearer gate-9876543210\n");
  requests = sent(settings);
  ASSERT_TRUE(requests) << requests.error().to_string();
  credentials[0].second = "Bearer gate-9876543210";
  EXPECT_EQ(requests->back().credentials, credentials);
  EXPECT_EQ(redact("gate-9876543210"), kRedacted);
}

TEST_F(Settings, AnyProviderIsRecorded) {
  ProviderSettings settings;
  settings.model = "m";
  settings.url = "http://localhost:8000";
  settings.record = "/log.jsonl";
  env_.http().reply(200, R"({"choices":[{"message":{"content":"hi"}}]})");
  const auto requests = sent(settings);
  ASSERT_TRUE(requests) << requests.error().to_string();
  EXPECT_THAT(env_.files().content("/log.jsonl").value(), HasSubstr(R"("text":"hi")"));
}

}  // namespace
}  // namespace helve::llm
