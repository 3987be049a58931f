#include "toolkit/learning/store.h"

#include <gtest/gtest.h>

#include "base/env.h"
#include "tests/support/temp_directory.h"
#include "toolkit/learning/extract.h"
#include "toolkit/memory/bank.h"

namespace helve::learning {
namespace {

constexpr WallTime kStoreNow = WallTime(std::chrono::hours(500'000));

memory::Item lesson(const Judgment& judgment) {
  Executed executed;
  executed.query = "SELECT ?x { ?x a <http://example.org/Planet> ; <http://example.org/r> 7 }";
  executed.rows = 5;
  executed.columns = 1;
  executed.schema_fingerprint = "f00d";
  const auto item = lesson_of_success(executed, "Which planet?", judgment);
  EXPECT_TRUE(item) << item.error().to_string();
  return item ? *item : memory::Item{};
}

class StoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = memory::MemoryBank::open(folder_ / "bank.db", true, real_env(), context_);
    ASSERT_TRUE(opened) << opened.error().to_string();
    shared_ = *opened;
  }
  memory::MemoryRepository& bank() { return shared_->repository(); }
  StoredLesson stored(const memory::Item& item) {
    const auto done = store_lesson(bank(), item, kStoreNow, context_);
    EXPECT_TRUE(done) << done.error().to_string();
    return done ? *done : StoredLesson{};
  }
  std::size_t hits(bool with_quarantined = false) {
    memory::SearchOptions options;
    options.filter.with_quarantined = with_quarantined;
    return shared_->search("planet", options, context_)->hits.size();
  }

  TempDirectory folder_;
  OpContext context_;
  std::shared_ptr<memory::MemoryBank> shared_;
};

TEST_F(StoreTest, AnUnverifiedLessonIsOutOfSightUntilItIsVerified) {
  const memory::Item claimed = lesson({Verdict::Correct, false, "the model"});
  const StoredLesson first = stored(claimed);
  EXPECT_EQ(first.state, StoreState::Added);
  EXPECT_TRUE(first.is_quarantined);
  EXPECT_EQ(hits(), 0U);
  EXPECT_EQ(hits(true), 1U);
  // The same claim again and again is still a claim.
  EXPECT_EQ(stored(claimed).state, StoreState::Exists);
  EXPECT_FALSE(stored(claimed).change);
  EXPECT_EQ(hits(), 0U);
  const StoredLesson released = stored(lesson({Verdict::Correct, true, "a person"}));
  EXPECT_EQ(released.id, first.id);
  EXPECT_EQ(released.state, StoreState::Released);
  EXPECT_FALSE(released.is_quarantined);
  EXPECT_EQ(hits(), 1U);
  EXPECT_EQ(bank().get({first.id}, context_)->front().verified_at, kStoreNow);
  // A later claim changes nothing.
  EXPECT_EQ(stored(claimed).state, StoreState::Exists);
  EXPECT_EQ(hits(), 1U);
}

TEST_F(StoreTest, ARetractedLessonDoesNotComeBack) {
  const memory::Item item = lesson({Verdict::Correct, true, "a person"});
  EXPECT_EQ(stored(item).state, StoreState::Added);
  ASSERT_TRUE(bank().retract(item.id, context_));
  EXPECT_EQ(stored(item).state, StoreState::Retracted);
  EXPECT_EQ(hits(true), 0U);
  ASSERT_TRUE(bank().undo(std::nullopt, context_));
  EXPECT_EQ(hits(), 1U);
}

}  // namespace
}  // namespace helve::learning
