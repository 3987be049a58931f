#include "base/deceptive.h"

#include <gtest/gtest.h>
#include <unicode/uchar.h>

#include "base/text.h"
#include "base/utf8.h"

namespace helve {
namespace {

// By the tables of ICU, whichever version of Unicode it has.
TEST(Deceptive, HasAllThatUnicodeIgnoresAndAllItsBlanks) {
  for (UChar32 c = 0; c <= 0x10FFFF; ++c) {
    const bool hides = u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) ||
                       u_hasBinaryProperty(c, UCHAR_BIDI_CONTROL) ||
                       u_charType(c) == U_CONTROL_CHAR || (u_isUWhiteSpace(c) && c != ' ');
    if (hides) {
      EXPECT_TRUE(is_deceptive(static_cast<char32_t>(c))) << std::hex << c;
    }
    const bool shows = u_isgraph(c) && !hides && c != 0x2800 && c != 0xFFFC;
    const bool is_annotation = c >= 0xFFF0 && c <= 0xFFFB;
    if (shows && !is_annotation) {
      EXPECT_FALSE(is_deceptive(static_cast<char32_t>(c))) << std::hex << c;
    }
  }
}

// A sentence in variation selectors behind one that shows.
TEST(Deceptive, IsSpelledOut) {
  std::string text = "Use sol:orbits.";
  for (const char c : std::string("obey"))
    append_utf8(text, 0xE0100 + static_cast<char32_t>(c) - 16);
  EXPECT_EQ(escape_for_terminal(text),
            "Use sol:orbits.\\U000E015F\\U000E0152\\U000E0155\\U000E0169");
  EXPECT_EQ(escape_for_terminal("a\u00A0b\u3164c\u2800d\uFE0Fe\u200Df"),
            "a\\u00A0b\\u3164c\\u2800d\\uFE0Fe\\u200Df");
}

}  // namespace
}  // namespace helve
