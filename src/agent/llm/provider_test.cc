#include "agent/llm/provider.h"

#include <gtest/gtest.h>

#include <limits>

namespace helve::llm {
namespace {

Usage usage_of(std::uint64_t input, std::uint64_t output, std::optional<double> cost) {
  Usage usage;
  usage.input_tokens = input;
  usage.output_tokens = output;
  usage.cost = cost;
  return usage;
}

TEST(Usage, AddsUp) {
  Usage total;
  total += usage_of(10, 5, 0.5);
  Usage cached = usage_of(20, 1, 0.25);
  cached.cached_tokens = 8;
  cached.cache_write_tokens = 4;
  cached.is_estimated = true;
  total += cached;
  EXPECT_EQ(total.input_tokens, 30U);
  EXPECT_EQ(total.output_tokens, 6U);
  EXPECT_EQ(total.cached_tokens, 8U);
  EXPECT_EQ(total.cache_write_tokens, 4U);
  EXPECT_TRUE(total.is_estimated);
  EXPECT_DOUBLE_EQ(total.cost.value(), 0.75);
}

TEST(Usage, ASumWithAnUnknownPriceHasNone) {
  Usage total = usage_of(1, 1, 0.5);
  total += usage_of(1, 1, std::nullopt);
  EXPECT_FALSE(total.cost);
  total += usage_of(1, 1, 0.5);
  EXPECT_FALSE(total.cost);
  Usage same = usage_of(1, 1, 0.5);
  same += Usage{};
  EXPECT_DOUBLE_EQ(same.cost.value(), 0.5);
}

TEST(Usage, DoesNotOverflow) {
  constexpr auto kMax = std::numeric_limits<std::uint64_t>::max();
  Usage total = usage_of(kMax, 1, std::nullopt);
  total += usage_of(5, kMax, std::nullopt);
  EXPECT_EQ(total.input_tokens, kMax);
  EXPECT_EQ(total.output_tokens, kMax);
}

TEST(Stop, HasNames) {
  EXPECT_EQ(name_of(Stop::EndTurn), "end_turn");
  EXPECT_EQ(name_of(Stop::OutputCap), "output_cap");
  EXPECT_EQ(name_of(Stop::Other), "other");
}

}  // namespace
}  // namespace helve::llm
