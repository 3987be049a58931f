#include "toolkit/memory/terms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::memory {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Terms, AreWordsWithoutCaseAccentsAndPlural) {
  EXPECT_THAT(terms_of("Human Proteins, the classes of Zürich!"),
              ElementsAre("human", "protein", "the", "classe", "of", "zurich"));
  EXPECT_THAT(terms_of("class status basis as"), ElementsAre("class", "status", "basis", "as"));
  EXPECT_THAT(terms_of("rdfs:subClassOf ?x_2"),
              ElementsAre("rdf", "subclassof", "sub", "class", "of", "x", "2"));
  EXPECT_THAT(terms_of(" \"\n*()-"), IsEmpty());
  EXPECT_THAT(terms_of("蛋白 AB"), ElementsAre("蛋", "白", "ab"));
  EXPECT_THAT(terms_of(std::string(100, 'x') + " y"), ElementsAre("y"));
}

TEST(Terms, OfAQuestionAreDistinctAndFew) {
  EXPECT_THAT(query_terms("a b a c", 2), ElementsAre("a", "b"));
  EXPECT_THAT(query_terms("good \xFF bad"), ElementsAre("good"));
}

TEST(Bag, WeighsFieldsAndSurvivesItsBytes) {
  Item item;
  item.title = "Count rows";
  item.desc = "count";
  item.content = "Count, then export. Export!";
  item.tags = {"export"};
  std::vector<std::string> terms;
  const Bag bag = Bag::of(item, terms);
  EXPECT_THAT(terms, ElementsAre("count", "export", "row", "then"));
  EXPECT_EQ(bag.weight_of("count"), 4U + 3U + 2U);
  EXPECT_EQ(bag.weight_of("export"), 4U + 2U + 2U);
  EXPECT_EQ(bag.weight_of("nothing"), 0U);
  EXPECT_EQ(length_of(item), 2U * 4 + 3 + 4 + 4U * 2);
  const Bag again = Bag::from_bytes(bag.bytes());
  for (const std::string& term : terms) EXPECT_EQ(again.weight_of(term), bag.weight_of(term));
  EXPECT_EQ(Bag::from_bytes("odd").weight_of("count"), 0U);
}

}  // namespace
}  // namespace helve::memory
