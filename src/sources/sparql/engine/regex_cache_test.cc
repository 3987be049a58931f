#include "sources/sparql/engine/regex_cache.h"

#include <gtest/gtest.h>

namespace helve::sparql {
namespace {

struct MatchCase {
  std::string_view pattern;
  std::string_view flags;
  std::string_view text;
  bool expected;
};

constexpr MatchCase kMatches[] = {
    {"b", "", "abc", true},
    {"^b", "", "abc", false},
    {"", "", "abc", true},
    {"a|b|", "", "", true},
    {"B", "i", "abc", true},
    {"É", "i", "é", true},
    // Line ends.
    {"a.c", "", "a\nc", false},
    {"a.c", "s", "a\nc", true},
    {"a.c", "", "aéc", true},
    {"^b$", "", "a\nb\nc", false},
    {"^b$", "m", "a\nb\nc", true},
    {"b$", "", "ab\n", false},
    // White space.
    {" a b ", "x", "ab", true},
    {" a b ", "", "ab", false},
    {"a[ ]b", "x", "a b", true},
    {"a\\ b", "", "a b", true},
    // Without special characters.
    {"a.c", "q", "abc", false},
    {"A.C(", "qi", "a.c(", true},
    // Quantities.
    {"^ab{2}c$", "", "abbc", true},
    {"^ab{2,}c$", "", "abbbc", true},
    {"^ab{2,3}c$", "", "abbbbc", false},
    {"^a+?b*?c??$", "", "aabb", true},
    // Classes.
    {"^[^b]$", "", "a", true},
    {"^[a-c]+$", "", "abc", true},
    {"^[-a]+$", "", "a-a", true},
    {"^[a-]+$", "", "a-a", true},
    {"^[a\\-z]+$", "", "-az", true},
    {"^[\\[\\]^]+$", "", "[]^", true},
    {"^[.*+?(){}|$]+$", "", ".*+?(){}|$", true},
    {"^[à-ü]$", "", "é", true},
    {"^[\\n]$", "", "\n", true},
    {"^[\\d_]+$", "", "1_2", true},
    {"^[^\\s]+$", "", "a b", false},
    {"^[\\S]+$", "", "ab", true},
    {"^[\\W]+$", "", "a", false},
    {"^[\\W]+$", "", "-.", true},
    // Escapes.
    {"^\\d+$", "", "1٣", true},
    {"^\\D$", "", "x", true},
    {"^\\w+$", "", "é_1", true},
    {"^\\w$", "", "-", false},
    {"^\\W$", "", "-", true},
    {"^\\s$", "", "\t", true},
    {"^\\s$", "", "\f", false},
    {"^\\S$", "", "x", true},
    {"^\\i\\c*$", "", "ex:name-1", true},
    {"^\\i", "", "1", false},
    {"^\\I\\C$", "", "1 ", true},
    {"^[\\i]$", "", "é", true},
    {"^\\p{Lu}\\P{Lu}$", "", "Ab", true},
    {"^[\\p{L}\\p{Nd}]+$", "", "a1", true},
    {"a\\.b\\\\c\\$\\^", "", "a.b\\c$^", true},
    {"\\/\\-\\:", "", "/-:", true},
    {"\\bcat\\b", "", "a cat.", true},
    {"\\bcat\\b", "", "concat", false},
    {"a\\tb", "", "a\tb", true},
    // Groups.
    {"^(?:ab)+$", "", "abab", true},
    {"(?i)ABC", "", "abc", true},
    {"a(?i:B)c", "", "abc", true},
    {"]}", "", "]}", true},
};

TEST(RegexCache, MatchesAsXPathSays) {
  RegexCache cache{Limits()};
  for (const MatchCase& test : kMatches) {
    const auto matched = cache.matches(test.text, test.pattern, test.flags);
    ASSERT_TRUE(matched.has_value()) << test.pattern << ": " << matched.error().to_string();
    EXPECT_EQ(*matched, test.expected) << test.pattern << " /" << test.flags << " " << test.text;
  }
}

struct BadCase {
  std::string_view pattern;
  std::string_view message;  // its end
  bool is_hard;
};

constexpr BadCase kBad[] = {
    {"(a", "is not valid: missing ): (a", false},
    {"*a", "is not valid: no argument for repetition operator: *", false},
    {"a**", "is not valid: bad repetition operator: **", false},
    {"a{,2}", "has a { that begins no quantity", false},
    {"a{x}", "has a { that begins no quantity", false},
    {"{", "has a { that begins no quantity", false},
    {"[a", "has a [ that is not closed", false},
    {"[]", "has an empty class []", false},
    {"[^]", "has an empty class []", false},
    {"[[:alpha:]]", "has a [ inside a class", false},
    {"[b-a]", "has a range whose end comes before its start", false},
    {"a\\", "ends with a backslash", false},
    {"[\\", "ends with a backslash", false},
    {"\\y", "has \\y, which is no escape", false},
    {"[\\b]", "has \\b, which is no escape", false},
    {"\\p", "has an unfinished \\p", false},
    {"\\p{L", "has an unfinished \\p", false},
    {"(?<name>a)", "has a group (? of an unknown kind", false},
    {"(a)\\1", "has the back-reference \\1, which cannot be run in linear time (RE2)", true},
    {"a(?=b)", "has look-around (?= (?! (?<= (?<!, which cannot be run in linear time (RE2)", true},
    {"(?<!a)b", "has look-around (?= (?! (?<= (?<!, which cannot be run in linear time (RE2)",
     true},
    {"(?>a)b", "has an atomic group (?>, which cannot be run in linear time (RE2)", true},
    {"\\p{IsGreek}", "names the block \\p{IsGreek}, which RE2 does not know", true},
    {"[a-z-[aeiou]]", "subtracts a class from another ([a-z-[aeiou]]), which RE2 cannot", true},
    {"a{3,2}", "has a quantity whose minimum is above its maximum", false},
    {"a{2,3,4}", "has a { that begins no quantity", false},
};

TEST(RegexCache, SaysWhatIsWrongWithAPattern) {
  for (const BadCase& test : kBad) {
    const Regex regex(test.pattern, "", Limits());
    ASSERT_TRUE(regex.error().has_value()) << test.pattern;
    EXPECT_EQ(regex.error()->code, ErrorCode::InvalidInput);
    EXPECT_TRUE(regex.error()->message.ends_with(test.message)) << regex.error()->message;
    EXPECT_FALSE(regex.error()->hint.empty());
    EXPECT_EQ(regex.is_hard_error(), test.is_hard) << test.pattern;
  }
}

TEST(RegexCache, ProgramsAreLimited) {
  RegexCache cache{Limits()};
  for (const std::string_view pattern :
       {"((a{100}){100}){100}", "a{1001}", "a{99999999999999999999}", "(\\p{L}{100}\\w{100}){9}"}) {
    const Regex large(pattern, "", Limits());
    ASSERT_TRUE(large.error().has_value()) << pattern;
    EXPECT_EQ(large.error()->code, ErrorCode::LimitExceeded) << pattern;
    EXPECT_TRUE(large.is_hard_error());
  }
  const auto many = cache.compile(std::string(2 * kMiB, 'a'), "");
  ASSERT_FALSE(many.has_value());
  EXPECT_EQ(many.error().message,
            "a regular expression of 2.0 MiB is longer than the limit of 1.0 MiB");
  // Nested repetitions that blow up a backtracking engine are nothing here.
  EXPECT_EQ(*cache.matches(std::string(100'000, 'a') + "!", "^(a+)+$", ""), false);
}

TEST(RegexCache, TextsAreLimitedByTheProgram) {
  RegexCache cache{Limits()};
  const std::string text(16 * kMiB, 'a');
  EXPECT_EQ(*cache.matches(text, "b", ""), false);
  const auto slow = cache.matches(text, "(a|b)*a(a|b){200}c", "");
  ASSERT_FALSE(slow.has_value());
  EXPECT_EQ(slow.error().code, ErrorCode::LimitExceeded);
}

struct ReplaceCase {
  std::string_view text;
  std::string_view pattern;
  std::string_view replacement;
  std::string_view flags;
  std::string_view expected;
};

constexpr ReplaceCase kReplacements[] = {
    {"abracadabra", "bra", "*", "", "a*cada*"},
    {"abracadabra", "a.*a", "*", "", "*"},
    {"abracadabra", "a.*?a", "*", "", "*c*bra"},
    {"abracadabra", "a", "", "", "brcdbr"},
    {"abracadabra", "a(.)", "a$1$1", "", "abbraccaddabbra"},
    {"AAAA", "A+", "b", "", "b"},
    {"AAAA", "A+?", "b", "", "bbbb"},
    {"darted", "^(.*?)d(.*)$", "$1c$2", "", "carted"},
    {"abc", "b", "[$0]", "", "a[b]c"},
    {"abc", "(b)", "$2$1", "", "abc"},
    {"abc", "(b)", "$10", "", "ab0c"},
    {"abc", "(b)", "$01", "", "abc"},
    {"abc", "(x)?b", "<$1>", "", "a<>c"},
    {"a.b", ".", "$0", "q", "a$0b"},
    {"abc", "b", "\\\\\\$", "", "a\\$c"},
    {"héhé", "é", "e", "", "hehe"},
    {"a cat", "\\b", "|", "", "|a| |cat|"},
    {"", "a", "b", "", ""},
};

TEST(RegexCache, ReplacesAsXPathSays) {
  RegexCache cache{Limits()};
  for (const ReplaceCase& test : kReplacements) {
    const auto replaced = cache.replace(test.text, test.pattern, test.replacement, test.flags);
    ASSERT_TRUE(replaced.has_value()) << test.pattern << ": " << replaced.error().to_string();
    EXPECT_EQ(*replaced, test.expected) << test.text << " " << test.pattern;
  }
}

TEST(RegexCache, BadReplacements) {
  RegexCache cache{Limits()};
  for (const std::string_view replacement : {"$", "$x", "\\", "\\n", "a$"}) {
    const auto replaced = cache.replace("abc", "b", replacement, "");
    ASSERT_FALSE(replaced.has_value()) << replacement;
    EXPECT_EQ(replaced.error().code, ErrorCode::InvalidInput);
  }
  for (const std::string_view pattern : {"x*", "", "a|", "^", "$"}) {
    const auto replaced = cache.replace("abc", pattern, "-", "");
    ASSERT_FALSE(replaced.has_value()) << pattern;
    EXPECT_EQ(replaced.error().hint, "write + instead of *");
  }
}

TEST(RegexCache, ReplacingCanBeCancelled) {
  OpContext context;
  context.cancel.cancel();
  PacedCheck pace(context);
  const Regex regex("a(.*b)?", "", context.limits);
  const auto replaced = regex.replace(std::string(kMiB, 'a'), "c", &pace);
  ASSERT_FALSE(replaced.has_value());
  EXPECT_EQ(replaced.error().code, ErrorCode::Cancelled);
}

TEST(RegexCache, KeepsWhatItCompiled) {
  Limits limits;
  limits.regex_cache_max = 2;
  RegexCache cache(limits);
  const auto a = cache.find("a", "");
  EXPECT_EQ(cache.find("a", ""), a);
  EXPECT_NE(cache.find("a", "i"), a);
  cache.find("b", "");
  EXPECT_NE(cache.find("a", ""), a);  // there was no room for a third
}

}  // namespace
}  // namespace helve::sparql
