#include "toolkit/tools/shown_text.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace helve::toolkit {
namespace {

std::string shown(std::string_view text, Spelling spelling, ReplyForm form,
                  std::size_t room = 1'000) {
  std::string out;
  const ShownPart part = append_shown(out, text, spelling, form, room);
  EXPECT_EQ(part.room_used, utf8_length(out));
  EXPECT_LE(part.room_used, room);
  if (part.bytes == text.size()) {
    EXPECT_EQ(shown_chars(text, spelling, form, 1'000), part.room_used);
  }
  return out;
}

TEST(ShownText, EscapesByFormAndSpelling) {
  const std::string_view text = "a\"\\\n\xE2\x80\xAE<é";
  EXPECT_EQ(shown(text, Spelling::Plain, ReplyForm::Text), "a\"\\\\n\\u202E<é");
  EXPECT_EQ(shown(text, Spelling::Lines, ReplyForm::Text), "a\"\\\n\\u202E<é");
  EXPECT_EQ(shown(text, Spelling::Literal, ReplyForm::Text), "a\\\"\\\\\\n\\u202E<é");
  EXPECT_EQ(shown(text, Spelling::Iri, ReplyForm::Text), "a\\u0022\\u005C\\n\\u202E\\u003Cé");
  EXPECT_EQ(shown(text, Spelling::Plain, ReplyForm::Json), R"(a\"\\\n\\u202E<é)");
  EXPECT_EQ(shown(text, Spelling::Lines, ReplyForm::Json), R"(a\"\\\n\\u202E<é)");
  EXPECT_EQ(shown("\t\r\x1B\xC2\x85", Spelling::Plain, ReplyForm::Json), R"(\t\\r\\u001B\\u0085)");
  EXPECT_EQ(shown(text, Spelling::Literal, ReplyForm::Json), "a\\\\\\\"\\\\\\\\\\\\n\\\\u202E<é");
  EXPECT_EQ(shown("\xF3\xA0\x81\x81", Spelling::Plain, ReplyForm::Json), R"(\\U000E0041)");
  EXPECT_EQ(shown("\xF3\xA0\x81\x81", Spelling::Plain, ReplyForm::Text), "\\U000E0041");
}

TEST(ShownText, ColumnsCannotBeMadeUp) {
  EXPECT_EQ(shown("a | b\"", Spelling::PlainColumn, ReplyForm::Text), "a \\u007C b\"");
  EXPECT_EQ(shown("a | b\"", Spelling::LiteralColumn, ReplyForm::Text), "a \\u007C b\\\"");
  EXPECT_EQ(shown("a | b", Spelling::Plain, ReplyForm::Text), "a | b");
}

TEST(ShownText, ReplacesBytesThatAreNoText) {
  EXPECT_EQ(shown("a\xFFz", Spelling::Plain, ReplyForm::Json), "a\xEF\xBF\xBDz");
  EXPECT_EQ(shown("a\xE2\x80", Spelling::Plain, ReplyForm::Text), "a\xEF\xBF\xBD");
  EXPECT_EQ(shown("\x80\x80x", Spelling::Literal, ReplyForm::Text), "\xEF\xBF\xBDx");
}

TEST(ShownText, CutsBetweenCharactersAndEscapes) {
  std::string out;
  const ShownPart part = append_shown(out, "ab\xE2\x80\xAEz", Spelling::Plain, ReplyForm::Json, 8);
  EXPECT_EQ(out, "ab");  // the escape takes seven
  EXPECT_EQ(part.bytes, 2U);
  EXPECT_EQ(shown("日本語", Spelling::Plain, ReplyForm::Text, 2), "日本");
  EXPECT_EQ(shown("abc", Spelling::Plain, ReplyForm::Text, 0), "");
  EXPECT_EQ(shown(std::string(63, 'a') + "é\n" + std::string(70, 'b') + "日", Spelling::Plain,
                  ReplyForm::Text),
            std::string(63, 'a') + "é\\n" + std::string(70, 'b') + "日");
}

TEST(ShownText, CountsNoFurtherThanAsked) {
  const std::string text(std::size_t{1} << 20, 'x');
  const std::size_t chars = shown_chars(text, Spelling::Plain, ReplyForm::Text, 10);
  EXPECT_GT(chars, 10U);
  EXPECT_LT(chars, 100U);
}

}  // namespace
}  // namespace helve::toolkit
