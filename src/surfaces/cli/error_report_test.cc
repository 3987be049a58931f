#include "surfaces/cli/error_report.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "base/text.h"

namespace helve::cli {
namespace {

TEST(Excerpt, ShowsTheLineAndACaret) {
  EXPECT_EQ(excerpt("one\ntwo three\nfour\n", {2, 5}, 80), "two three\n    ^");
  EXPECT_EQ(excerpt("one", {1, 1}, 80), "one\n^");
  EXPECT_EQ(excerpt("one", {1, 4}, 80), "one\n   ^") << "behind the last character";
}

TEST(Excerpt, NothingForPlacesThatDoNotExist) {
  EXPECT_EQ(excerpt("one\n", {3, 1}, 80), std::nullopt);
  EXPECT_EQ(excerpt("one\n", {7, 1}, 80), std::nullopt);
  EXPECT_EQ(excerpt("one\n", {1, 9}, 80), std::nullopt);
  EXPECT_EQ(excerpt("", {1, 1}, 80), std::nullopt);
}

TEST(Excerpt, TheEndIsBehindTheLastLine) {
  EXPECT_EQ(excerpt("one\n", {2, 1}, 80), "one\n   ^");
  EXPECT_EQ(excerpt("one\ntwo \n\n  \n", {4, 3}, 80), "two \n   ^");
  EXPECT_EQ(excerpt("\n\n", {2, 1}, 80), std::nullopt);
}

TEST(Excerpt, ColumnsCountCharactersAndTheCaretCountsCells) {
  EXPECT_EQ(excerpt("日本 x", {1, 4}, 80), "日本 x\n     ^");
}

TEST(Excerpt, LineEndsOfEitherKind) { EXPECT_EQ(excerpt("one\r\ntwo\r\n", {2, 1}, 80), "two\n^"); }

TEST(Excerpt, AByteOrderMarkIsNoCharacter) {
  EXPECT_EQ(excerpt("\xEF\xBB\xBFone", {1, 2}, 80), "one\n ^");
}

TEST(Excerpt, ControlCharactersAreVisibleAndTheCaretStillFits) {
  EXPECT_EQ(excerpt("\ta\x1b[1m b", {1, 8}, 80), "\\ta\\x1B[1m b\n           ^");
}

TEST(Excerpt, InvalidUtf8IsNotShown) { EXPECT_EQ(excerpt("caf\xE9 x", {1, 2}, 80), std::nullopt); }

TEST(Excerpt, VeryLongLinesAreShownAroundThePlace) {
  const std::string line = std::string(kMiB, 'x') + "HERE" + std::string(kMiB, 'y');
  EXPECT_EQ(excerpt(line, {1, kMiB + 1}, 20), "…xxxxxxxxxxxxxHEREy…\n              ^");
  EXPECT_EQ(excerpt(line, {1, 1}, 10), "xxxxxxxxx…\n^");
  EXPECT_EQ(excerpt(line, {1, 2 * kMiB + 5}, 9), "…yyyyyy\n       ^");
  std::string wide;
  for (int i = 0; i < 100'000; ++i) wide += "日";
  EXPECT_EQ(excerpt(wide, {1, 50'001}, 12), "…日日日日日…\n         ^");
}

TEST(Excerpt, KeepsTheWidthAndTheCaretUnderItsCharacter) {
  for (const std::string_view piece : {"a", "ü", "日", "e\xCC\x81"}) {
    std::string line;
    for (int i = 0; i < 300; ++i) line += piece;
    const std::uint64_t characters = piece == "e\xCC\x81" ? 600 : 300;
    for (std::uint64_t column = 1; column <= characters; column += 7) {
      const auto shown = excerpt(line, {1, column}, 40);
      ASSERT_TRUE(shown);
      const std::string text = shown->substr(0, shown->find('\n'));
      const std::string caret = shown->substr(shown->find('\n') + 1);
      EXPECT_LE(display_width(text), 42U) << column;
      EXPECT_LE(display_width(caret), 42U) << column;
      EXPECT_EQ(caret.back(), '^');
    }
  }
}

}  // namespace
}  // namespace helve::cli
