#include "base/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace helve {
namespace {

std::string encoded(char32_t character) {
  std::string out;
  append_utf8(out, character);
  return out;
}

bool is_scalar_value(char32_t character) {
  return character < 0xD800 || (character > 0xDFFF && character <= 0x10FFFF);
}

TEST(Utf8, EveryCharacterRoundTrips) {
  for (char32_t character = 0; character <= 0x10FFFF; ++character) {
    if (!is_scalar_value(character)) continue;
    const std::string text = encoded(character);
    ASSERT_EQ(utf8_valid_prefix(text), text.size()) << std::uint32_t{character};
    const char* at = text.data();
    ASSERT_EQ(decode_utf8(at, text.data() + text.size()), character);
    ASSERT_EQ(at, text.data() + text.size());
    ASSERT_EQ(utf8_length(text), 1U);
  }
}

TEST(Utf8, RejectsMalformedForms) {
  const std::string_view bad[] = {
      "\x80",              // continuation alone
      "\xBF",              //
      "\xC0\x80",          // overlong
      "\xC1\xBF",          //
      "\xE0\x80\x80",      //
      "\xE0\x9F\xBF",      //
      "\xF0\x80\x80\x80",  //
      "\xF0\x8F\xBF\xBF",  //
      "\xED\xA0\x80",      // surrogates
      "\xED\xBF\xBF",      //
      "\xF4\x90\x80\x80",  // beyond U+10FFFF
      "\xF5\x80\x80\x80",  //
      "\xFE",              // never used
      "\xFF",              //
      "\xC3(",             // continuation missing
      "\xE2\x82(",         //
      "\xF0\x9F\x98(",     //
  };
  for (const std::string_view form : bad) {
    for (const std::size_t before : {0U, 1U, 17U, 70U, 16'382U, 16'383U, 16'384U, 40'000U}) {
      const std::string text = std::string(before, 'a') + std::string(form) + "tail";
      EXPECT_EQ(utf8_valid_prefix(text), before);
      EXPECT_FALSE(utf8_may_continue(std::string_view(text).substr(before)));
    }
  }
}

TEST(Utf8, CutCharactersMayContinue) {
  for (const char32_t character : {U'ä', U'€', U'\uD7FF', U'\uE000', U'😀', U'\U0010FFFF'}) {
    const std::string whole = encoded(character);
    for (std::size_t kept = 1; kept < whole.size(); ++kept) {
      for (const std::size_t before : {0U, 3U, 16'382U, 16'384U}) {
        const std::string text = std::string(before, 'a') + whole.substr(0, kept);
        EXPECT_EQ(utf8_valid_prefix(text), before);
        EXPECT_TRUE(utf8_may_continue(std::string_view(text).substr(before)));
      }
    }
  }
  EXPECT_FALSE(utf8_may_continue(""));
  EXPECT_FALSE(utf8_may_continue("\xED\xA0"));  // a surrogate already
  EXPECT_FALSE(utf8_may_continue("\xF4\x90"));
  EXPECT_FALSE(utf8_may_continue("a"));
}

TEST(Utf8, CharactersAcrossBlocksAreValid) {
  for (std::size_t shift = 0; shift < 4; ++shift) {
    std::string text(shift, 'x');
    for (int i = 0; i < 20'000; ++i) text += "😀";
    EXPECT_EQ(utf8_valid_prefix(text), text.size());
    EXPECT_EQ(utf8_length(text), shift + 20'000);
    text.push_back('\xF0');
    EXPECT_EQ(utf8_valid_prefix(text), text.size() - 1);
  }
}

TEST(Utf8, EmptyTextIsValid) {
  EXPECT_EQ(utf8_valid_prefix(""), 0U);
  EXPECT_EQ(utf8_length(""), 0U);
}

}  // namespace
}  // namespace helve
