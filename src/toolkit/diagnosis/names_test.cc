#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sources/sparql/algebra/parser.h"
#include "tests/support/graph/graph_of.h"
#include "toolkit/diagnosis/diagnosis.h"
#include "toolkit/diagnosis/near_iris.h"

namespace helve::toolkit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kNamesData = R"(
@prefix s: <https://schema.org/> .
@prefix x: <http://x.example/ns#> .
x:ada a s:Person ; s:birthDate "1815" ; s:familyName "Lovelace" ; x:wrote x:notes .
x:notes a s:Book . x:charlesBabbage a s:Person ; s:birthPlace x:london .
)";

const GraphSource& graph() {
  static const auto made = testing::graph_of(kNamesData);
  return *made;
}

std::vector<std::string> nearest(std::string_view iri, NameKind kind) {
  std::vector<std::string> out;
  for (const NameHit& hit : nearest_names(iri, kind, graph(), 3, {})) out.push_back(hit.iri);
  return out;
}

TEST(NearIris, DistanceCountsEditsUpToALimit) {
  EXPECT_EQ(edit_distance("planet", "Planet", 3), 0U);
  EXPECT_EQ(edit_distance("plannet", "planet", 3), 1U);
  EXPECT_EQ(edit_distance("palnet", "planet", 3), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting", 3), 3U);
  EXPECT_GT(edit_distance("kitten", "sitting", 2), 2U);
  EXPECT_GT(edit_distance("a", "abcdefgh", 3), 3U);
  EXPECT_EQ(edit_distance("", "ab", 3), 2U);
}

TEST(NearIris, NamesAreSplitAndRead) {
  EXPECT_EQ(split_name("http://x/y#z").local, "z");
  EXPECT_EQ(split_name("http://x/y/").local, "y");
  EXPECT_EQ(split_name("urn:a:b").space, "urn:a:");
  EXPECT_EQ(split_name("word").local, "word");
  EXPECT_EQ(words_of("isPrimaryTopic_of-X%20y"), "is primary topic of x y");
}

TEST(NearestNames, TheSameNamespaceFirst) {
  EXPECT_THAT(nearest("https://schema.org/birthdate", NameKind::Property),
              ElementsAre("https://schema.org/birthDate"));
  EXPECT_THAT(nearest("https://schema.org/Persom", NameKind::Class),
              ElementsAre("https://schema.org/Person"));
  EXPECT_THAT(nearest("http://x.example/ns#charlesBabage", NameKind::Any),
              ElementsAre("http://x.example/ns#charlesBabbage"));
}

TEST(NearestNames, NamespacesThatPeopleMixUp) {
  EXPECT_THAT(nearest("http://schema.org/Person", NameKind::Class),
              ElementsAre("https://schema.org/Person"));
  EXPECT_THAT(nearest("http://x.example/ns/wrote", NameKind::Property),
              ElementsAre("http://x.example/ns#wrote"));
  EXPECT_THAT(nearest("http://other.example/familyName", NameKind::Property),
              ElementsAre("https://schema.org/familyName"));
  EXPECT_THAT(nearest("Book", NameKind::Class), ElementsAre("https://schema.org/Book"));
  EXPECT_THAT(nearest("https://schema.org/Zebra", NameKind::Class), IsEmpty());
}

TEST(UnknownNames, ByWhereTheyStand) {
  const auto query = sparql::parse_query(
      "PREFIX s: <https://schema.org/> PREFIX x: <http://x.example/ns#> SELECT * {"
      " ?a a s:Persn ; s:familyName ?n ; s:birthDat/x:wrote x:adda ."
      " FILTER(DATATYPE(?n) = xsd:string && ?a != x:ada) }");
  ASSERT_TRUE(query);
  const auto names = unknown_names(query->query, graph(), {});
  ASSERT_THAT(names, SizeIs(3));
  EXPECT_EQ(names[0].iri, "https://schema.org/Persn");
  EXPECT_EQ(names[0].kind, NameKind::Class);
  ASSERT_THAT(names[0].nearest, SizeIs(1));
  EXPECT_EQ(names[0].nearest[0].iri, "https://schema.org/Person");
  EXPECT_EQ(names[0].nearest[0].count, 2U);
  EXPECT_EQ(names[1].kind, NameKind::Property);
  EXPECT_GT(names[1].span.end, names[1].span.begin);
  EXPECT_EQ(names[2].iri, "http://x.example/ns#adda");
}

TEST(UnknownNames, ARowShowsNamesThatEveryRowNeeds) {
  const auto needs_all = [](const std::string& text) {
    return needs_all_names(sparql::parse_query("PREFIX : <http://e/> " + text)->query);
  };
  EXPECT_TRUE(needs_all("SELECT * { ?a a :C ; :p ?b . GRAPH ?g { ?b :q :x } FILTER(?b > 1) }"));
  EXPECT_TRUE(needs_all("ASK { ?a :p 'x' BIND(1 AS ?y) }"));
  for (const char* text :
       {"SELECT * { ?a a :C OPTIONAL { ?a :p ?b } }", "SELECT * { { ?a a :C } UNION { ?a a :D } }",
        "SELECT * { ?a a :C MINUS { ?a :p ?b } }", "SELECT * { ?a a :C FILTER(?a != :x) }",
        "SELECT * { ?a a :C FILTER NOT EXISTS { ?a :p ?b } }", "SELECT * { ?a :p|:q ?b }",
        "SELECT * { VALUES ?a { :x } ?a :p ?b }", "SELECT * { ?a :p ?b } VALUES ?a { :x }",
        "SELECT * FROM :g { ?a :p ?b }", "DESCRIBE :x"}) {
    EXPECT_FALSE(needs_all(text)) << text;
  }
}

}  // namespace
}  // namespace helve::toolkit
