// Both descriptions, as they are written.
#include "surfaces/serve/description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "surfaces/serve/served_graph_testing.h"
#include "surfaces/serve/service_description.h"
#include "surfaces/serve/void_description.h"

namespace helve::serve {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string turtle(const Description& description) {
  StringSink out;
  EXPECT_TRUE(description.write(rdf::Format::Turtle, out, {}));
  return out.take();
}

std::string service(const ServedGraph& graph, bool is_union = false) {
  return turtle(describe_service({"http://e/sparql", is_union}, *graph.data));
}

TEST(ServiceDescription, TellsWhatTheEndpointIs) {
  const std::string text = service(served());
  EXPECT_THAT(text, HasSubstr("a sd:Service"));
  EXPECT_THAT(text, HasSubstr("sd:endpoint <http://e/sparql>"));
  EXPECT_THAT(text, HasSubstr("sd:supportedLanguage sd:SPARQL11Query"));
  EXPECT_THAT(text, HasSubstr("formats:SPARQL_Results_JSON"));
  EXPECT_THAT(text, HasSubstr("formats:RDF_XML"));
  EXPECT_THAT(text, HasSubstr("sd:name <http://example.org/zoo#night>"));
  EXPECT_THAT(text, HasSubstr("void:triples 5"));
  EXPECT_THAT(text, HasSubstr("void:triples 1"));
  EXPECT_THAT(text, HasSubstr("void:triples 2"));
  EXPECT_THAT(text, Not(HasSubstr("UnionDefaultGraph")));
}

TEST(ServiceDescription, AUnionIsAFeatureAndCountsAll) {
  const std::string text = service(served(), true);
  EXPECT_THAT(text, HasSubstr("sd:feature sd:UnionDefaultGraph"));
  EXPECT_THAT(text, HasSubstr("void:triples 8"));
}

TEST(ServiceDescription, ListsSomeOfManyGraphs) {
  std::string trig;
  for (std::size_t i = 0; i < kGraphsListedMax + 5; ++i) {
    trig += "<http://e/g" + std::to_string(i) + "> { <http://e/s> <http://e/p> 1 }\n";
  }
  const std::string text = service(served(trig));
  std::size_t listed = 0;
  for (std::size_t at = 0; (at = text.find("sd:NamedGraph", at)) != std::string::npos; ++at) {
    ++listed;
  }
  EXPECT_EQ(listed, kGraphsListedMax);
  EXPECT_THAT(text, HasSubstr("\"1000 of 1005 named graphs are listed\"@en"));
}

TEST(ServiceDescription, EmptyDataIsDescribedToo) {
  EXPECT_THAT(service(served("")), HasSubstr("void:triples 0"));
}

TEST(VoidDescription, TellsWhatTheDataIsMadeOf) {
  const ServedGraph graph = served();
  const auto schema = graph.source->schema({});
  ASSERT_TRUE(schema.has_value());
  const std::string text =
      turtle(describe_void({"http://e/.well-known/void", "http://e/sparql"}, **schema));
  for (const char* part :
       {"<http://e/.well-known/void#dataset> a void:Dataset",
        "void:sparqlEndpoint <http://e/sparql>", "void:triples 8", "void:distinctSubjects 3",
        "void:classes 2", "void:properties 3", "void:class <http://example.org/zoo#Cat>",
        "void:entities 2", "void:property <http://example.org/zoo#sleeps>"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(VoidDescription, ListsTheLargestAndSaysSo) {
  GraphSchema schema;
  for (std::size_t i = 0; i < kPartitionsListedMax + 1; ++i) {
    ClassInfo info;
    info.iri = "http://e/C" + std::to_string(i);
    info.instances = 2;
    schema.classes.push_back(info);
  }
  schema.classes.push_back({.iri = "http://e/unused", .instances = 0, .is_declared = true});
  const std::string text = turtle(describe_void({"http://e/v", "http://e/sparql"}, schema));
  EXPECT_THAT(text, HasSubstr("void:classes 1001"));
  EXPECT_THAT(text, HasSubstr("\"the 1000 largest of 1001 classes are listed\"@en"));
  EXPECT_THAT(text, HasSubstr("<http://e/C999>"));
  EXPECT_THAT(text, Not(HasSubstr("<http://e/C1000>")));
  EXPECT_THAT(text, Not(HasSubstr("unused")));
}

}  // namespace
}  // namespace helve::serve
