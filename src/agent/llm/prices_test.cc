#include "agent/llm/prices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::llm {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kFile = R"(
["gpt-5*"]
input = 1.25
cached = 0.125
output = 10

["gpt-5-mini"]
input = 0.25
cached = 0.025
cache_write = 0.5
output = 2

["gpt-5-pro*"]
input = 15
output = 120
)";

TEST(Prices, AreFoundByTheNearestName) {
  const auto list = read_prices(kFile, "prices.toml");
  ASSERT_TRUE(list) << list.error().to_string();
  EXPECT_DOUBLE_EQ(find_prices(*list, "gpt-5-mini")->input, 0.25);
  EXPECT_DOUBLE_EQ(find_prices(*list, "gpt-5-mini-2025")->input, 1.25);
  EXPECT_DOUBLE_EQ(find_prices(*list, "gpt-5-pro-1")->input, 15);
  EXPECT_FALSE(find_prices(*list, "gpt-4"));
}

TEST(Prices, WhatIsLeftOutCostsAsInput) {
  const auto list = read_prices(kFile, "prices.toml");
  ASSERT_TRUE(list);
  const auto prices = find_prices(*list, "gpt-5-pro");
  ASSERT_TRUE(prices);
  EXPECT_DOUBLE_EQ(prices->cached, 15);
  EXPECT_DOUBLE_EQ(prices->cache_write, 15);
}

TEST(Prices, TokensCostOnce) {
  Usage usage;
  usage.input_tokens = 1'000'000;
  usage.cached_tokens = 600'000;
  usage.cache_write_tokens = 100'000;
  usage.output_tokens = 200'000;
  EXPECT_DOUBLE_EQ(cost_of(usage, {10, 1, 12, 50}), 3.0 + 0.6 + 1.2 + 10.0);
  usage.cached_tokens = 5'000'000;  // a server that cannot count
  EXPECT_DOUBLE_EQ(cost_of(usage, {10, 1, 12, 50}), 5.0 + 1.2 + 10.0);
}

TEST(Prices, WrongFilesSayWhere) {
  const auto error = [](const char* text) {
    const auto list = read_prices(text, "p.toml");
    return list ? std::string("none") : list.error().to_string();
  };
  EXPECT_THAT(error("[m]\ninput = 1\noutptu = 2\n"),
              AllOf(HasSubstr("p.toml:3"), HasSubstr("'output'")));
  EXPECT_THAT(error("[m]\ninput = -1\noutput = 2\n"), HasSubstr("p.toml:2"));
  EXPECT_THAT(error("[m]\ninput = 1\n"), HasSubstr("input and output"));
  EXPECT_THAT(error("m = 1\n"), HasSubstr("table"));
  EXPECT_THAT(error("[m\n"), HasSubstr("p.toml:1"));
}

}  // namespace
}  // namespace helve::llm
