#include "sources/rdf/format.h"

#include <gtest/gtest.h>

namespace helve::rdf {
namespace {

using F = std::optional<Format>;

F detect(std::string_view head, F by_name = {}) { return detect_format(head, by_name); }

TEST(Format, NamesEndingsAndMediaTypes) {
  EXPECT_EQ(parse_format("TTL").value(), Format::Turtle);
  EXPECT_EQ(parse_format(".nq").value(), Format::NQuads);
  EXPECT_EQ(parse_format("text/turtle; charset=utf-8").value(), Format::Turtle);
  EXPECT_EQ(parse_format("application/rdf+xml").value(), Format::RdfXml);
  EXPECT_EQ(parse_format("N-Triples").value(), Format::NTriples);
  EXPECT_EQ(parse_format("json").error().code, ErrorCode::InvalidInput);
  for (const Format format :
       {Format::NTriples, Format::NQuads, Format::Turtle, Format::TriG, Format::RdfXml}) {
    EXPECT_EQ(parse_format(format_name(format)).value(), format);
  }
}

TEST(Format, OfPaths) {
  EXPECT_EQ(format_of_path("a/b.c/x.ttl"), F(Format::Turtle));
  EXPECT_EQ(format_of_path("x.NT.GZ"), F(Format::NTriples));
  EXPECT_EQ(format_of_path("x.trig.zst"), F(Format::TriG));
  EXPECT_EQ(format_of_path("x.owl.bz2"), F(Format::RdfXml));
  EXPECT_EQ(format_of_path("a.ttl/x"), F());
  EXPECT_EQ(format_of_path("x.gz"), F());
  EXPECT_EQ(format_of_path("-"), F());
}

TEST(FormatDetection, Xml) {
  EXPECT_EQ(detect("<?xml version=\"1.0\"?><rdf:RDF xmlns:rdf=\"...\">"), F(Format::RdfXml));
  EXPECT_EQ(detect("\xEF\xBB\xBF \n<rdf:RDF\n xmlns:rdf=\"...\">", Format::Turtle),
            F(Format::RdfXml));
  EXPECT_EQ(detect("<!-- note -->\n<!DOCTYPE rdf:RDF [ <!ENTITY owl \"x\"> ]><rdf:RDF x='y'>"),
            F(Format::RdfXml));
  EXPECT_EQ(detect(std::string_view("\xFF\xFE<\0?\0", 6)), F(Format::RdfXml));
  EXPECT_EQ(detect("<owl:Ontology rdf:about=\"\">"), F(Format::RdfXml));
}

TEST(FormatDetection, NotRdf) {
  EXPECT_EQ(detect("<!DOCTYPE html><html>", Format::Turtle), F());
  EXPECT_EQ(detect("<html lang='en'>"), F());
  EXPECT_EQ(detect("<?xml version='1.0'?>\n<!DOCTYPE HTML PUBLIC 'x'>"), F());
  EXPECT_EQ(detect("<?xml version='1.0'?><!-- x --><html xmlns='...'>"), F());
  EXPECT_EQ(detect("{\"a\": 1}", Format::TriG), F());
  EXPECT_EQ(detect("[1, 2]"), F());
  EXPECT_EQ(detect("[ {\"@id\": \"x\"} ]"), F());
  EXPECT_EQ(detect("name,age\nann,3\n"), F());
  EXPECT_EQ(detect("Once upon a time."), F());
  EXPECT_EQ(detect(std::string_view("\x7F"
                                    "ELF\0\0",
                                    6),
                   Format::Turtle),
            F());
  EXPECT_EQ(detect("%PDF-1.4"), F());
}

TEST(FormatDetection, TurtleByItsDeclarations) {
  EXPECT_EQ(detect("@prefix a: <http://a> .\n"), F(Format::Turtle));
  EXPECT_EQ(detect("# x\n\nPREFIX a: <http://a>\n", Format::RdfXml), F(Format::Turtle));
  EXPECT_EQ(detect("@base <http://a> .", Format::NTriples), F(Format::Turtle));
  EXPECT_EQ(detect("@prefix a: <http://a> .", Format::TriG), F(Format::TriG));
}

TEST(FormatDetection, TurtleByItsSyntax) {
  EXPECT_EQ(detect("<http://a> <http://b> <http://c> ; <http://d> 1 ."), F(Format::Turtle));
  EXPECT_EQ(detect("<http://a> a <http://c> .", Format::RdfXml), F(Format::Turtle));
  EXPECT_EQ(detect("<> <http://b> 'x' ."), F(Format::Turtle));
  EXPECT_EQ(detect("[] <http://b> 'x' ."), F(Format::Turtle));
  EXPECT_EQ(detect("ex:a ex:b ex:c .", Format::Turtle), F(Format::Turtle));
}

TEST(FormatDetection, TrigByItsGraphs) {
  EXPECT_EQ(detect("@prefix a: <http://a> .\na:g { a:x a:y a:z }", Format::Turtle),
            F(Format::TriG));
  EXPECT_EQ(detect("GRAPH <http://g> { }"), F(Format::TriG));
  EXPECT_EQ(detect("{ <http://a> <http://b> <http://c> }"), F(Format::TriG));
  EXPECT_EQ(detect("@prefix i: <http://i#> .\ni:a a i:GraphicArt ; i:graph graph:x ."),
            F(Format::Turtle));
  EXPECT_EQ(detect("@prefix a: <http://a> .\na:g a:b '{' , \"{\" , <http://{> .", Format::Turtle),
            F(Format::Turtle));
}

TEST(FormatDetection, LinesOfTriplesAndQuads) {
  constexpr std::string_view kTriples =
      "# x\n<http://a> <http://b> \"x . y\"@en-GB .\n_:a <http://b> \"1\"^^<http://d> .\n"
      "<http://a> <http://b> <http://c> .\n";
  EXPECT_EQ(detect(kTriples), F(Format::NTriples));
  EXPECT_EQ(detect(kTriples, Format::Turtle), F(Format::Turtle));
  EXPECT_EQ(detect(kTriples, Format::NQuads), F(Format::NQuads));
  EXPECT_EQ(detect(kTriples, Format::RdfXml), F(Format::NTriples));
  constexpr std::string_view kQuads =
      "<http://a> <http://b> <http://c> .\n<http://a> <http://b> \"x\"@en <http://g> .\n";
  EXPECT_EQ(detect(kQuads), F(Format::NQuads));
  EXPECT_EQ(detect(kQuads, Format::NTriples), F(Format::NQuads));
  EXPECT_EQ(detect("<http://a> <http://b> \"1\"^^<http://d> _:g .\n"), F(Format::NQuads));
  EXPECT_EQ(detect("<http://a> <http://b> bad .\n", Format::NTriples), F(Format::NTriples));
}

TEST(FormatDetection, NothingToGoBy) {
  EXPECT_EQ(detect(""), F(Format::Turtle));
  EXPECT_EQ(detect(" # comment\n", Format::NQuads), F(Format::NQuads));
  EXPECT_EQ(detect("", Format::RdfXml), F(Format::RdfXml));
}

TEST(FormatDetection, AnyCutOfAHeadIsFine) {
  constexpr std::string_view kText =
      "@prefix a: <http://a> .\na:x a:y \"\"\"s\\\"tr\"\"\", 'x'@en, 1^^a:z ; a:b [ ] .";
  for (std::size_t length = 7; length <= kText.size(); ++length) {
    EXPECT_EQ(detect(kText.substr(0, length)), F(Format::Turtle)) << length;
  }
}

}  // namespace
}  // namespace helve::rdf
