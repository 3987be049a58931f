#include "sources/rdf/rdfxml_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace helve::rdf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

// Statements as N-Triples lines without the final dot, in order of arrival.
struct StatementLines final : StatementSink {
  std::vector<std::string> lines;
  std::vector<std::pair<std::string, std::string>> prefixes;

  Result<void> statement(const StatementView& statement) override {
    std::string line;
    append_ntriples(line, statement.subject);
    line += ' ';
    append_ntriples(line, statement.predicate);
    line += ' ';
    append_ntriples(line, statement.object);
    lines.push_back(std::move(line));
    return {};
  }
  void prefix(std::string_view name, std::string_view iri) override {
    prefixes.emplace_back(name, iri);
  }
};

constexpr std::string_view kType = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>";

ReadOptions options_with_base() {
  ReadOptions options;
  options.base_iri = "http://example.org/doc";
  options.document_name = "test.rdf";
  return options;
}

// The inside of an rdf:RDF element with the prefixes rdf and ex.
std::string wrap(std::string_view content) {
  return fmt::format(
      "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" "
      "xmlns:ex=\"http://example.org/\">{}</rdf:RDF>",
      content);
}

std::vector<std::string> read_xml(std::string_view document) {
  StatementLines sink;
  const auto report = read_rdfxml(document, options_with_base(), {}, sink);
  EXPECT_TRUE(report) << report.error().to_string();
  EXPECT_EQ(report ? report->statements : 0, sink.lines.size());
  return sink.lines;
}

std::vector<std::string> read_inside(std::string_view content) { return read_xml(wrap(content)); }

Error fail_reading(std::string_view document, const OpContext& context = {}) {
  StatementLines sink;
  const auto report = read_rdfxml(document, options_with_base(), context, sink);
  EXPECT_FALSE(report) << document.substr(0, 200);
  return report ? Error{ErrorCode::Internal, "no error"} : report.error();
}

Error fail_inside(std::string_view content) { return fail_reading(wrap(content)); }

std::string in_rdf(std::string_view local) {
  return fmt::format("<http://www.w3.org/1999/02/22-rdf-syntax-ns#{}>", local);
}

TEST(RdfXmlReader, TypedNodeWithLiteralAndResource) {
  EXPECT_THAT(
      read_inside("<ex:Planet rdf:about='#mars'><ex:name xml:lang='en'>Mars</ex:name>"
                  "<ex:orbits rdf:resource='sun'/></ex:Planet>"),
      ElementsAre(
          fmt::format("<http://example.org/doc#mars> {} <http://example.org/Planet>", kType),
          "<http://example.org/doc#mars> <http://example.org/name> \"Mars\"@en",
          "<http://example.org/doc#mars> <http://example.org/orbits> "
          "<http://example.org/sun>"));
}

TEST(RdfXmlReader, RootMayBeANodeElement) {
  EXPECT_THAT(read_xml("<ex:A xmlns:ex='http://example.org/'/>"),
              ElementsAre(fmt::format("_:genid1 {} <http://example.org/A>", kType)));
}

TEST(RdfXmlReader, PropertyAttributesOnNodesAndProperties) {
  EXPECT_THAT(read_inside("<rdf:Description rdf:nodeID='n' ex:p='v' rdf:type='T'>"
                          "<ex:q ex:r='w' xml:lang='de'/></rdf:Description>"),
              ElementsAre("_:n <http://example.org/p> \"v\"",
                          fmt::format("_:n {} <http://example.org/T>", kType),
                          "_:n <http://example.org/q> _:genid1",
                          "_:genid1 <http://example.org/r> \"w\"@de"));
}

TEST(RdfXmlReader, OldDocumentsWriteAboutWithoutPrefix) {
  EXPECT_THAT(read_inside("<rdf:Description about='http://a/'><ex:p resource='http://b/'/>"
                          "</rdf:Description>"),
              ElementsAre("<http://a/> <http://example.org/p> <http://b/>"));
}

TEST(RdfXmlReader, XmlAttributesAreIgnoredAndOthersNeedANamespace) {
  EXPECT_THAT(read_inside("<rdf:Description rdf:about='http://a/' xml:space='preserve' "
                          "xmlThing='1'/>"),
              IsEmpty());
  EXPECT_THAT(fail_inside("<rdf:Description size='1'/>").message, HasSubstr("\"size\""));
}

