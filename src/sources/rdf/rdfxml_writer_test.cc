#include "sources/rdf/rdfxml_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sources/rdf/isomorphism.h"
#include "sources/rdf/quad_set.h"
#include "sources/rdf/rdfxml_reader.h"
#include "sources/rdf/vocabulary.h"

namespace helve::rdf {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

StatementView xml_triple(const TermView& subject, std::string_view predicate,
                         const TermView& object) {
  return {subject, TermView::iri(predicate), object, {}};
}

const TermView kNodeA = TermView::iri("http://a/a");

std::string write(const std::vector<StatementView>& statements, const WriteOptions& options = {}) {
  StringSink out;
  const auto writer = make_rdfxml_writer(out, options, {});
  for (const StatementView& statement : statements) {
    const auto written = writer->statement(statement);
    EXPECT_TRUE(written) << written.error().to_string();
  }
  EXPECT_TRUE(writer->finish());
  return out.text();
}

Error fail_writing(const StatementView& statement, bool pretty) {
  StringSink out;
  WriteOptions options;
  options.pretty = pretty;
  const auto writer = make_rdfxml_writer(out, options, {});
  auto written = writer->statement(statement);
  EXPECT_FALSE(written);
  return written ? Error{ErrorCode::Internal, "no error"} : written.error();
}

void expect_round_trip(const std::vector<StatementView>& statements) {
  QuadSet before;
  for (const StatementView& statement : statements) ASSERT_TRUE(before.statement(statement));
  for (const bool pretty : {false, true}) {
    WriteOptions options;
    options.pretty = pretty;
    const std::string document = write(statements, options);
    QuadSet after;
    const auto report = read_rdfxml(document, {}, {}, after);
    ASSERT_TRUE(report) << report.error().to_string() << "\n" << document;
    const auto same = are_isomorphic(before, after);
    ASSERT_TRUE(same);
    EXPECT_TRUE(*same) << document;
  }
}

TEST(RdfXmlWriter, PrettyIsSortedGroupedAndTyped) {
  WriteOptions options;
  options.prefixes = {{"ex", "http://ex/"}};
  EXPECT_EQ(write({xml_triple(kNodeA, "http://ex/p", TermView::lang_literal("x", "en")),
                   xml_triple(TermView::iri("http://a/0"), "http://other/q", TermView::blank("b")),
                   xml_triple(kNodeA, kRdfType, TermView::iri("http://ex/T")),
                   xml_triple(kNodeA, "http://ex/p", TermView::lang_literal("x", "en")),
                   xml_triple(kNodeA, "http://ex/p", TermView::literal("1", kXsdInteger))},
                  options),
            R"(<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF
    xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    xmlns:ex="http://ex/"
    xmlns:ns1="http://other/">

  <rdf:Description rdf:about="http://a/0">
    <ns1:q rdf:nodeID="b"/>
  </rdf:Description>

  <ex:T rdf:about="http://a/a">
    <ex:p rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">1</ex:p>
    <ex:p xml:lang="en">x</ex:p>
  </ex:T>

</rdf:RDF>
)");
}

TEST(RdfXmlWriter, StreamsInOrderOfArrival) {
  StringSink out;
  WriteOptions options;
  options.pretty = false;
  const auto writer = make_rdfxml_writer(out, options, {});
  writer->prefix("ex", "http://ex/");
  ASSERT_TRUE(writer->statement(xml_triple(kNodeA, "http://ex/p", kNodeA)));
  writer->prefix("late", "http://late/");
  ASSERT_TRUE(writer->statement(xml_triple(kNodeA, "http://late/p", kNodeA)));
  ASSERT_TRUE(writer->statement(xml_triple(kNodeA, "http://new/p", TermView::literal(""))));
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(out.text(), R"(<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF
    xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    xmlns:ex="http://ex/">

  <rdf:Description rdf:about="http://a/a">
    <ex:p rdf:resource="http://a/a"/>
    <late:p xmlns:late="http://late/" rdf:resource="http://a/a"/>
    <ns:p xmlns:ns="http://new/"></ns:p>
  </rdf:Description>

</rdf:RDF>
)");
}

TEST(RdfXmlWriter, AnEmptyGraphIsADocument) { expect_round_trip({}); }

TEST(RdfXmlWriter, LiteralsRoundTrip) {
  std::vector<StatementView> statements;
  for (const std::string_view text :
       {"", " ", "\n", "\r\n\r", "\t a ", "<a>&amp;]]>", "\"'", "\u00E9\U0001F600\u0085\u2028"}) {
    statements.push_back(xml_triple(kNodeA, "http://ex/p", TermView::literal(text)));
    statements.push_back(
        xml_triple(kNodeA, "http://ex/p", TermView::literal(text, kRdfXmlLiteral)));
    statements.push_back(xml_triple(kNodeA, "http://ex/p", TermView::lang_literal(text, "en-GB")));
  }
  expect_round_trip(statements);
}

TEST(RdfXmlWriter, BlankNodesRoundTripWhateverTheirLabels) {
  std::vector<StatementView> statements;
  for (const std::string_view label :
       {"b", "1", "_x1", "_x", "a.", "a._", "a:b", "_x61_3Ab", "genid1", "ugenid1", "\u00E9"}) {
    statements.push_back(
        xml_triple(TermView::blank(label), "http://ex/p", TermView::literal(label)));
    statements.push_back(xml_triple(kNodeA, "http://ex/q", TermView::blank(label)));
  }
  expect_round_trip(statements);
}

TEST(RdfXmlWriter, IrisRoundTrip) {
  expect_round_trip({
      xml_triple(TermView::iri("http://a/?x=1&y='2'"), "http://ex/a?b&c=d",
                 TermView::iri("urn:x:y")),
      xml_triple(kNodeA, "http://ex/1two", kNodeA),
      xml_triple(kNodeA, "http://ex/\u65E5\u672C", kNodeA),
      xml_triple(kNodeA, "http://ex/\U00010000x", kNodeA),
      xml_triple(kNodeA, "urn:p", kNodeA),
      xml_triple(kNodeA, "http://www.w3.org/1999/02/22-rdf-syntax-ns#_1", kNodeA),
  });
}

TEST(RdfXmlWriter, ClassesThatAreNoElementNamesStayProperties) {
  expect_round_trip({
      xml_triple(kNodeA, kRdfType, TermView::iri("http://ex/1")),
      xml_triple(TermView::blank("b"), kRdfType, TermView::blank("c")),
      xml_triple(TermView::blank("c"), kRdfType,
                 TermView::iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#Description")),
      xml_triple(TermView::blank("d"), kRdfType,
                 TermView::iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#li")),
  });
}

TEST(RdfXmlWriter, PrefixesThatXmlForbidsAreNotUsed) {
  WriteOptions options;
  options.prefixes = {{"xmlfoo", "http://x/"},
                      {"rdf", "http://not-rdf/"},
                      {"a:b", "http://y/"},
                      {"xml2", "http://www.w3.org/XML/1998/namespace"},
                      {"", "http://default/"}};
  const std::string document = write(
      {xml_triple(kNodeA, "http://x/p", kNodeA), xml_triple(kNodeA, "http://not-rdf/p", kNodeA),
       xml_triple(kNodeA, "http://y/p", kNodeA), xml_triple(kNodeA, "http://default/p", kNodeA)},
      options);
  EXPECT_THAT(document, Not(HasSubstr("xmlfoo")));
  EXPECT_THAT(document, HasSubstr("<p rdf:resource"));
  QuadSet after;
  ASSERT_TRUE(read_rdfxml(document, {}, {}, after));
  EXPECT_EQ(after.quads().size(), 4U);
}

TEST(RdfXmlWriter, WhatXmlCannotHoldIsRefused) {
  for (const bool pretty : {false, true}) {
    EXPECT_THAT(fail_writing(xml_triple(kNodeA, "http://ex/1", kNodeA), pretty).to_string(),
                HasSubstr("<http://ex/1> cannot be written in RDF/XML"));
    EXPECT_THAT(
        fail_writing(xml_triple(kNodeA, "http://www.w3.org/1999/02/22-rdf-syntax-ns#li", kNodeA),
                     pretty)
            .message,
        HasSubstr("something else"));
    EXPECT_THAT(
        fail_writing(xml_triple(kNodeA, "http://ex/p", TermView::literal("a\x01")), pretty).message,
        HasSubstr("U+0001"));
    EXPECT_THAT(fail_writing(xml_triple(kNodeA, "http://ex/p", TermView::literal("\uFFFF")), pretty)
                    .message,
                HasSubstr("U+FFFF"));
    EXPECT_THAT(
        fail_writing({kNodeA, TermView::iri("http://ex/p"), kNodeA, TermView::iri("http://g/")},
                     pretty)
            .hint,
        HasSubstr("TriG"));
  }
}

TEST(RdfXmlWriter, EqualGraphsGiveEqualDocuments) {
  const auto one = xml_triple(kNodeA, "http://ex/p", TermView::literal("1"));
  const auto two = xml_triple(TermView::iri("http://a/b"), "http://ex/q", TermView::literal("2"));
  EXPECT_EQ(write({one, two}), write({two, one, two}));
}

}  // namespace
}  // namespace helve::rdf
