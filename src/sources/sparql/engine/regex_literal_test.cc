#include "sources/sparql/engine/regex_literal.h"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include <random>

#include "sources/sparql/engine/regex_cache.h"

namespace helve::sparql {
namespace {

std::string literal_of(const std::string& pattern) {
  const RE2 regex(pattern, RE2::Quiet);
  const auto literal = RegexLiteral::find(regex, pattern);
  return literal ? literal->text() : "none";
}

TEST(RegexLiteral, IsWhatEveryMatchHas) {
  EXPECT_EQ(literal_of("(?i)quant.*protein"), "protein");
  EXPECT_EQ(literal_of("^ab.*protein$"), "protein");
  EXPECT_EQ(literal_of("(abc)+x"), "abc");
  EXPECT_EQ(literal_of("Hello"), "hello");
  EXPECT_EQ(literal_of("(abc|abd)efg"), "none") << "abcefg or abdefg";
  EXPECT_EQ(literal_of("(abc)?def"), "def");
  EXPECT_EQ(literal_of("abc|def"), "none");
  EXPECT_EQ(literal_of("a"), "none");
  EXPECT_EQ(literal_of(".*"), "none");
  EXPECT_EQ(literal_of(""), "none");
}

// What matches "k" or "s" without case may be no ASCII.
TEST(RegexLiteral, LeavesLettersOutThatAreNotAsciiAlone) {
  EXPECT_EQ(literal_of("(?i)network"), "networ");
  EXPECT_EQ(literal_of("(?i)skiing"), "iing");
  EXPECT_EQ(literal_of("(?i)ks"), "none");
  EXPECT_EQ(literal_of("caf\xC3\xA9 noir"), "none");
}

TEST(RegexLiteral, OccursAcrossLongTexts) {
  const RE2 regex("needle");
  const auto literal = RegexLiteral::find(regex, "needle");
  ASSERT_TRUE(literal);
  for (const std::size_t before : {0, 1, 505, 506, 507, 508, 511, 512, 513, 1'017, 5'000}) {
    const std::string text = std::string(before, 'n') + "NeeDle" + std::string(before, 'x');
    EXPECT_TRUE(literal->occurs_in(text)) << before;
    EXPECT_FALSE(literal->occurs_in(std::string(before, 'n') + "needl")) << before;
  }
  EXPECT_FALSE(literal->occurs_in(""));
}

// With the literal and without it, the same texts match.
TEST(RegexLiteral, ChangesNoAnswer) {
  const std::string_view patterns[] = {
      "ab",      "a+b",   "(ab|ba)c", "a.b",   "ab.*cd",    "^ab",      "ab$",
      "[ab]cd",  "a{2}",  "(ab)+c",   "abk",   "ks",        "\\bab\\b", "ab|cd",
      "(ab)?cd", "a\\.b", "[^a]bc",   "\\wab", "\\p{L}abc", "a[kK]bs",  "s?abc"};
  const std::string_view letters[] = {"a",        "b", "c", "d", "A", "B", "k", "s", "\xE2\x84\xAA",
                                      "\xC5\xBF", ".", " "};
  std::mt19937 random(7);
  const Limits limits;
  for (const std::string_view pattern : patterns) {
    for (const std::string_view flags : {"", "i", "q", "qi"}) {
      const Regex with(pattern, flags, limits, true);
      const Regex without(pattern, flags, limits, false);
      ASSERT_FALSE(with.error()) << pattern;
      for (int i = 0; i < 2'000; ++i) {
        std::string text;
        for (std::size_t n = random() % 9; n > 0; --n) text += letters[random() % 12];
        EXPECT_EQ(*with.matches(text), *without.matches(text)) << pattern << " " << text;
      }
    }
  }
}

}  // namespace
}  // namespace helve::sparql
