#include "sources/rdf/prefix_map.h"

#include <gtest/gtest.h>

namespace helve::rdf {
namespace {

std::string shortened(const PrefixMap& prefixes, std::string_view iri) {
  const auto name = prefixes.shorten(iri);
  if (!name) return "none";
  return name->prefix->name + ":" + std::string(name->local);
}

TEST(PrefixMap, TakesTheLongestPrefix) {
  PrefixMap prefixes(10);
  prefixes.add("ex", "http://e/");
  prefixes.add("deep", "http://e/deep#");
  prefixes.add("go", "http://e/obo/GO_");
  EXPECT_EQ(shortened(prefixes, "http://e/a"), "ex:a");
  EXPECT_EQ(shortened(prefixes, "http://e/"), "ex:");
  EXPECT_EQ(shortened(prefixes, "http://e/deep#a"), "deep:a");
  EXPECT_EQ(shortened(prefixes, "http://e/obo/GO_0001"), "go:0001");
  EXPECT_EQ(shortened(prefixes, "http://e/obo/PR_0001"), "none");
  EXPECT_EQ(shortened(prefixes, "http://f/a"), "none");
  EXPECT_EQ(shortened(prefixes, ""), "none");
}

TEST(PrefixMap, FallsBackToAShorterPrefixWithAGoodLocalName) {
  PrefixMap prefixes(10);
  prefixes.add("ex", "http://e/");
  prefixes.add("bad", "http://e/a");
  EXPECT_EQ(shortened(prefixes, "http://e/a-b"), "ex:a-b");
  EXPECT_EQ(shortened(prefixes, "http://e/ab"), "bad:b");
}

TEST(PrefixMap, NeverEscapes) {
  PrefixMap prefixes(10);
  prefixes.add("ex", "http://e/");
  for (const auto* iri : {"http://e/a/b", "http://e/a(b)", "http://e/a.", "http://e/-a",
                          "http://e/%4", "http://e/a'b", "http://e/\u00D7"}) {
    EXPECT_EQ(shortened(prefixes, iri), "none") << iri;
  }
  for (const auto* local : {"a.b", "a-", "9", "a:b", ":", "%41", "é", "_", "\U00010000"}) {
    EXPECT_EQ(shortened(prefixes, std::string("http://e/") + local), std::string("ex:") + local);
  }
}

TEST(PrefixMap, FirstIriOfANameWins) {
  PrefixMap prefixes(10);
  EXPECT_NE(prefixes.add("ex", "http://a/"), nullptr);
  EXPECT_EQ(prefixes.add("ex", "http://b/"), nullptr);
  EXPECT_EQ(shortened(prefixes, "http://a/x"), "ex:x");
  EXPECT_EQ(shortened(prefixes, "http://b/x"), "none");
}

TEST(PrefixMap, ShortestNameOfAnIriWins) {
  for (const bool swap : {false, true}) {
    PrefixMap prefixes(10);
    for (const auto* name : swap ? std::array{"bb", "aa", "ccc"} : std::array{"ccc", "aa", "bb"}) {
      prefixes.add(name, "http://a/");
    }
    EXPECT_EQ(shortened(prefixes, "http://a/x"), "aa:x");
  }
}

TEST(PrefixMap, DefaultsGiveWayToWhatIsDeclared) {
  PrefixMap prefixes(10);
  prefixes.add("mine", "http://a/");
  EXPECT_EQ(prefixes.add_default("a", "http://a/"), nullptr);
  EXPECT_EQ(prefixes.add_default("mine", "http://b/"), nullptr);
  EXPECT_NE(prefixes.add_default("b", "http://b/"), nullptr);
}

TEST(PrefixMap, RefusesWhatTurtleCouldNotDeclare) {
  PrefixMap prefixes(3);
  for (const auto* name : {"1a", "a.", "a b", "_a", "-", "a:"}) {
    EXPECT_EQ(prefixes.add(name, "http://a/"), nullptr) << name;
  }
  for (const auto* iri : {"", "relative", "#", "http://a b/", "http://a/<"}) {
    EXPECT_EQ(prefixes.add("a", iri), nullptr) << iri;
  }
  for (const auto* name : {"", "a.b-1", "é"}) EXPECT_NE(prefixes.add(name, "http://a/"), nullptr);
  EXPECT_EQ(prefixes.add("one_more", "http://a/"), nullptr);
}

}  // namespace
}  // namespace helve::rdf
