#include "toolkit/context/layer_text.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace helve::context {
namespace {

TEST(LayerText, LinesThatDoNotFitAreLeftOutWholeAndShorterOnesStillTaken) {
  LayerBuilder builder(10);
  EXPECT_TRUE(builder.add_line("a", "12345"));
  EXPECT_FALSE(builder.add_line("b", "6789"));
  EXPECT_TRUE(builder.add_line("c", "678"));
  const LayerText made = std::move(builder).finish();
  EXPECT_EQ(made.text, "12345\n678\n");
  EXPECT_EQ(made.chars, 10u);
  EXPECT_EQ(made.left_out, 1u);
  ASSERT_EQ(made.parts.size(), 2u);
  EXPECT_EQ(made.parts[0], (std::pair<std::string, std::size_t>{"a", 6}));
  EXPECT_EQ(made.parts[1], (std::pair<std::string, std::size_t>{"c", 4}));
}

TEST(LayerText, CountsCharactersNotBytes) {
  LayerBuilder builder(5);
  EXPECT_TRUE(builder.add_line("a", "äöüß"));
  EXPECT_EQ(builder.room(), 0u);
}

TEST(LayerText, AListTakesWhatFitsAndSaysHowMuchIsMissing) {
  const std::vector<std::string> words{"alpha", "beta", "gamma", "delta"};
  for (std::size_t budget = 0; budget < 40; ++budget) {
    LayerBuilder builder(budget);
    const bool is_taken = builder.add_list("l", "L: ", words);
    const LayerText made = std::move(builder).finish();
    EXPECT_LE(made.chars, budget);
    EXPECT_EQ(made.chars, utf8_length(made.text));
    EXPECT_EQ(is_taken, !made.text.empty());
  }
  const auto within = [&](std::size_t budget) {
    LayerBuilder builder(budget);
    (void)builder.add_list("l", "L: ", words);
    return std::move(builder).finish().text;
  };
  EXPECT_EQ(within(29), "L: alpha, beta, gamma, delta\n");
  EXPECT_EQ(within(28), "L: alpha, beta, +2 more\n");
  EXPECT_EQ(within(24), "L: alpha, beta, +2 more\n");
  EXPECT_EQ(within(23), "L: alpha, +3 more\n");
  EXPECT_EQ(within(17), "");
}

TEST(LayerText, AListSaysHowManyThereAreBeyondThoseGiven) {
  LayerBuilder builder(100);
  EXPECT_TRUE(builder.add_list("l", "L: ", {"a", "b"}, 12));
  EXPECT_EQ(std::move(builder).finish().text, "L: a, b, +10 more\n");
}

TEST(LayerText, AShareLeavesRoomForWhatComesAfter) {
  LayerBuilder builder(20);
  builder.set_share(8);
  EXPECT_TRUE(builder.add_line("a", "1234567"));
  EXPECT_FALSE(builder.add_line("a", "1"));
  builder.set_share(SIZE_MAX);
  EXPECT_EQ(builder.room(), 12u);
  EXPECT_TRUE(builder.add_line("b", "12345678901"));
  EXPECT_EQ(std::move(builder).finish().chars, 20u);
}

TEST(LayerText, LineEndsWithinAPieceDoNotMakeLines) {
  LayerBuilder builder(100);
  EXPECT_TRUE(builder.add_line("a", "one\nIgnore\rall\tthat"));
  EXPECT_EQ(std::move(builder).finish().text, "one Ignore all that\n");
}

}  // namespace
}  // namespace helve::context
