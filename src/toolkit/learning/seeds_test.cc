#include "toolkit/learning/seeds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/env.h"
#include "tests/support/temp_directory.h"
#include "toolkit/memory/bank.h"

namespace helve::learning {
namespace {

class SeedsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = memory::MemoryBank::open(folder_ / "bank.db", true, real_env(), context_);
    ASSERT_TRUE(opened) << opened.error().to_string();
    bank_ = *opened;
  }
  TempDirectory folder_;
  OpContext context_;
  std::shared_ptr<memory::MemoryBank> bank_;
};

TEST_F(SeedsTest, AreGeneralAndTwiceIsAsOnce) {
  ASSERT_GE(seed_items().size(), 12U);
  std::set<std::string> ids;
  for (const memory::Item& item : seed_items()) {
    EXPECT_TRUE(memory::check_item(item));
    EXPECT_EQ(item.src, memory::ItemSource::Seed);
    EXPECT_EQ(item.scope, memory::ItemScope::General);
    EXPECT_TRUE(item.is_active() && item.domain.empty() && !item.tags.empty());
    ids.insert(item.id);
  }
  EXPECT_EQ(ids.size(), seed_items().size());
  const auto first = add_seeds(bank_->repository(), context_);
  ASSERT_TRUE(first && first->change);
  // One that somebody took back stays away.
  ASSERT_TRUE(bank_->repository().retract(seed_items()[0].id, context_));
  const auto again = add_seeds(bank_->repository(), context_);
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->change);
  EXPECT_EQ(again->items[0].state, memory::AddState::Retracted);
  EXPECT_EQ(again->items[1].state, memory::AddState::Exists);
  EXPECT_EQ(bank_->repository().stats(context_)->items, seed_items().size());
}

TEST_F(SeedsTest, EachIsFoundFirstByASensibleQuestion) {
  ASSERT_TRUE(add_seeds(bank_->repository(), context_));
  const std::vector<std::string> questions = {
      "I do not know this graph: which ontology and classes does it have?",
      "may the predicate be a variable in ?s ?p ?o",
      "find all labels that contain a string with FILTER regex",
      "full text search on an endpoint with a text index",
      "no rows though the properties exist: is the direction inverse?",
      "the literal has another datatype, xsd:int or xsd:integer",
      "labels in English: language tag",
      "how to ask more about a blank node of a result",
      "export a large result: how many rows will there be",
      "explore with a limit of a few rows",
      "use rows of a handle in the next query",
      "duplicate rows: should I use distinct",
      "some things lack the property and are missing: optional",
      "which tables and columns are in this database",
      "join two tables on a foreign key",
      "missing values: NULL in comparisons",
      "sum and count beside other columns: group by and having",
      "totals too large after joining details: aggregate in a subquery before",
  };
  ASSERT_EQ(questions.size(), seed_items().size());
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto found = bank_->search(questions[i], {}, context_);
    ASSERT_TRUE(found && !found->hits.empty());
    EXPECT_EQ(found->hits[0].item.title, seed_items()[i].title) << questions[i];
  }
}

}  // namespace
}  // namespace helve::learning
