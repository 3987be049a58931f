#include "surfaces/cli/prefix_shortener.h"

#include <gtest/gtest.h>

namespace helve::cli {
namespace {

const PrefixShortener& shortener() {
  static const PrefixShortener known({{"ex", "http://example.org/"},
                                      {"deep", "http://example.org/deep/"},
                                      {"", "http://example.org/none#"},
                                      {"obo", "http://purl.example/obo/"},
                                      {"GO", "http://purl.example/obo/GO_"},
                                      {"empty", ""}});
  return known;
}

TEST(PrefixShortener, TakesTheLongestPrefix) {
  EXPECT_EQ(shortener().shorten("http://example.org/a"), "ex:a");
  EXPECT_EQ(shortener().shorten("http://example.org/deep/a"), "deep:a");
  EXPECT_EQ(shortener().shorten("http://example.org/none#a"), ":a");
}

TEST(PrefixShortener, PrefixesMayEndInsideAName) {
  EXPECT_EQ(shortener().shorten("http://purl.example/obo/GO_0008150"), "GO:0008150");
  EXPECT_EQ(shortener().shorten("http://purl.example/obo/CL_1"), "obo:CL_1");
}

TEST(PrefixShortener, TheNamespaceItself) {
  EXPECT_EQ(shortener().shorten("http://example.org/"), "ex:");
  EXPECT_EQ(shortener().name_of("http://example.org/"), "ex:");
  EXPECT_EQ(shortener().name_of("http://example.org/none#"), ":");
  EXPECT_EQ(shortener().name_of("http://example.org"), "");
}

TEST(PrefixShortener, LeavesWhatNoPrefixCovers) {
  for (const std::string_view iri :
       {"http://example.org/other/a", "http://example.com/a", "urn:x", "", "a", "_:b1"}) {
    EXPECT_EQ(shortener().shorten(iri), iri);
  }
}

TEST(PrefixShortener, AnEmptyNamespaceShortensNothing) {
  EXPECT_EQ(shortener().shorten("name"), "name");
  EXPECT_EQ(PrefixShortener({}).shorten("http://example.org/a"), "http://example.org/a");
}

TEST(PrefixShortener, VeryLongNamesStay) {
  const std::string iri = "http://example.org/" + std::string(5'000, 'x');
  EXPECT_EQ(shortener().shorten(iri), iri);
}

}  // namespace
}  // namespace helve::cli
