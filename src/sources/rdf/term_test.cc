#include "sources/rdf/term.h"

#include <gtest/gtest.h>

#include "sources/rdf/vocabulary.h"

namespace helve::rdf {
namespace {

TEST(Term, WritesEveryKind) {
  EXPECT_EQ(to_ntriples(TermView::iri("http://a/é")), "<http://a/é>");
  EXPECT_EQ(to_ntriples(TermView::blank("b0")), "_:b0");
  EXPECT_EQ(to_ntriples(TermView::literal("x")), "\"x\"");
  EXPECT_EQ(to_ntriples(TermView::lang_literal("x", "en-GB")), "\"x\"@en-GB");
  EXPECT_EQ(to_ntriples(TermView::literal("1", kXsdInteger)),
            "\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>");
}

TEST(Term, EscapesOnlyWhatCanonicalFormEscapes) {
  EXPECT_EQ(to_ntriples(TermView::literal("\b\n\f\r\"\\'")), R"("\b\n\f\r\"\\'")");
  EXPECT_EQ(to_ntriples(TermView::literal("a\tb")), "\"a\tb\"");
  EXPECT_EQ(to_ntriples(TermView::literal(std::string_view("\0\x1F\x7F", 3))),
            R"("\u0000\u001F\u007F")");
  EXPECT_EQ(to_ntriples(TermView::literal("é€😀\u0085")), "\"é€😀\u0085\"");
}

TEST(Term, EscapesWhatNoIriMayHold) {
  EXPECT_EQ(to_ntriples(TermView::iri("a b<\\>")), R"(<a\u0020b\u003C\u005C\u003E>)");
  EXPECT_EQ(to_ntriples(TermView::literal("x", "d>")), R"("x"^^<d\u003E>)");
}

TEST(Term, KnowsBlankNodeLabels) {
  for (const auto* good : {"a", "0", "_", "a.b", "a-", "é", "a\u00B7"}) {
    EXPECT_TRUE(is_blank_node_label(good)) << good;
  }
  for (const auto* bad : {"", "-", ".", "a.", "a b", ":", "a:b", "\u00B7"}) {
    EXPECT_FALSE(is_blank_node_label(bad)) << bad;
  }
}

TEST(Term, EncodesOtherLabelsWithoutCollision) {
  EXPECT_EQ(to_ntriples(TermView::blank("a.")), "_:x-hex-612E");
  EXPECT_EQ(to_ntriples(TermView::blank("")), "_:x-hex-");
  EXPECT_EQ(to_ntriples(TermView::blank("x-hex-612E")), "_:x-hex-782D6865782D36313245");
}

}  // namespace
}  // namespace helve::rdf
