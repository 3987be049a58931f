#include "agent/llm/rules/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace helve::llm::rules {
namespace {

using ::testing::ElementsAre;

TEST(RulesWords, NamesAreSplit) {
  EXPECT_THAT(words_of_name("q:forgedBy"), ElementsAre("forged", "by"));
  EXPECT_THAT(words_of_name("<https://example.org/q/deepLake_2>"),
              ElementsAre("deep", "lake", "2"));
  EXPECT_THAT(words_of_name("mean depth (m)"), ElementsAre("mean", "depth"));
  EXPECT_THAT(words_of_name(""), ElementsAre());
  EXPECT_LE(words_of_name(std::string(100'000, 'a') + " b").size(), 24U);
}

TEST(RulesWords, FormsOfAWordHaveOneStem) {
  EXPECT_EQ(stem("carries"), stem("carried"));
  EXPECT_EQ(stem("gongs"), stem("gong"));
  EXPECT_EQ(stem("forging"), stem("forged"));
  EXPECT_EQ(stem("batches"), stem("batch"));
  EXPECT_EQ(stem("Guilds"), "guild");
  EXPECT_NE(stem("gong"), stem("going"));
}

TEST(RulesWords, TheSameWordsAreAlike) {
  EXPECT_DOUBLE_EQ(likeness({stem("forge")}, "q:forgedBy"), 1);
  EXPECT_DOUBLE_EQ(likeness({stem("gongs")}, "q:Gong"), 1);
  EXPECT_GT(likeness({stem("depth")}, "q:meanDepth"), likeness({stem("depth")}, "q:meanWidth"));
  EXPECT_EQ(likeness({}, "q:Gong"), 0);
  EXPECT_EQ(likeness({"gong"}, ""), 0);
}

TEST(RulesWords, SeedsDiffer) {
  EXPECT_EQ(mix(1, "a"), mix(1, "a"));
  std::set<std::uint64_t> all;
  for (std::uint64_t seed = 0; seed < 100; ++seed) all.insert(mix(seed, "a"));
  EXPECT_EQ(all.size(), 100U);
}

}  // namespace
}  // namespace helve::llm::rules
