#include "toolkit/memory/postgres/change_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace helve::memory {
namespace {

using ::testing::ElementsAre;

PendingChange shared_change(std::size_t items = 1) {
  PendingChange change;
  change.is_shared = true;
  change.ids.resize(items);
  return change;
}

// A commit that stays until it is let go, and tells how many came with it.
class ChangeQueueTest : public ::testing::Test {
 protected:
  ChangeQueueTest()
      : queue_([this](const std::vector<PendingChange*>& together, const OpContext& context) {
          ++begun_;
          while (is_held_) std::this_thread::yield();
          sizes_.push_back(together.size());
          return ChangeQueue::Outcome{!context.check()};
        }) {}

  void start(PendingChange change, const OpContext& context = {}) {
    threads_.emplace_back([this, change = std::move(change), context]() mutable {
      if (queue_.run(change, context)) {
        ++done_;
      } else {
        ++failed_;
      }
      ++ended_;
    });
  }
  void wait_until_begun(int count) const {
    while (begun_ < count) std::this_thread::yield();
  }
  void finish() {
    is_held_ = false;
    for (std::thread& one : threads_) one.join();
  }

  std::atomic<bool> is_held_{true};
  std::atomic<int> begun_{0};
  std::atomic<int> done_{0};
  std::atomic<int> failed_{0};
  std::atomic<int> ended_{0};
  std::vector<std::size_t> sizes_;  // one commit at a time
  std::vector<std::thread> threads_;
  ChangeQueue queue_;
};

TEST_F(ChangeQueueTest, EveryChangeIsInOneCommit) {
  for (int i = 0; i < 8; ++i) {
    PendingChange change = shared_change();
    change.is_shared = i % 3 != 0;
    start(std::move(change));
  }
  finish();
  std::size_t all = 0;
  for (const std::size_t size : sizes_) all += size;
  EXPECT_EQ(all, 8U);
  EXPECT_EQ(done_, 8);
}

TEST_F(ChangeQueueTest, TooManyItemsGoIntoTheNextCommit) {
  start(shared_change());
  wait_until_begun(1);
  for (int i = 0; i < 3; ++i) start(shared_change(600));
  finish();
  EXPECT_THAT(sizes_, ElementsAre(1, 1, 1, 1));
}

TEST_F(ChangeQueueTest, WhoHasNoTimeLeftGoesWithoutACommit) {
  start(shared_change());
  wait_until_begun(1);
  OpContext cancelled;
  start(shared_change(), cancelled);
  cancelled.cancel.cancel();
  while (ended_ == 0) std::this_thread::yield();
  EXPECT_EQ(failed_, 1);
  finish();
  EXPECT_THAT(sizes_, ElementsAre(1));
  EXPECT_EQ(done_, 1);
}

}  // namespace
}  // namespace helve::memory
