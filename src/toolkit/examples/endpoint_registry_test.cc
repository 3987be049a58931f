#include "toolkit/examples/endpoint_registry.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/env.h"
#include "toolkit/examples/example_folder_testing.h"

namespace helve::toolkit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class EndpointRegistryTest : public ::testing::Test {
 protected:
  EndpointRegistry make() {
    const auto folder = read_examples(files_.path(), {}, real_env(), {});
    EXPECT_TRUE(folder.has_value());
    auto registry = registry_of(*folder, {});
    EXPECT_TRUE(registry.has_value());
    return *std::move(registry);
  }
  ExampleFiles files_;
};

std::vector<std::string> names_of(const EndpointRegistry& registry) {
  std::vector<std::string> names;
  for (const EndpointEntry& one : registry.endpoints) names.push_back(one.name);
  return names;
}

TEST_F(EndpointRegistryTest, CountsExamplesByEndpoint) {
  const EndpointRegistry registry = make();
  EXPECT_EQ(registry.queries, 5U);
  EXPECT_THAT(registry.forms, ElementsAre(2, 1, 1, 1));
  EXPECT_EQ(registry.federated_queries, 1U);
  EXPECT_EQ(registry.variable_graphs, 1U);
  EXPECT_EQ(registry.prefixes.size(), 3U);
  // A folder names the endpoint of most of its examples; others have their host.
  EXPECT_THAT(names_of(registry), ElementsAre("Birds", "Trees", "maps.example"));
  EXPECT_EQ(registry.primary_count(), 2U);
  const EndpointEntry& birds = registry.endpoints[0];
  EXPECT_EQ(birds.example_count, 3U);
  EXPECT_EQ(birds.federated_count, 0U);
  EXPECT_THAT(birds.addresses, ElementsAre(Pair("http://birds.example/sparql", 1),
                                           Pair("https://birds.example/sparql", 1),
                                           Pair("https://birds.example/sparql/", 1)));
  EXPECT_THAT(birds.forms, ElementsAre(2, 1, 0, 0));
  EXPECT_THAT(birds.keywords, ElementsAre(Pair("song", 2), Pair("flight", 1)));
  EXPECT_THAT(birds.federates_with, ElementsAre(Pair("http://maps.example/query", 1),
                                                Pair("https://trees.example/sparql/", 1)));
  EXPECT_EQ(birds.questions.size(), 3U);
  const EndpointEntry& trees = registry.endpoints[1];
  EXPECT_EQ(trees.example_count, 2U);
  EXPECT_EQ(trees.federated_count, 1U);
  EXPECT_EQ(trees.url, "https://trees.example/sparql/");
  EXPECT_THAT(trees.asked_from, ElementsAre(Pair(birds.url, 1)));
  EXPECT_FALSE(registry.endpoints[2].is_primary());
}

TEST_F(EndpointRegistryTest, GraphsBelongToWhoIsAsked) {
  const EndpointRegistry registry = make();
  ASSERT_EQ(registry.graphs.size(), 2U);
  EXPECT_EQ(registry.graphs[0].iri, "http://birds.example/all");
  EXPECT_EQ(registry.graphs[0].example_count, 2U);
  EXPECT_THAT(registry.graphs[0].endpoints, ElementsAre(registry.endpoints[0].url));
  EXPECT_EQ(registry.graphs[1].iri, "http://trees.example/oaks");
  EXPECT_THAT(registry.graphs[1].endpoints, ElementsAre("https://trees.example/sparql/"));
}

TEST_F(EndpointRegistryTest, IsFoundByNameAndAnyAddress) {
  const EndpointRegistry registry = make();
  for (const char* name : {"Birds", "birds", "http://birds.example/sparql",
                           "https://BIRDS.example/sparql/", "HTTPS://birds.example/sparql"}) {
    ASSERT_NE(registry.find(name), nullptr) << name;
    EXPECT_EQ(registry.find(name)->name, "Birds") << name;
  }
  for (const char* name : {"", "bird", "https://birds.example/", "https://birds.example/SPARQL"}) {
    EXPECT_EQ(registry.find(name), nullptr) << name;
  }
}