TEST(RdfXmlReader, DatatypesAndXsdString) {
  EXPECT_THAT(read_inside("<rdf:Description rdf:about='http://a/' xml:lang='en'>"
                          "<ex:p rdf:datatype='http://dt'>1</ex:p>"
                          "<ex:p rdf:datatype='http://www.w3.org/2001/XMLSchema#string'>s</ex:p>"
                          "<ex:p rdf:datatype='http://dt'/><ex:p/><ex:p xml:lang=''> </ex:p>"
                          "</rdf:Description>"),
              ElementsAre("<http://a/> <http://example.org/p> \"1\"^^<http://dt>",
                          "<http://a/> <http://example.org/p> \"s\"",
                          "<http://a/> <http://example.org/p> \"\"^^<http://dt>",
                          "<http://a/> <http://example.org/p> \"\"@en",
                          "<http://a/> <http://example.org/p> \" \""));
}

TEST(RdfXmlReader, TextIsJoinedAcrossEntitiesCdataAndComments) {
  EXPECT_THAT(read_inside("<rdf:Description rdf:about='http://a/'>"
                          "<ex:p>a &lt;\n<![CDATA[<&]]><!-- no -->&#xE9;</ex:p></rdf:Description>"),
              ElementsAre("<http://a/> <http://example.org/p> \"a <\\n<&\u00E9\""));
}

TEST(RdfXmlReader, MembersAreCounted) {
  EXPECT_THAT(read_inside("<rdf:Seq rdf:about='http://s/'><rdf:li>a</rdf:li><rdf:_7>b</rdf:_7>"
                          "<rdf:li rdf:parseType='Resource'><rdf:li>c</rdf:li></rdf:li></rdf:Seq>"),
              ElementsAre(fmt::format("<http://s/> {} {}", kType, in_rdf("Seq")),
                          fmt::format("<http://s/> {} \"a\"", in_rdf("_1")),
                          fmt::format("<http://s/> {} \"b\"", in_rdf("_7")),
                          fmt::format("<http://s/> {} _:genid1", in_rdf("_2")),
                          fmt::format("_:genid1 {} \"c\"", in_rdf("_1"))));
}

TEST(RdfXmlReader, CollectionsBecomeLists) {
  EXPECT_THAT(
      read_inside("<rdf:Description rdf:about='http://a/'><ex:p rdf:parseType='Collection'>"
                  "<rdf:Description rdf:about='http://b/'/><rdf:Description rdf:about='http://c/'/>"
                  "</ex:p><ex:q rdf:parseType='Collection'/></rdf:Description>"),
      ElementsAre("<http://a/> <http://example.org/p> _:genid1",
                  fmt::format("_:genid1 {} <http://b/>", in_rdf("first")),
                  fmt::format("_:genid1 {} _:genid2", in_rdf("rest")),
                  fmt::format("_:genid2 {} <http://c/>", in_rdf("first")),
                  fmt::format("_:genid2 {} {}", in_rdf("rest"), in_rdf("nil")),
                  fmt::format("<http://a/> <http://example.org/q> {}", in_rdf("nil"))));
}

TEST(RdfXmlReader, CollectionsNest) {
  const auto lines = read_inside(
      "<rdf:Description rdf:about='http://a/'><ex:p rdf:parseType='Collection'>"
      "<rdf:Description rdf:nodeID='x'><ex:p rdf:parseType='Collection'>"
      "<rdf:Description rdf:nodeID='y'/></ex:p></rdf:Description>"
      "<rdf:Description rdf:nodeID='z'/></ex:p></rdf:Description>");
  ASSERT_EQ(lines.size(), 8U);
  EXPECT_EQ(lines[5], fmt::format("_:genid1 {} _:genid3", in_rdf("rest")));
}

TEST(RdfXmlReader, PropertyIdReifiesTheStatement) {
  EXPECT_THAT(
      read_inside("<rdf:Description rdf:about='http://a/'>"
                  "<ex:p rdf:ID='s'>v</ex:p></rdf:Description>"),
      ElementsAre(
          "<http://a/> <http://example.org/p> \"v\"",
          fmt::format("<http://example.org/doc#s> {} <http://a/>", in_rdf("subject")),
          fmt::format("<http://example.org/doc#s> {} <http://example.org/p>", in_rdf("predicate")),
          fmt::format("<http://example.org/doc#s> {} \"v\"", in_rdf("object")),
          fmt::format("<http://example.org/doc#s> {} {}", kType, in_rdf("Statement"))));
}

