#include "surfaces/cli/table.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/text.h"

namespace helve::cli {
namespace {

TEST(Table, AlignsNamesLeftAndNumbersRight) {
  const Table table{"Things (2)", {"count", "of"}, {{"a", "1", "20"}, {"longer", "1,000", "3"}}};
  EXPECT_EQ(render(table, Terminal::plain(80)),
            "Things (2)  count  of\n"
            "  a             1  20\n"
            "  longer    1,000   3\n");
}

TEST(Table, WithoutRowsIsEmpty) {
  EXPECT_EQ(render({"Things (0)", {"count"}, {}}, Terminal::plain(80)), "");
}

TEST(Table, TellsHowManyRowsAreLeftOut) {
  EXPECT_EQ(render({"T", {"n"}, {{"a", "1"}}, 1'234}, Terminal::plain(80)),
            "T    n\n"
            "  a  1\n"
            "  … 1,234 more\n");
}

TEST(Table, ElidesNamesInTheMiddleToKeepTheWidth) {
  const Table table{"T", {"n"}, {{"http://example.org/a/very/long/path/to/a#name", "1"}}};
  for (const std::size_t width : {40U, 60U, 80U}) {
    std::istringstream lines(render(table, Terminal::plain(width)));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), width);
  }
  EXPECT_EQ(render(table, Terminal::plain(40)),
            "T                                      n\n"
            "  http://example.or…ng/path/to/a#name  1\n")
      << "the last part of the name stays";
}

TEST(Table, NumbersAreNeverCut) {
  const std::string number(60, '9');
  const std::string text =
      render({"T", {"n"}, {{std::string(50, 'x'), number}}}, Terminal::plain(40));
  EXPECT_NE(text.find(number), std::string::npos);
}

TEST(Table, CountsColumnsNotBytes) {
  EXPECT_EQ(render({"T", {"n"}, {{"日本", "1"}, {"é", "2"}}}, Terminal::plain(80)),
            "T       n\n"
            "  日本  1\n"
            "  é     2\n");
}

TEST(Table, CellsCannotDriveTheTerminal) {
  const std::string text = render({"T", {"n"}, {{"a\x1b[31mb\nc", "1"}}}, Terminal::plain(80));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("a\\x1B[31mb\\nc"), std::string::npos);
}

}  // namespace
}  // namespace helve::cli
