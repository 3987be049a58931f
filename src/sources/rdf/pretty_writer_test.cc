#include "sources/rdf/pretty_writer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sources/rdf/isomorphism.h"
#include "sources/rdf/quad_set.h"
#include "sources/rdf/turtle_reader.h"
#include "sources/rdf/vocabulary.h"

namespace helve::rdf {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kPrefixes = R"(@prefix ex: <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
)";

void read_into(StatementSink& sink, std::string_view text) {
  InputWindow window(text);
  const auto report = read_turtle(window, Format::TriG, {}, {}, sink);
  ASSERT_TRUE(report) << report.error().to_string();
}

std::string pretty(std::string_view text, const OpContext& context = {}) {
  StringSink out;
  const auto writer = make_pretty_writer(Format::TriG, out, {}, context);
  read_into(*writer, std::string(kPrefixes) + std::string(text));
  const auto finished = writer->finish();
  EXPECT_TRUE(finished) << finished.error().to_string();
  return out.take();
}

// Without the prefixes and the empty line behind them.
std::string body(std::string_view text, const OpContext& context = {}) {
  const std::string document = pretty(text, context);
  const std::size_t end = document.find("\n\n");
  return document.substr(end == std::string::npos ? document.size() : end + 2);
}

TEST(PrettyWriter, WritesAnOntologyAsPeopleDo) {
  EXPECT_EQ(pretty(R"(
ex:Sun a ex:Star ; rdfs:label "Sun"@en, "Sonne"@de ; ex:mass 1.989e30 .
ex:Planet rdfs:subClassOf [ owl:someValuesFrom ex:Star ; owl:onProperty ex:orbits ;
  a owl:Restriction ], ex:Body ; a owl:Class ; rdfs:comment "Two\nlines" .
[] owl:members (ex:Planet ex:Star) ; a owl:AllDisjointClasses .
)"),
            R"(@prefix ex:   <http://example.org/> .
@prefix owl:  <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .

ex:Planet a owl:Class ;
    rdfs:comment """Two
lines""" ;
    rdfs:subClassOf
        ex:Body,
        [
            a owl:Restriction ;
            owl:onProperty ex:orbits ;
            owl:someValuesFrom ex:Star
        ] .

ex:Sun a ex:Star ;
    ex:mass 1.989e30 ;
    rdfs:label "Sonne"@de,
        "Sun"@en .

[] a owl:AllDisjointClasses ;
    owl:members ( ex:Planet ex:Star ) .
)");
}

TEST(PrettyWriter, WritesGraphsInBraces) {
  EXPECT_EQ(body(R"(
ex:b { ex:s ex:p [ ex:q 1 ; ex:r 2 ] } _:g { ex:s ex:p ex:o }
ex:a { ex:t ex:p ex:o . ex:s ex:p ex:o } ex:s ex:p _:g .
)"),
            R"(ex:s ex:p _:b0 .

ex:a {
    ex:s ex:p ex:o .

    ex:t ex:p ex:o .
}

ex:b {
    ex:s ex:p [
            ex:q 1 ;
            ex:r 2
        ] .
}

_:b0 {
    ex:s ex:p ex:o .
}
)");
}

TEST(PrettyWriter, DeclaresOnlyPrefixesInUse) {
  const std::string text = pretty("@prefix unused: <http://unused/> . ex:s a ( 1 ) .");
  EXPECT_EQ(text, "@prefix ex: <http://example.org/> .\n\nex:s a ( 1 ) .\n");
  EXPECT_THAT(pretty("ex:s ex:p \"1\"^^<http://www.w3.org/2001/XMLSchema#int> ."),
              HasSubstr("@prefix xsd: <"));
  EXPECT_EQ(pretty("<urn:s> <urn:p> 1 ."), "<urn:s> <urn:p> 1 .\n");
}

TEST(PrettyWriter, EmptyInputIsAnEmptyDocument) { EXPECT_EQ(pretty(""), ""); }