TEST(RdfXmlReader, XmlBaseAppliesInsideOnly) {
  EXPECT_THAT(read_inside("<rdf:Description xml:base='http://b/d/f' rdf:ID='x' ex:p='1'>"
                          "<ex:q xml:base='../g' rdf:resource='h'/></rdf:Description>"
                          "<rdf:Description rdf:ID='x' ex:p='2'/>"),
              ElementsAre("<http://b/d/f#x> <http://example.org/p> \"1\"",
                          "<http://b/d/f#x> <http://example.org/q> <http://b/h>",
                          "<http://example.org/doc#x> <http://example.org/p> \"2\""));
}

TEST(RdfXmlReader, PrefixesAreGivenOnceAndNotFromLiterals) {
  StatementLines sink;
  ASSERT_TRUE(read_rdfxml(wrap("<rdf:Description xmlns:ex='http://other/'>"
                               "<ex:p rdf:parseType='Literal'><a xmlns='http://x/'/></ex:p>"
                               "</rdf:Description>"),
                          options_with_base(), {}, sink));
  EXPECT_THAT(sink.prefixes, ElementsAre(Pair("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
                                         Pair("ex", "http://example.org/")));
}

TEST(RdfXmlReader, XmlLiteralIsExclusiveCanonicalXml) {
  EXPECT_THAT(
      read_inside(
          "<rdf:Description rdf:about='http://a/' xmlns='http://d/'>"
          "<ex:p rdf:parseType='Literal'> <b z='1' ex:y=\"'&quot;\" a='&#10;'/>"
          "<!--c--><?pi d?><ex:e><i>&amp;&gt;</i></ex:e><u xmlns=''><x xmlns=''/></u></ex:p>"
          "</rdf:Description>"),
      ElementsAre("<http://a/> <http://example.org/p> \""
                  " <b xmlns=\\\"http://d/\\\" xmlns:ex=\\\"http://example.org/\\\""
                  " a=\\\"&#xA;\\\" z=\\\"1\\\" ex:y=\\\"'&quot;\\\"></b>"
                  "<!--c--><?pi d?><ex:e xmlns:ex=\\\"http://example.org/\\\">"
                  "<i xmlns=\\\"http://d/\\\">&amp;&gt;</i></ex:e><u><x></x></u>\""
                  "^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral>"));
}

TEST(RdfXmlReader, UnknownParseTypeIsLiteral) {
  EXPECT_THAT(read_inside("<rdf:Description rdf:about='http://a/'>"
                          "<ex:p rdf:parseType='daml'>x</ex:p></rdf:Description>"),
              ElementsAre(HasSubstr("\"x\"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#XML")));
}

TEST(RdfXmlReader, BlankLabelsAreUsableInOtherSyntaxes) {
  EXPECT_THAT(read_inside("<rdf:Description rdf:nodeID='a.' ex:p='1'/>"
                          "<rdf:Description rdf:nodeID='a._' ex:p='2'/>"),
              ElementsAre(HasSubstr("_:a._ "), HasSubstr("_:a.__ ")));
}

TEST(RdfXmlReader, ForbiddenNames) {
  EXPECT_THAT(fail_inside("<rdf:li/>").message, HasSubstr("cannot be a node element"));
  EXPECT_THAT(fail_inside("<ex:A><rdf:Description/></ex:A>").message,
              HasSubstr("cannot be a property element"));
  EXPECT_THAT(fail_inside("<ex:A rdf:bagID='x'/>").message, HasSubstr("rdf:bagID"));
  EXPECT_THAT(fail_inside("<ex:A rdf:resource='x'/>").message,
              HasSubstr("cannot have rdf:resource"));
  EXPECT_THAT(fail_inside("<ex:A><ex:p rdf:about='x'/></ex:A>").message, HasSubstr("rdf:about"));
  EXPECT_THAT(fail_inside("<a/>").message, HasSubstr("has no namespace"));
}

TEST(RdfXmlReader, AttributesThatExcludeEachOther) {
  for (const char* attributes :
       {"rdf:resource='r' rdf:nodeID='n'", "rdf:parseType='Literal' rdf:resource='r'",
        "rdf:parseType='Resource' ex:q='v'", "rdf:datatype='http://d/' ex:q='v'",
        "rdf:datatype='http://d/' rdf:resource='r'"}) {
    EXPECT_THAT(fail_inside(fmt::format("<ex:A><ex:p {}/></ex:A>", attributes)).message,
                HasSubstr("exclude each other"))
        << attributes;
  }
  EXPECT_THAT(fail_inside("<ex:A rdf:about='a' rdf:ID='b'/>").message,
              HasSubstr("more than one name"));
}

TEST(RdfXmlReader, ContentOfPropertiesIsOneValue) {
  EXPECT_THAT(fail_inside("<ex:A><ex:p>x<ex:B/></ex:p></ex:A>").message,
              HasSubstr("beside the text"));
  EXPECT_THAT(fail_inside("<ex:A><ex:p><ex:B/>x</ex:p></ex:A>").message,
              HasSubstr("value already"));
  EXPECT_THAT(fail_inside("<ex:A><ex:p><ex:B/><ex:C/></ex:p></ex:A>").message, HasSubstr("second"));
  EXPECT_THAT(fail_inside("<ex:A><ex:p rdf:resource='r'><ex:B/></ex:p></ex:A>").message,
              HasSubstr("must be empty"));
  EXPECT_THAT(fail_inside("<ex:A><ex:p rdf:datatype='http://d/'><ex:B/></ex:p></ex:A>").message,
              HasSubstr("datatype"));
}

TEST(RdfXmlReader, ErrorsHaveDocumentLineAndColumnInCharacters) {
  const Error error = fail_inside("\n <ex:A/>\n<!-- \u00E9\U0001F600 --> lost");
  EXPECT_THAT(error.to_string(), HasSubstr("test.rdf:3:13: met the text \"lost\""));
}

TEST(RdfXmlReader, IrisAreChecked) {
  EXPECT_THAT(fail_inside("<ex:A rdf:about='a b'/>").message, HasSubstr("U+0020"));
  EXPECT_THAT(fail_inside("<ex:A rdf:about='a|b'/>").message, HasSubstr("\"|\""));
  EXPECT_THAT(fail_inside("<ex:A rdf:ID='1a'/>").message, HasSubstr("not an XML name"));
  EXPECT_THAT(fail_inside("<ex:A rdf:ID='a'/><ex:A rdf:ID='a'/>").message,
              HasSubstr("second time"));
  EXPECT_THAT(fail_inside("<ex:A xml:lang='en_US'/>").message, HasSubstr("language tag"));
  EXPECT_THAT(fail_reading("<A xmlns='relative'/>").message, HasSubstr("not an absolute IRI"));
  StatementLines sink;
  const auto report = read_rdfxml(wrap("<ex:A rdf:about='a'/>"), {}, {}, sink);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("relative"));
}

