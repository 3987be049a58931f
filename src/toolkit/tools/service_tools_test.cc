// Service descriptions and VoID: what is read of them, and from where.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>

#include "tests/support/temp_directory.h"
#include "toolkit/tools/service_description.h"
#include "toolkit/tools/tool_testing.h"

namespace helve::toolkit {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kDescription = R"(
@prefix sd: <http://www.w3.org/ns/sparql-service-description#> .
@prefix void: <http://rdfs.org/ns/void#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix f: <http://www.w3.org/ns/formats/> .
<http://birds.example/s> a sd:Service ; dct:title "Birds" ;
  sd:endpoint <http://birds.example/sparql> ;
  sd:supportedLanguage sd:SPARQL11Query ;
  sd:feature sd:UnionDefaultGraph, sd:BasicFederatedQuery ;
  sd:resultFormat f:SPARQL_Results_JSON, f:Turtle ;
  sd:extensionFunction <http://birds.example/f> ;
  sd:defaultDataset [ a sd:Dataset ; dct:title "all birds" ;
    sd:defaultGraph [ a sd:Graph ; void:triples 1200 ; void:distinctSubjects 300 ] ;
    sd:namedGraph [ a sd:NamedGraph ; sd:name <http://birds.example/songs> ;
                    sd:graph [ void:triples "700"^^<http://www.w3.org/2001/XMLSchema#long> ] ],
                  [ sd:name <http://birds.example/nests> ; dct:title "Nests" ; void:triples 500 ] ] .
<http://birds.example/all> a void:Dataset ; void:triples 1300 ; void:entities 250 ;
  void:sparqlEndpoint <http://birds.example/sparql> ; void:subset <http://birds.example/part> ;
  void:classPartition [ void:class <http://birds.example/Bird> ; void:entities 100 ] ;
  void:propertyPartition [ void:property <http://birds.example/sings> ; void:triples 90 ] .
<http://birds.example/part> a void:Dataset ; void:triples 9000 .
<http://birds.example/links> a void:Linkset ; void:triples 10000 .
<http://birds.example/odd> a void:Dataset ; void:triples "many", "-3", "1.5" .
)";

class ServiceToolsTest : public ToolTest {
 protected:
  std::string write(const std::string& name, std::string_view content) {
    std::string path = (folder_ / name).string();
    std::ofstream(path) << content;
    return path;
  }
  JsonValue read(const std::string& url, bool ok = true) {
    return call("service_desc", R"({"url": ")" + url + R"("})", ok);
  }
  static const JsonValue& item(const JsonValue& reply, std::string_view list, std::size_t i) {
    return reply.find(list)->if_array()->at(i);
  }
  void set_policy(const std::function<void(Policy&)>& change) {
    Policy policy = *caller_.policy;  // which lets files be loaded
    change(policy);
    caller_.policy = std::make_shared<const Policy>(policy);
  }
  std::string code(const std::string& url) { return text(*read(url, false).find("error"), "code"); }

  TempDirectory folder_;
};

TEST_F(ServiceToolsTest, ADescriptionIsAGraphBehindAHandle) {
  const std::string path = write("void.ttl", kDescription);
  const JsonValue read_first = read(path);
  EXPECT_EQ(text(read_first, "key"), "service_desc_0");
  EXPECT_EQ(text(read_first, "source"), "void.ttl");
  EXPECT_EQ(number(read_first, "services"), 1);
  EXPECT_EQ(number(read_first, "triples"), 1200);  // of the default graph
  EXPECT_EQ(number(read_first, "datasets"), 3);
  EXPECT_EQ(number(read_first, "linksets"), 1);
  EXPECT_EQ(number(read_first, "named_graphs"), 2);
  EXPECT_EQ(number(read_first, "features"), 6);
  EXPECT_EQ(text(read(path), "key"), "service_desc_0");
  EXPECT_GT(number(call("g_stats", R"({"handle": "service_desc_0"})"), "triples"), 20);
}

TEST_F(ServiceToolsTest, SizesAreThoseOfDatasetsAndNotOfTheirParts) {
  read(write("void.ttl", kDescription));
  const JsonValue stats = call("service_desc_stats", R"({"ref": "service_desc_0"})");
  EXPECT_EQ(text(item(stats, "endpoints", 0), "url"), "http://birds.example/sparql");
  EXPECT_EQ(text(item(stats, "endpoints", 0), "title"), "Birds");
  EXPECT_EQ(text(*stats.find("default_dataset"), "title"), "all birds");
  EXPECT_EQ(number(*stats.find("default_dataset"), "distinct_subjects"), 300);
  EXPECT_EQ(number(*stats.find("default_dataset"), "named_graphs"), 2);
  ASSERT_EQ(size(stats, "datasets"), 3U);
  EXPECT_EQ(number(item(stats, "datasets", 0), "triples"), 9000);
  const JsonValue& whole = item(stats, "datasets", 1);
  EXPECT_EQ(number(whole, "triples"), 1300);
  EXPECT_EQ(number(whole, "entities"), 250);
  EXPECT_EQ(number(whole, "class_partitions"), 1);
  EXPECT_EQ(number(whole, "property_partitions"), 1);
  EXPECT_EQ(item(stats, "datasets", 2).find("triples"), nullptr);  // no number that could be one
  const JsonValue one = call("service_desc_stats", R"({"ref": "service_desc_0", "limit": 1})");
  EXPECT_TRUE(flag(one, "truncated"));
  EXPECT_EQ(number(one, "total_available"), 3);
}

TEST_F(ServiceToolsTest, GraphsAndFeatures) {
  read(write("void.ttl", kDescription));
  const JsonValue graphs = call("service_desc_graphs", R"({"ref": "service_desc_0"})");
  ASSERT_EQ(size(graphs, "graphs"), 2U);
  EXPECT_THAT(text(item(graphs, "graphs", 0), "name"), HasSubstr("songs"));
  EXPECT_EQ(number(item(graphs, "graphs", 0), "triples"), 700);
  EXPECT_EQ(text(item(graphs, "graphs", 1), "title"), "Nests");
  EXPECT_EQ(number(item(graphs, "graphs", 1), "triples"), 500);
  const JsonValue features = call("service_desc_features", R"({"ref": "service_desc_0"})");
  EXPECT_EQ(number(*features.find("kinds"), "result_format"), 2);
  EXPECT_EQ(number(*features.find("kinds"), "extension_function"), 1);
  EXPECT_EQ(size(features, "features"), 6U);
  const JsonValue sample = call("service_desc_sample", R"({"ref": "service_desc_0", "n": 3})");
  EXPECT_EQ(size(sample, "triples"), 3U);
  EXPECT_TRUE(flag(sample, "truncated"));
}

TEST_F(ServiceToolsTest, RdfXmlAndFileAddressesAreRead) {
  const std::string path = write("a b.rdf", R"(<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
         xmlns:sd="http://www.w3.org/ns/sparql-service-description#">
  <sd:Service rdf:about="http://x.example/"><sd:feature rdf:resource="http://x.example/f"/></sd:Service>
</rdf:RDF>)");
  EXPECT_EQ(number(read(path), "services"), 1);
  EXPECT_EQ(text(read("file://" + (folder_ / "a%20b.rdf").string()), "source"), "a b.rdf");
  EXPECT_EQ(code("file://elsewhere.example/x.ttl"), "invalid_input");
  EXPECT_EQ(code("ftp://x.example/void.ttl"), "invalid_input");
  EXPECT_EQ(code((folder_ / "none.ttl").string()), "not_found");
  EXPECT_EQ(code(write("bad.ttl", "no turtle at all {")), "invalid_input");
}

TEST_F(ServiceToolsTest, WhatDescribesNothingSaysSo) {
  const JsonValue none = read(write("other.ttl", "<http://x/a> <http://x/b> <http://x/c> ."));
  EXPECT_EQ(text(none, "key"), "service_desc_0");
  EXPECT_TRUE(none.find("triples")->is_null());
  EXPECT_THAT(to_json(*none.find("warnings")), HasSubstr("describes no service"));
}

TEST_F(ServiceToolsTest, EndpointsAreAskedOnlyWhereThePolicyAllowsThem) {
  EXPECT_EQ(code("https://birds.example/sparql"), "denied");
  set_policy([](Policy& policy) {
    policy.allowed_endpoints = {"https://birds.example/sparql"};
    policy.denied_endpoints = {"https://birds.example/sparql"};
  });
  EXPECT_EQ(code("https://birds.example/sparql"), "denied");
}

TEST_F(ServiceToolsTest, FilesAreThoseOfThePolicy) {
  const std::string path = write("void.ttl", kDescription);
  set_policy([&](Policy& policy) {
    policy.allowed_paths = std::vector<std::string>{(folder_ / "in").string()};
  });
  EXPECT_EQ(code(path), "denied");
  EXPECT_EQ(code("file://" + path), "denied");
  EXPECT_EQ(code("/etc/passwd"), "denied");
}

}  // namespace
}  // namespace helve::toolkit