TEST(PrettyWriter, KeepsShortBracketsOnOneLine) {
  EXPECT_EQ(body("ex:s ex:p [ ex:q [] ] ; ex:q ( 1 [ ex:p () ] ( 2 ) ) ."),
            "ex:s ex:p [ ex:q [] ] ;\n"
            "    ex:q ( 1 [ ex:p () ] ( 2 ) ) .\n");
  const std::string item(60, 'x');
  EXPECT_EQ(body(fmt::format("ex:s ex:p ( \"{0}\" \"{0}\" ) .", item)),
            fmt::format("ex:s ex:p (\n        \"{0}\"\n        \"{0}\"\n    ) .\n", item));
}

TEST(PrettyWriter, LabelsWhatIsUsedTwiceOrInCircles) {
  EXPECT_EQ(body("ex:s ex:p _:x . ex:t ex:p _:x . _:x ex:p 1 ."),
            "ex:s ex:p _:b0 .\n\nex:t ex:p _:b0 .\n\n_:b0 ex:p 1 .\n");
  EXPECT_EQ(body("_:x ex:p _:y . _:y ex:q _:x . _:y ex:r [ ex:p _:z ] ."),
            "_:b0 ex:q _:b1 ;\n    ex:r [ ex:p [] ] .\n\n_:b1 ex:p _:b0 .\n");
  EXPECT_EQ(body("_:x ex:p _:x ."), "_:b0 ex:p _:b0 .\n");
}

TEST(PrettyWriter, LabelsWhatSeveralGraphsShare) {
  EXPECT_EQ(body("ex:s ex:p _:x . ex:g { _:x ex:p 1 }"),
            "ex:s ex:p _:b0 .\n\nex:g {\n    _:b0 ex:p 1 .\n}\n");
  EXPECT_EQ(body("_:x ex:p 1 . ex:g { _:x ex:p 1 }"),
            "_:b0 ex:p 1 .\n\nex:g {\n    _:b0 ex:p 1 .\n}\n");
}

TEST(PrettyWriter, WritesOnlyWholeListsAsLists) {
  EXPECT_THAT(body("ex:s ex:p _:x . _:x <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> 1 ."),
              HasSubstr("[ rdf:first 1 ]"));
  constexpr std::string_view kRdfPrefix =
      "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . ";
  const auto lists = [&](std::string_view text) { return body(std::string(kRdfPrefix) += text); };
  // Something else said of a cell, two firsts, an open end, a shared tail, a circle.
  EXPECT_THAT(lists("ex:s ex:p _:x . _:x rdf:first 1 ; rdf:rest () ; ex:p 1 ."),
              Not(HasSubstr("( ")));
  EXPECT_THAT(lists("ex:s ex:p _:x . _:x rdf:first 1, 2 ; rdf:rest (3) ."),
              HasSubstr("rdf:rest ( 3 )"));
  EXPECT_THAT(lists("ex:s ex:p _:x . _:x rdf:first 1 ; rdf:rest [] ."), Not(HasSubstr("( ")));
  EXPECT_THAT(lists("_:x rdf:first 1 ; rdf:rest _:y . _:z rdf:first 0 ; rdf:rest _:y . "
                    "_:y rdf:first 2 ; rdf:rest () ."),
              HasSubstr("_:b0 rdf:first 2"));
  EXPECT_EQ(lists("_:x rdf:first 1 ; rdf:rest _:x ."), "_:b0 rdf:first 1 ;\n    rdf:rest _:b0 .\n");
  // A list that holds itself.
  EXPECT_THAT(lists("_:x rdf:first _:x ; rdf:rest (1 2) ."),
              HasSubstr("_:b0 rdf:first _:b0 ;\n    rdf:rest ( 1 2 ) ."));
}

