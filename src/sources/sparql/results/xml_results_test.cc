#include "sources/sparql/results/results_testing.h"

namespace helve::sparql {
namespace {

using namespace test;

constexpr std::string_view kOpen = "<sparql xmlns=\"http://www.w3.org/2005/sparql-results#\">";

std::string document(std::string_view content) {
  return std::string(kOpen) + "\n" + std::string(content) + "</sparql>";
}

std::string xml_with_term(std::string_view term) {
  return document("<head><variable name='x'/></head><results><result><binding name='x'>" +
                  std::string(term) + "</binding></result></results>");
}

std::string xml_error(std::string_view text) { return error_of(ResultFormat::Xml, text); }

MaybeTerm only_xml_term(std::string_view term) {
  const auto found = read(ResultFormat::Xml, xml_with_term(term));
  EXPECT_TRUE(found) << found.error().to_string();
  return found ? found->rows.at(0).at(0) : kUnbound;
}

TEST(XmlResults, AreWrittenOneRowOnALine) {
  EXPECT_EQ(written(table({"x", "y"}, {{iri("http://a/?b&c"), blank("b0")},
                                       {kUnbound, kUnbound},
                                       {tagged("<chat>\r", "fr"), typed("1", "http://t")}}),
                    ResultFormat::Xml),
            R"(<?xml version="1.0"?>
<sparql xmlns="http://www.w3.org/2005/sparql-results#">
<head><variable name="x"/><variable name="y"/></head>
<results>
<result><binding name="x"><uri>http://a/?b&amp;c</uri></binding><binding name="y"><bnode>b0</bnode></binding></result>
<result></result>
<result><binding name="x"><literal xml:lang="fr">&lt;chat&gt;&#xD;</literal></binding><binding name="y"><literal datatype="http://t">1</literal></binding></result>
</results>
</sparql>
)");
  EXPECT_EQ(written(answer(false), ResultFormat::Xml), R"(<?xml version="1.0"?>
<sparql xmlns="http://www.w3.org/2005/sparql-results#">
<head/>
<boolean>false</boolean>
</sparql>
)");
}

TEST(XmlResults, WhatXmlCannotHoldIsRefused) {
  StringSink out;
  const auto writer = make_solution_writer(ResultFormat::Xml, out);
  const auto result = table({"x"}, {{text("a\x01")}}).send(*writer);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().to_string(),
            "a term has the character U+0001, which XML cannot hold (write the results as json or "
            "tsv)");
}

TEST(XmlResults, TermsOfEveryKindAreRead) {
  EXPECT_EQ(only_xml_term("<uri> http://a\n</uri>"), iri("http://a"));
  EXPECT_EQ(only_xml_term("<bnode>b</bnode>"), blank("b"));
  EXPECT_EQ(only_xml_term("<literal> a &amp;<![CDATA[<b>]]>&#x1F600;\n</literal>"),
            text(" a &<b>😀\n"));
  EXPECT_EQ(only_xml_term("<literal/>"), text(""));
  EXPECT_EQ(only_xml_term("<literal xml:lang='en'>a</literal>"), tagged("a", "en"));
  EXPECT_EQ(only_xml_term("<literal xml:lang=''>a</literal>"), text("a"));
  EXPECT_EQ(only_xml_term("<literal datatype='http://t'>a</literal>"), typed("a", "http://t"));
  EXPECT_EQ(
      only_xml_term("<literal datatype='http://www.w3.org/2001/XMLSchema#string'>a</literal>"),
      text("a"));
  EXPECT_EQ(only_xml_term("<unbound/>"), kUnbound);
}

TEST(XmlResults, WhatIsBesideTheResultsIsSkipped) {
  const auto found = read(ResultFormat::Xml, R"(<?xml version="1.0"?>
<!-- comment --><?pi x?>
<s:sparql xmlns:s="http://www.w3.org/2005/sparql-results#" xmlns:o="http://other">
  <s:head><o:x>text<o:y/></o:x><s:variable name="x"/><s:link href="meta"/></s:head>
  <s:results ordered="true" distinct="false">
    <s:result><o:z/><s:binding name="x"><s:uri>http://a</s:uri></s:binding></s:result>
  </s:results>
</s:sparql>)");
  ASSERT_TRUE(found) << found.error().to_string();
  EXPECT_TRUE(is_identical(*found, table({"x"}, {{iri("http://a")}})));
}

TEST(XmlResults, BooleansAreRead) {
  const auto found = read(ResultFormat::Xml, document("<head/><boolean> true </boolean>"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->answer, true);
  EXPECT_EQ(xml_error(document("<head/>\n<boolean>yes</boolean>")),
            "results:3:13: expected true or false, found \"yes\"");
}

TEST(XmlResults, FaultsHaveAPlace) {
  EXPECT_EQ(xml_error(""),
            "results:1:1: the document is empty; SPARQL results in XML needs at least one element");
  EXPECT_EQ(xml_error("x"),
            "results:1:1: this is not XML: it starts with \"x\" (SPARQL results in XML starts with "
            "<?xml or <sparql; is this another format?)");
  EXPECT_EQ(xml_error("<html/>"),
            "results:1:1: this is an HTML page, not SPARQL results (ask the server for "
            "application/sparql-results+xml)");
  EXPECT_EQ(xml_error("<!DOCTYPE html><html/>"),
            "results:1:15: this is an HTML page, not SPARQL results in XML (ask the server for "
            "application/sparql-results+xml, or look for a download link)");
  EXPECT_EQ(xml_error("<sparql/>"),
            "results:1:1: the outermost element is <sparql>, not <sparql> (results are <sparql "
            "xmlns=\"http://www.w3.org/2005/sparql-results#\">)");
  EXPECT_EQ(xml_error(document("<head/>")),
            "results:2:8: the document has neither <results> nor <boolean>");
  EXPECT_EQ(xml_error(document("<results/>")),
            "results:2:1: met <results> before <head> (the head, which lists the variables, comes "
            "first)");
  EXPECT_EQ(xml_error(document("<head/><head/>")), "results:2:8: a second <head>");
  EXPECT_EQ(xml_error(document("<head/><results/><results/>")),
            "results:2:18: a second answer: there is one <results> or one <boolean>");
  EXPECT_EQ(xml_error(document("<heat/>")),
            "results:2:1: expected <head>, <results> or <boolean>, found <heat>");
  EXPECT_EQ(xml_error(document("<head><variable/></head>")),
            "results:2:7: a variable has no name (write <variable name=\"...\"/>)");
  EXPECT_EQ(xml_error(document("<head><x/></head>")),
            "results:2:7: expected <variable> or <link>, found <x>");
  EXPECT_EQ(xml_error(document("<head/><results>x</results>")),
            "results:2:17: met the text \"x\" where only elements can stand (values stand in "
            "<uri>, <literal> or <bnode>)");
  EXPECT_EQ(xml_error(document("<head/><results><row/></results>")),
            "results:2:17: expected <result>, found <row>");
  EXPECT_EQ(xml_error(document("<head/><results><result><binding name='x'/></result></results>")),
            "results:2:25: the variable x is not declared (list every variable of the results in "
            "their head)");
}

TEST(XmlResults, FaultsOfTermsAreExplained) {
  const auto message = [](std::string_view term) {
    const std::string error = xml_error(xml_with_term(term));
    return error.substr(error.find(": ") + 2);
  };
  EXPECT_EQ(message(""), "a binding has no value (leave out the bindings of unbound variables)");
  EXPECT_EQ(message("<uri>a</uri><uri>b</uri>"), "a binding has two values");
  EXPECT_EQ(message("<uri/>"), "an IRI is empty (leave out variables that are unbound)");
  EXPECT_EQ(message("<iri>a</iri>"), "expected <uri>, <literal> or <bnode>, found <iri>");
  EXPECT_EQ(message("<triple/>"),
            "a term is a triple (terms that are triples (RDF 1.2) are not supported)");
  EXPECT_EQ(message("<literal><b/></literal>"), "expected nothing but text, found <b>");
  EXPECT_EQ(message("<literal xml:lang='x_y'>a</literal>"),
            "\"x_y\" is not a language tag (tags look like \"en\" or \"pt-BR\")");
  EXPECT_EQ(message("<uri>a</uri></binding><binding name='x'><uri>a</uri>"),
            "the variable x is bound twice in this row");
}

TEST(XmlResults, NestingAndEntitiesAreBounded) {
  std::string deep(kOpen);
  for (int i = 0; i < 2'000; ++i) deep += "<o:x xmlns:o='http://o'>";
  EXPECT_NE(xml_error(deep).find("nested more than 1000 deep"), std::string::npos);
  EXPECT_NE(xml_error("<!DOCTYPE a SYSTEM 'file:///etc/passwd'>" + document("&b;"))
                .find("is not declared"),
            std::string::npos);
  EXPECT_NE(xml_error("<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]>" +
                      xml_with_term("<literal>&b;</literal>"))
                .find("never fetched"),
            std::string::npos);
}

}  // namespace
}  // namespace helve::sparql