TEST(RdfXmlReader, LenientSkipsElementsAndGoesOn) {
  ReadOptions options = options_with_base();
  options.lenient = true;
  StatementLines sink;
  const auto report = read_rdfxml(
      wrap("<ex:A rdf:about='a b'><ex:p>no</ex:p></ex:A>"
           "<rdf:Description rdf:about='http://a/'>text<rdf:li><rdf:li/></rdf:li><ex:p>yes</ex:p>"
           "<ex:q rdf:parseType='Collection'><rdf:ID/><rdf:Description rdf:nodeID='i'/></ex:q>"
           "</rdf:Description>"),
      options, {}, sink);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->skipped, 4U);
  ASSERT_EQ(report->problems.size(), 4U);
  EXPECT_EQ(report->problems[0].document, "test.rdf");
  EXPECT_THAT(sink.lines, ElementsAre("<http://a/> <http://example.org/p> \"yes\"",
                                      "<http://a/> <http://example.org/q> _:genid1",
                                      HasSubstr("_:i"), HasSubstr("nil")));
}

TEST(RdfXmlReader, LenientEndsWhereTheXmlIsBroken) {
  ReadOptions options = options_with_base();
  options.lenient = true;
  StatementLines sink;
  const auto report = read_rdfxml("<A xmlns='http://a/'><p>1</p><p>2</q></A>", options, {}, sink);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->statements, 2U);
  EXPECT_EQ(report->skipped, 1U);
  EXPECT_THAT(report->problems.front().message, HasSubstr("does not match <p> opened at line 1"));
}

TEST(RdfXmlReader, AnErrorOfTheSinkIsTheResultEvenWhenLenient) {
  struct Refusing final : StatementSink {
    Result<void> statement(const StatementView&) override {
      return Error{ErrorCode::InvalidInput, "refused"};
    }
  };
  ReadOptions options = options_with_base();
  options.lenient = true;
  Refusing sink;
  const auto report = read_rdfxml("<A xmlns='http://a/'/>", options, {}, sink);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message, "refused");
}

TEST(RdfXmlReader, CancellationStops) {
  OpContext context;
  context.cancel.cancel();
  EXPECT_EQ(fail_reading("<A xmlns='http://a/'/>", context).code, ErrorCode::Cancelled);
}

}  // namespace
}  // namespace helve::rdf
