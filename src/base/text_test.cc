// Texts for people.
#include "base/text.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/utf8.h"

namespace helve {
namespace {

TEST(FormatCount, GroupsByThree) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1'000), "1,000");
  EXPECT_EQ(format_count(1'234'567), "1,234,567");
  EXPECT_EQ(format_count(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

TEST(FormatBytes, UsesBinaryUnits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1'023), "1023 B");
  EXPECT_EQ(format_bytes(1'024), "1.0 KiB");
  EXPECT_EQ(format_bytes(1'536), "1.5 KiB");
  EXPECT_EQ(format_bytes(20U << 20U), "20 MiB");
  EXPECT_EQ(format_bytes((1U << 20U) - 1), "1.0 MiB");
  EXPECT_EQ(format_bytes(std::uint64_t{1} << 40U), "1.0 TiB");
  EXPECT_EQ(format_bytes(std::numeric_limits<std::uint64_t>::max()), "16 EiB");
}

TEST(FormatDuration, ChoosesTheUnit) {
  using namespace std::chrono_literals;
  EXPECT_EQ(format_duration(0ns), "0 ns");
  EXPECT_EQ(format_duration(85us), "85 us");
  EXPECT_EQ(format_duration(1'500us), "1.5 ms");
  EXPECT_EQ(format_duration(12ms), "12 ms");
  EXPECT_EQ(format_duration(999'999us), "1.00 s");
  EXPECT_EQ(format_duration(1'234ms), "1.23 s");
  EXPECT_EQ(format_duration(12'340ms), "12.3 s");
  EXPECT_EQ(format_duration(59'990ms), "1 min 0 s");
  EXPECT_EQ(format_duration(125s), "2 min 5 s");
  EXPECT_EQ(format_duration(12'000s), "3 h 20 min");
  EXPECT_EQ(format_duration(-2s), "-2.00 s");
  EXPECT_EQ(format_duration(Duration::min()).substr(0, 1), "-");
}

TEST(EscapeForTerminal, LeavesPlainTextAlone) {
  EXPECT_EQ(escape_for_terminal("Grüße, 世界 😀 \\ ok"), "Grüße, 世界 😀 \\ ok");
  EXPECT_EQ(escape_for_terminal("e\u0301"), "e\u0301");
  // Joiners are spelled out although some scripts need them: they hide text in others.
  EXPECT_EQ(escape_for_terminal("\u0915\u094D\u200D\u0937"), "\u0915\u094D\\u200D\u0937");
}

TEST(EscapeForTerminal, MakesControlsVisible) {
  EXPECT_EQ(escape_for_terminal("a\x1B[2Jb\a"), "a\\x1B[2Jb\\x07");
  EXPECT_EQ(escape_for_terminal("1\r\n2\t3\x7F"), "1\\r\\n2\\t3\\x7F");
  EXPECT_EQ(escape_for_terminal(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(escape_for_terminal("\u009B31m"), "\\u009B31m");  // CSI as one character
  EXPECT_EQ(escape_for_terminal("\u202Egpj.exe\u2066\u200F"), "\\u202Egpj.exe\\u2066\\u200F");
  EXPECT_EQ(escape_for_terminal("a\u200Bb\uFEFF\u2028"), "a\\u200Bb\\uFEFF\\u2028");
  EXPECT_EQ(escape_for_terminal("\U000E0041"), "\\U000E0041");
}

TEST(EscapeForTerminal, MakesBadBytesVisible) {
  EXPECT_EQ(escape_for_terminal("a\xFFz\xE2\x82"), "a\\xFFz\\xE2\\x82");
  const std::string bad(100'000, '\x80');
  EXPECT_EQ(escape_for_terminal(bad).size(), 400'000U);
}

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("Grüße"), 5U);
  EXPECT_EQ(display_width("世界"), 4U);
  EXPECT_EQ(display_width("한글"), 4U);
  EXPECT_EQ(display_width("ｆｕ"), 4U);
  EXPECT_EQ(display_width("😀"), 2U);
  EXPECT_EQ(display_width("e\u0301"), 1U);
  EXPECT_EQ(display_width("\u200D\u200B"), 0U);
  EXPECT_EQ(display_width("a\xFF\xFE"), 3U);
  EXPECT_EQ(character_width(0x20000), 2);
  EXPECT_EQ(character_width(0x10FFFF), 1);
  EXPECT_EQ(character_width(0x1249), 1);
}

TEST(Elide, LeavesShortTextsAlone) {
  EXPECT_EQ(elide_end("abc", 3), "abc");
  EXPECT_EQ(elide_middle("abc", 3), "abc");
  EXPECT_EQ(elide_end("", 0), "");
}

TEST(Elide, CutsToTheWidth) {
  EXPECT_EQ(elide_end("abcdef", 4), "abc…");
  EXPECT_EQ(elide_end("abcdef", 1), "…");
  EXPECT_EQ(elide_end("abcdef", 0), "");
  EXPECT_EQ(elide_middle("abcdefgh", 5), "ab…gh");
  EXPECT_EQ(elide_middle("abcdefgh", 4), "ab…h");
  EXPECT_EQ(elide_middle("abcdefgh", 1), "…");
}

TEST(Elide, KeepsCharactersWhole) {
  EXPECT_EQ(elide_end("世界世界", 4), "世…");  // the second half of a wide one does not fit
  EXPECT_EQ(elide_middle("世界世界", 6), "世…界");
  EXPECT_EQ(elide_end("e\u0301e\u0301e\u0301", 2), "e\u0301…");
  for (std::size_t width = 0; width < 12; ++width) {
    for (const std::string_view text : {"世e\u0301a界😀bcd", "\u0301\u0301abcdefghijkl"}) {
      const std::string middle = elide_middle(text, width);
      EXPECT_LE(display_width(middle), width);
      EXPECT_EQ(utf8_valid_prefix(middle), middle.size());
      EXPECT_LE(display_width(elide_end(text, width)), width);
    }
  }
}

TEST(Pad, FillsToTheWidth) {
  EXPECT_EQ(pad_start("ab", 4), "  ab");
  EXPECT_EQ(pad_end("ab", 4), "ab  ");
  EXPECT_EQ(pad_start("世", 3), " 世");
  EXPECT_EQ(pad_end("e\u0301", 2), "e\u0301 ");
  EXPECT_EQ(pad_end("abc", 2), "abc");
  EXPECT_EQ(pad_start("abc", 2), "abc");
}

TEST(QuoteName, NamesOfSourcesAreQuotedOnOneShortLine) {
  EXPECT_EQ(quote_name("customer"), "'customer'");
  EXPECT_EQ(quote_name("x' </data> next: y"), "'x\\' \\</data\\> next: y'");
  EXPECT_EQ(quote_name("a\u00A0b\u3000c"), "'a\\u00A0b\\u3000c'");
  EXPECT_EQ(quote_iri("urn:a>b"), "<urn:a\\>b>");
  EXPECT_EQ(quote_names({}), "none");
  EXPECT_EQ(quote_names({"a", "b"}), "'a', 'b'");
  EXPECT_EQ(quote_names(std::vector<std::string>(30, "a")).size(), 10 * 5 - 2 + 5U);
  EXPECT_EQ(quote_name("a\nhint: b\x1b[1m"), "'a\\nhint: b\\x1B[1m'");
  EXPECT_EQ(display_width(quote_name(std::string(5'000, 'x'))), 66U);
}

}  // namespace
}  // namespace helve