TEST(PrettyWriter, CutsWhatIsNestedTooDeep) {
  OpContext context;
  context.limits.write_nesting_max = 2;
  EXPECT_EQ(body("ex:s ex:p [ ex:p [ ex:p [ ex:p ex:o ] ] ] .", context),
            "ex:s ex:p [ ex:p [ ex:p _:b0 ] ] .\n\n_:b0 ex:p ex:o .\n");
  context.limits.write_nesting_max = 0;
  EXPECT_EQ(body("ex:s ex:p [ ex:p 1 ], ( 2 ) .", context),
            "ex:s ex:p _:b0,\n        _:b1 .\n\n"
            "_:b0 ex:p 1 .\n\n"
            "_:b1 rdf:first 2 ;\n    rdf:rest () .\n");
}

// Chains and lists of any length neither recurse nor take more than linear work.
TEST(PrettyWriter, WritesLongChainsAndLists) {
  QuadSet set;
  constexpr int kLength = 50'000;
  for (int i = 0; i < kLength; ++i) {
    const std::string node = fmt::format("chain{}", i);
    const std::string next = fmt::format("chain{}", i + 1);
    ASSERT_TRUE(set.statement(
        {TermView::blank(node), TermView::iri("urn:next"), TermView::blank(next), {}}));
    const std::string cell = fmt::format("cell{}", i);
    const std::string rest = fmt::format("cell{}", i + 1);
    ASSERT_TRUE(set.statement(
        {TermView::blank(cell), TermView::iri(kRdfFirst), TermView::iri("urn:item"), {}}));
    ASSERT_TRUE(set.statement({TermView::blank(cell),
                               TermView::iri(kRdfRest),
                               i + 1 < kLength ? TermView::blank(rest) : TermView::iri(kRdfNil),
                               {}}));
  }
  StringSink out;
  const auto writer = make_pretty_writer(Format::Turtle, out, {}, OpContext());
  for (const QuadIndexes& quad : set.quads()) ASSERT_TRUE(writer->statement(set.view(quad)));
  ASSERT_TRUE(writer->finish());
  QuadSet again;
  read_into(again, out.text());
  EXPECT_TRUE(are_isomorphic(set, again).value());
}

// Colours alone cannot tell these nodes apart; the order they have been given is kept.
TEST(PrettyWriter, IsStableForRegularGraphs) {
  std::string text;
  const auto edge = [&](int a, int b) {
    fmt::format_to(std::back_inserter(text), "_:n{0} ex:p _:n{1} . _:n{1} ex:p _:n{0} .\n", a, b);
  };
  for (int i = 0; i < 6; ++i) edge(i, (i + 1) % 6);
  for (int i = 0; i < 3; ++i) edge(6 + i, 6 + (i + 1) % 3);
  for (int i = 0; i < 3; ++i) edge(20 - i, 20 - (i + 1) % 3);
  const std::string once = pretty(text);
  EXPECT_EQ(pretty(once), once);
}

TEST(PrettyWriter, StopsAtTheMemoryBudget) {
  MemoryBudget budget("query", 100'000);
  OpContext context;
  context.memory = &budget;
  StringSink out;
  const auto writer = make_pretty_writer(Format::Turtle, out, {}, context);
  Result<void> result;
  for (int i = 0; i < 100'000 && result; ++i) {
    const std::string value = std::to_string(i);
    result = writer->statement(
        {TermView::iri("urn:s"), TermView::iri("urn:p"), TermView::literal(value), {}});
  }
  if (result) result = writer->finish();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::LimitExceeded);
}

TEST(PrettyWriter, RefusesWhatCannotBeWritten) {
  StringSink out;
  const auto writer = make_pretty_writer(Format::Turtle, out, {}, OpContext());
  const TermView s = TermView::iri("urn:s");
  EXPECT_EQ(writer->statement({s, s, s, s}).error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(writer->statement({s, s, TermView::iri("a b"), {}}).error().code,
            ErrorCode::InvalidInput);
}

}  // namespace
}  // namespace helve::rdf
