#include "base/text.h"
#include "sources/sparql/results/results_testing.h"

namespace helve::sparql {
namespace {

using namespace test;

std::string shown(const SolutionTable& solutions, const TableStyle& style = {}) {
  return "\n" + written(solutions, ResultFormat::Table, style);
}

TEST(TableWriter, AlignsColumns) {
  TableStyle style;
  style.prefixes = {{"ex", "http://example.org/"}};
  EXPECT_EQ(shown(table({"name", "n", "other"},
                        {{iri("http://example.org/Earth"), integer("6371"), tagged("Erde", "de")},
                         {blank("b0"), kUnbound, typed("2020-01-01", rdf::kXsdDate)},
                         {iri("http://other.org/x"), integer("1"), text("地球")}}),
                  style),
            R"(
┌──────────────────────┬──────┬────────────────────────┐
│ name                 │    n │ other                  │
├──────────────────────┼──────┼────────────────────────┤
│ ex:Earth             │ 6371 │ "Erde"@de              │
│ _:b0                 │      │ "2020-01-01"^^xsd:date │
│ <http://other.org/x> │    1 │ "地球"                 │
└──────────────────────┴──────┴────────────────────────┘
)");
}

TEST(TableWriter, HasAnAsciiForm) {
  TableStyle style;
  style.is_ascii = true;
  EXPECT_EQ(shown(table({"a", "b"}, {{text("x"), integer("1")}, {kUnbound, kUnbound}}), style), R"(
+-----+---+
| a   | b |
+-----+---+
| "x" | 1 |
|     |   |
+-----+---+
)");
}

TEST(TableWriter, ShowsEmptyResultsAndBooleans) {
  EXPECT_EQ(shown(table({"a"})), "\n┌───┐\n│ a │\n├───┤\n└───┘\n");
  EXPECT_EQ(shown(table({}, {{}})), "\n(no variables)\n");
  EXPECT_EQ(shown(answer(true)), "\ntrue\n");
  EXPECT_EQ(shown(answer(false)), "\nfalse\n");
}

TEST(TableWriter, FitsTheTerminal) {
  TableStyle style;
  style.width_max = 40;
  const std::string out =
      shown(table({"iri", "text", "n"}, {{iri("http://example.org/a/very/long/path#name"),
                                          text("a text that goes on and on"), integer("123456")}}),
            style);
  EXPECT_EQ(out, R"(
┌──────────────┬──────────────┬────────┐
│ iri          │ text         │      n │
├──────────────┼──────────────┼────────┤
│ <http:…name> │ "a text tha… │ 123456 │
└──────────────┴──────────────┴────────┘
)");
  for (std::size_t begin = 1; begin < out.size();) {
    const std::size_t end = out.find('\n', begin);
    EXPECT_LE(display_width(out.substr(begin, end - begin)), 40U);
    begin = end + 1;
  }
}

TEST(TableWriter, ElidesTheMiddleOfIrisAndTheEndOfTexts) {
  TableStyle style;
  style.width_max = 16;
  EXPECT_EQ(
      shown(table({"x"}, {{iri("http://example.org/name")}, {text("abcdefghijklmn")}}), style),
      R"(
┌──────────────┐
│ x            │
├──────────────┤
│ <http:…name> │
│ "abcdefghij… │
└──────────────┘
)");
  style.is_ascii = true;
  EXPECT_EQ(shown(table({"x"}, {{text("abcdefghijklmn")}}), style), R"(
+--------------+
| x            |
+--------------+
| "abcdefgh... |
+--------------+
)");
}

TEST(TableWriter, MakesHostileTextsHarmless) {
  const std::string out = shown(
      table({"a\x1B[2J"},
            {{text("\x1B]0;x\a\n\u202E")}, {iri("http://a/\x1B[31m\u202E")}, {text("tab\there")}}));
  EXPECT_EQ(out.find('\x1B'), std::string::npos);
  EXPECT_EQ(out.find('\a'), std::string::npos);
  EXPECT_EQ(out.find("\u202E"), std::string::npos);
  EXPECT_NE(out.find(R"("\u001B]0;x\u0007\n\u202E")"), std::string::npos) << out;
  EXPECT_NE(out.find(R"("tab\there")"), std::string::npos);
}

TEST(TableWriter, CutsLaterRowsToTheWidthsOfTheFirst) {
  TableStyle style;
  style.rows_measured = 2;
  EXPECT_EQ(shown(table({"x"}, {{text("abc")}, {text("a")}, {text("abcdef")}}), style), R"(
┌───────┐
│ x     │
├───────┤
│ "abc" │
│ "a"   │
│ "abc… │
└───────┘
)");
}

TEST(TableWriter, BoundsCells) {
  TableStyle style;
  style.cell_width_max = 10;
  EXPECT_EQ(shown(table({"x"}, {{text(std::string(1 << 20, 'a'))}}), style), R"(
┌────────────┐
│ x          │
├────────────┤
│ "aaaaaaaa… │
└────────────┘
)");
}

}  // namespace
}  // namespace helve::sparql
