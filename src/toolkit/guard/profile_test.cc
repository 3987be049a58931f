#include "toolkit/guard/profile.h"

#include <gtest/gtest.h>

#include "tests/support/fake_env.h"
#include "tests/support/graph/graph_of.h"

namespace helve::toolkit {
namespace {

TEST(Profile, IsExactForALocalGraph) {
  const auto graph = testing::graph_of(R"(
      @prefix : <http://x/> . :a a :C ; :p 1, 2 . :b a :C . :g { :c :p 3 })");
  const GraphProfile profile = profile_of(*graph, **graph->schema({}));
  EXPECT_EQ(profile.triples, 5U);
  EXPECT_EQ(profile.subjects, 3U);
  EXPECT_EQ(profile.class_instances.at("http://x/C"), 2U);
  EXPECT_EQ(profile.properties.at("http://x/p").triples, 3U);
  EXPECT_EQ(profile.graph_triples.at("http://x/g"), 1U);
  EXPECT_TRUE(profile.is_exact);
  EXPECT_TRUE(profile.is_local);
}

TEST(Profile, OfASizeKnowsTheSizeAlone) {
  const GraphProfile profile = profile_of_size("big", 1'000'000);
  EXPECT_EQ(profile.triples, 1'000'000U);
  EXPECT_FALSE(profile.is_exact);
  EXPECT_FALSE(profile.is_local);
}

GraphProfile read(const std::string& name, std::string text) {
  FakeEnv env;
  env.files().put(name, std::move(text));
  const auto profile = profile_from_void(name, {}, env);
  EXPECT_TRUE(profile) << profile.error().to_string();
  return *profile;
}

TEST(VoidProfile, ReadsThePartitionsOfTheLargestDataset) {
  const GraphProfile profile = read("void.ttl", R"(
      @prefix void: <http://rdfs.org/ns/void#> . @prefix x: <http://x/> .
      x:small a void:Dataset ; void:triples 10 ;
        void:propertyPartition [ void:property x:p ; void:triples 10 ] .
      x:big a void:Dataset ; void:triples 1000 ; void:distinctSubjects 100 ;
        void:propertyPartition [ void:property x:p ; void:triples 700 ;
                                 void:distinctSubjects 70 ; void:distinctObjects 7 ] ;
        void:classPartition [ void:class x:C ; void:entities 60 ;
          void:propertyPartition [ void:property x:q ; void:triples 50 ] ] .)");
  EXPECT_EQ(profile.triples, 1'000U);
  EXPECT_EQ(profile.subjects, 100U);
  EXPECT_EQ(profile.properties.at("http://x/p").triples, 700U);
  EXPECT_EQ(profile.properties.at("http://x/p").objects, 7U);
  EXPECT_EQ(profile.properties.size(), 1U);  // not those of the class
  EXPECT_EQ(profile.class_instances.at("http://x/C"), 60U);
  EXPECT_FALSE(profile.is_exact);
}

TEST(VoidProfile, AddsUpTheGraphsOfAService) {
  const GraphProfile profile = read("void.ttl", R"(
      @prefix void: <http://rdfs.org/ns/void#> . @prefix x: <http://x/> .
      @prefix sd: <http://www.w3.org/ns/sparql-service-description#> .
      x:all a sd:Dataset ; void:triples "1000"^^<http://www.w3.org/2001/XMLSchema#long> .
      x:g1 sd:name <http://g/1> ; sd:graph x:graph1 .
      x:graph1 void:triples 400 ;
        void:classPartition [ void:class x:C ; void:entities 30 ] ;
        void:propertyPartition [ void:property x:p ; void:triples 300 ] .
      x:graph2 void:triples 600 ;
        void:classPartition [ void:class x:C ; void:entities 20 ] ;
        void:propertyPartition [ void:property x:p ; void:triples 200 ] .)");
  EXPECT_EQ(profile.triples, 1'000U);
  EXPECT_EQ(profile.properties.at("http://x/p").triples, 500U);
  EXPECT_EQ(profile.class_instances.at("http://x/C"), 50U);
  EXPECT_EQ(profile.graph_triples.at("http://g/1"), 400U);
}

TEST(VoidProfile, ReadsRdfXmlAndSubsets) {
  const GraphProfile profile = read("void.rdf", R"(<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:v="http://rdfs.org/ns/void#">
  <v:Dataset rdf:about="http://x/all">
    <v:subset><v:Dataset><v:triples>30</v:triples></v:Dataset></v:subset>
    <v:subset><v:Dataset><v:triples>12</v:triples></v:Dataset></v:subset>
  </v:Dataset>
</rdf:RDF>)");
  EXPECT_EQ(profile.triples, 42U);
}

TEST(VoidProfile, RefusesWhatTellsOfNoSizes) {
  FakeEnv env;
  env.files().put("other.ttl", "<http://x/a> <http://x/p> 1 .");
  const auto other = profile_from_void("other.ttl", {}, env);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(profile_from_void("absent.ttl", {}, env).error().code, ErrorCode::NotFound);
  env.files().put("broken.ttl", "<http://x/a> <http://x/p> ");
  EXPECT_EQ(profile_from_void("broken.ttl", {}, env).error().code, ErrorCode::InvalidInput);
}

}  // namespace
}  // namespace helve::toolkit