TEST_F(EndpointRegistryTest, NamesAreUnique) {
  files_.write("Birds/6.ttl",
               "ex:b6 a sh:SPARQLExecutable ; sh:select \"SELECT * { SERVICE "
               "<https://maps.example/a> {} SERVICE <https://maps.example/b?x=1> {} SERVICE "
               "<https://maps.example/b?x=2> {} SERVICE <urn:x:y> {} SERVICE "
               "<https://trees/> {} SERVICE <https://trees> {} }\" .");
  const EndpointRegistry registry = make();
  auto names = names_of(registry);
  EXPECT_EQ(names.size(), 8U);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
  EXPECT_NE(registry.find("urn:x:y"), nullptr);
}

TEST_F(EndpointRegistryTest, IsTheSameFromItsText) {
  files_.write_bytes("bad.ttl", "x");
  const EndpointRegistry registry = make();
  const std::string text = to_text(registry);
  const auto again = registry_from_text(text);
  ASSERT_TRUE(again.has_value()) << again.error().to_string();
  EXPECT_EQ(to_text(*again), text);
  EXPECT_EQ(again->endpoints.size(), 3U);
  EXPECT_EQ(again->problems.size(), 1U);
}

TEST_F(EndpointRegistryTest, DamagedTextsAreRefused) {
  const std::string text = to_text(make());
  for (std::size_t cut = 0; cut < text.size(); cut += 7) {
    const auto part = registry_from_text(text.substr(0, cut));
    // What ends at a line is a registry of less.
    const bool is_whole = cut > 0 && (text[cut] == '\n' || text[cut - 1] == '\n');
    EXPECT_EQ(part.has_value(), is_whole) << cut;
  }
  for (const char* bad : {"{}", "[]", "null", "{\"kind\":\"endpoint\"}", "{\"kind\":\"examples\"}",
                          "{\"kind\":\"examples\",\"queries\":\"many\"}", "\n"}) {
    const auto refused = registry_from_text(bad);
    ASSERT_FALSE(refused.has_value()) << bad;
    EXPECT_EQ(refused.error().code, ErrorCode::Unavailable);
  }
}

TEST_F(EndpointRegistryTest, WhatIsKeptIsBounded) {
  std::string many = "ex:m a sh:SPARQLExecutable ; sh:select \"SELECT * {}\"";
  for (int i = 0; i < 300; ++i) many += fmt::format(" ; schema:target <http://e{}.example/>", i);
  files_.write("many.ttl", many + " .");
  EXPECT_EQ(make().endpoints.size(), 103U);
  EXPECT_THAT(make().incomplete, HasSubstr("more than 100 endpoints"));
  files_.write("many.ttl",
               "ex:m a sh:SPARQLExecutable ; sh:select \"SELECT * {}\" ; schema:target <" +
                   std::string("http://e.example/") + std::string(2'000, 'x') + "> .");
  EXPECT_EQ(make().endpoints.size(), 3U);
  EXPECT_THAT(make().incomplete, HasSubstr("more than 1000 bytes"));
}

TEST(EndpointKey, IsOneForSpellingsOfOneEndpoint) {
  EXPECT_EQ(endpoint_key("http://A.example/sparql/"), endpoint_key("https://a.example/sparql"));
  EXPECT_EQ(endpoint_key("https://a.example/"), endpoint_key("https://a.example"));
  EXPECT_NE(endpoint_key("https://a.example/x"), endpoint_key("https://a.example/X"));
  EXPECT_NE(endpoint_key("https://a.example:81/"), endpoint_key("https://a.example/"));
  EXPECT_EQ(endpoint_key(""), "");
}

}  // namespace
}  // namespace helve::toolkit
