#include "base/near_names.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

using Names = std::vector<std::string_view>;

TEST(NearNames, FindsSlips) {
  EXPECT_EQ(near_names("SELCT", {"ASK", "SELECT"}), Names{"SELECT"});
  EXPECT_EQ(near_names("SELETC", {"ASK", "SELECT"}), Names{"SELECT"});
  EXPECT_EQ(near_names("RDF", {"rdf", "rdfs"}), (Names{"rdf", "rdfs"}));
}

TEST(NearNames, FindsNothingFar) {
  EXPECT_TRUE(near_names("x", {"rdf"}).empty());
  EXPECT_TRUE(near_names("", {"a"}).empty());
  EXPECT_TRUE(near_names("Which", {"SELECT", "PREFIX", "BASE"}).empty());
  EXPECT_TRUE(near_names(std::string(10'000, 'a'), {"a"}).empty());
}

TEST(NearNames, GivesFewAndEachOnce) {
  EXPECT_EQ(near_names("abc", {"abd", "abd", "abe", "abf", "abg"}, 2), (Names{"abd", "abe"}));
}

}  // namespace
}  // namespace helve
