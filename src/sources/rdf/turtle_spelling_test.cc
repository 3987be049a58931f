#include "sources/rdf/turtle_spelling.h"

#include <gtest/gtest.h>

#include "sources/rdf/vocabulary.h"

namespace helve::rdf {
namespace {

std::string spelled(const TermView& term) {
  PrefixMap prefixes(10);
  prefixes.add("xsd", kXsd);
  std::string out;
  append_turtle(out, term, prefixes);
  return out;
}

TEST(TurtleSpelling, LeavesNumbersBareWhereTheGrammarReadsThemBack) {
  for (const auto* text : {"0", "-1", "+007", "123456789012345678901234567890"}) {
    EXPECT_EQ(spelled(TermView::literal(text, kXsdInteger)), text);
  }
  for (const auto* text : {"1.0", ".5", "-.5", "+0.10"}) {
    EXPECT_EQ(spelled(TermView::literal(text, kXsdDecimal)), text);
  }
  for (const auto* text : {"1e0", "1.E-5", ".5e+1", "-1.5E10"}) {
    EXPECT_EQ(spelled(TermView::literal(text, kXsdDouble)), text);
  }
  for (const auto* text : {"true", "false"}) {
    EXPECT_EQ(spelled(TermView::literal(text, kXsdBoolean)), text);
  }
}

TEST(TurtleSpelling, QuotesOtherLexicalForms) {
  for (const auto* text : {"", "+", "1.0", "1e0", " 1", "1 ", "--1", "0x1"}) {
    EXPECT_EQ(spelled(TermView::literal(text, kXsdInteger)),
              "\"" + std::string(text) + "\"^^xsd:integer");
  }
  for (const auto* text : {"1", "1.", ".", "-.", "1.0e0", "1.0.0"}) {
    EXPECT_EQ(spelled(TermView::literal(text, kXsdDecimal)),
              "\"" + std::string(text) + "\"^^xsd:decimal");
  }
  for (const auto* text : {"1", "1.0", "e1", ".e1", "1e", "1e+", "1e1.0", "INF", "NaN"}) {
    EXPECT_EQ(spelled(TermView::literal(text, kXsdDouble)),
              "\"" + std::string(text) + "\"^^xsd:double");
  }
  for (const auto* text : {"1", "0", "TRUE", "true "}) {
    EXPECT_EQ(spelled(TermView::literal(text, kXsdBoolean)),
              "\"" + std::string(text) + "\"^^xsd:boolean");
  }
  EXPECT_EQ(spelled(TermView::literal("1", kXsdFloat)), "\"1\"^^xsd:float");
  EXPECT_EQ(spelled(TermView::literal("1")), "\"1\"");
  EXPECT_EQ(spelled(TermView::lang_literal("true", "en")), "\"true\"@en");
}

TEST(TurtleSpelling, WritesLineBreaksInLongStrings) {
  EXPECT_EQ(spelled(TermView::literal("a\nb")), "\"\"\"a\nb\"\"\"");
  EXPECT_EQ(spelled(TermView::lang_literal("\n", "en")), "\"\"\"\n\"\"\"@en");
  EXPECT_EQ(spelled(TermView::literal("a\rb")), "\"a\\rb\"");
  EXPECT_EQ(spelled(TermView::literal("a\r\nb\\\t")), "\"\"\"a\\r\nb\\\\\t\"\"\"");
}

TEST(TurtleSpelling, KeepsQuotesFromEndingLongStrings) {
  EXPECT_EQ(spelled(TermView::literal("\"\n\"")), "\"\"\"\"\n\\\"\"\"\"");
  EXPECT_EQ(spelled(TermView::literal("\n\"\"x")), "\"\"\"\n\"\"x\"\"\"");
  EXPECT_EQ(spelled(TermView::literal("\n\"\"\"\"x")), "\"\"\"\n\"\"\\\"\\\"x\"\"\"");
  EXPECT_EQ(spelled(TermView::literal("\n\"\"")), "\"\"\"\n\"\\\"\"\"\"");
}

TEST(TurtleSpelling, FindsWhereALocalNameCouldBegin) {
  EXPECT_EQ(local_name_begin("http://e/a#b"), 11U);
  EXPECT_EQ(local_name_begin("http://e/"), 9U);
  EXPECT_EQ(local_name_begin("urn:x:y"), 0U);
}

}  // namespace
}  // namespace helve::rdf
