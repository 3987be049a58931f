#include "agent/llm/provider_word.h"

#include <gtest/gtest.h>

#include "agent/llm/provider_settings.h"
#include "tests/support/fake_env.h"

namespace helve::llm {
namespace {

// The question and the key would go to another server than the one that is named.
TEST(ProviderWord, AddressesWithoutASchemeAreRefused) {
  FakeEnv env;
  for (const char* const word :
       {"chat:qwen3@localhost:11434", "chat:qwen3@localhost", "chat:qwen3:8b@10.0.0.1:8000/v1",
        "chat:qwen3@10.0.0.1", "responses:m@models.example.org", "anthropic:m@example.org/v1",
        "chat:m@[::1]:80", "chat:m@box:8080"}) {
    EXPECT_EQ(check_provider_word(word).error().code, ErrorCode::InvalidInput) << word;
    const auto settled = settle_provider({.provider = word}, env);
    ASSERT_FALSE(settled.has_value()) << word;
    EXPECT_EQ(settled.error().code, ErrorCode::InvalidInput) << word;
  }
}

TEST(ProviderWord, OthersAreTaken) {
  for (const char* const word :
       {"", "chat", "chat:qwen3:8b", "chat:qwen3@http://localhost:11434/v1", "anthropic:m@20240620",
        "chat:org/name@v1.2", "chat:m@latest", "chat:a@b@https://example.org/v1",
        "chat:m@http://user@host/v1", "scripted:folder@host:80/answers.jsonl"}) {
    EXPECT_TRUE(check_provider_word(word).has_value()) << word;
  }
}

}  // namespace
}  // namespace helve::llm
