// The pool: bounds, errors, cancellation, nesting.
#include "base/executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <numeric>
#include <vector>

#include "base/op_context.h"
#include "tests/support/fake_env.h"

namespace helve {
namespace {

TEST(Executor, RunsEveryIndexOnce) {
  Executor executor(3);
  EXPECT_EQ(executor.threads(), 3U);
  std::vector<std::atomic<int>> runs(1'000);
  const auto outcome = executor.parallel_for(runs.size(), {}, [&](std::size_t i) -> Result<void> {
    ++runs[i];
    return {};
  });
  ASSERT_TRUE(outcome);
  for (const auto& count : runs) EXPECT_EQ(count, 1);
}

TEST(Executor, ZeroThreadsMeansTheMachine) { EXPECT_GE(Executor(0).threads(), 1U); }

TEST(Executor, NothingToDoIsFine) {
  Executor executor(1);
  EXPECT_TRUE(executor.parallel_for(0, {}, [](std::size_t) -> Result<void> {
    return Error{ErrorCode::Internal, "must not run"};
  }));
}

TEST(Executor, NeverMoreAtOnceThanThreadsAndCaller) {
  Executor executor(2);
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  ASSERT_TRUE(executor.parallel_for(500, {}, [&](std::size_t) -> Result<void> {
    const int now = ++running;
    int seen = most;
    while (seen < now && !most.compare_exchange_weak(seen, now)) {
    }
    --running;
    return {};
  }));
  EXPECT_LE(most, 3);
}

TEST(Executor, TheFirstErrorStopsTheHandingOut) {
  Executor executor(2);
  std::atomic<std::size_t> ran{0};
  const auto outcome = executor.parallel_for(1'000'000, {}, [&](std::size_t i) -> Result<void> {
    ++ran;
    if (i == 10) return Error{ErrorCode::NotFound, "ten"};
    return {};
  });
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "ten");
  EXPECT_LT(ran, 1'000'000U);
}

TEST(Executor, CancellationStopsTheHandingOut) {
  Executor executor(2);
  OpContext context;
  std::atomic<std::size_t> ran{0};
  const auto outcome = executor.parallel_for(1'000'000, context, [&](std::size_t) -> Result<void> {
    if (++ran == 5) context.cancel.cancel();
    return {};
  });
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::Cancelled);
  EXPECT_LE(ran, 5U + executor.threads() + 1);
}

TEST(Executor, TheDeadlineStopsTheHandingOut) {
  FakeClock clock;
  OpContext context;
  context.deadline = Deadline(clock, std::chrono::seconds(1));
  Executor executor(1);
  std::atomic<std::size_t> ran{0};
  const auto outcome = executor.parallel_for(100, context, [&](std::size_t) -> Result<void> {
    if (++ran == 3) clock.advance(std::chrono::seconds(1));
    return {};
  });
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::LimitExceeded);
  EXPECT_LE(ran, 5U);
}

TEST(Executor, NestsWithoutDeadlock) {
  Executor executor(2);
  std::atomic<int> leaves{0};
  ASSERT_TRUE(executor.parallel_for(8, {}, [&](std::size_t) {
    return executor.parallel_for(8, {}, [&](std::size_t) {
      return executor.parallel_for(4, {}, [&](std::size_t) -> Result<void> {
        ++leaves;
        return {};
      });
    });
  }));
  EXPECT_EQ(leaves, 8 * 8 * 4);
}

// The only pool thread is busy: the caller does all the work itself.
TEST(Executor, ParallelForNeedsNoFreeThread) {
  Executor executor(1);
  std::promise<void> release;
  ASSERT_TRUE(executor.try_submit([held = release.get_future().share()] { held.wait(); }));
  int sum = 0;  // plain: only this thread runs bodies
  ASSERT_TRUE(executor.parallel_for(10, {}, [&](std::size_t i) -> Result<void> {
    sum += static_cast<int>(i);
    return {};
  }));
  EXPECT_EQ(sum, 45);
  release.set_value();
}

TEST(Executor, AFullQueueSaysSoAtOnce) {
  std::atomic<int> ran{0};
  {
    Executor executor(1, 2);
    std::promise<void> started;
    std::promise<void> release;
    ASSERT_TRUE(executor.try_submit([&, held = release.get_future().share()] {
      started.set_value();
      held.wait();
    }));
    started.get_future().wait();  // the queue is empty again
    EXPECT_TRUE(executor.try_submit([&] { ++ran; }));
    EXPECT_TRUE(executor.try_submit([&] { ++ran; }));
    EXPECT_FALSE(executor.try_submit([&] { ++ran; }));
    release.set_value();
  }
  EXPECT_EQ(ran, 2);  // the destructor finishes what was accepted
}

TEST(Executor, IdleThreadsTakeWithoutAQueue) {
  std::atomic<int> ran{0};
  {
    Executor executor(2, 0);
    std::promise<void> release;
    const auto held = release.get_future().share();
    const auto wait = [&, held] {
      held.wait();
      ++ran;
    };
    EXPECT_TRUE(executor.try_submit(wait));
    EXPECT_TRUE(executor.try_submit(wait));
    EXPECT_FALSE(executor.try_submit(wait));
    release.set_value();
  }
  EXPECT_EQ(ran, 2);
}

TEST(ParallelFor, WithoutExecutorRunsInOrder) {
  std::vector<std::size_t> order;
  const auto outcome = parallel_for(5, {}, [&](std::size_t i) -> Result<void> {
    order.push_back(i);
    if (i == 3) return Error{ErrorCode::NotFound, "three"};
    return {};
  });
  EXPECT_EQ(outcome.error().message, "three");
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST(ParallelFor, UsesTheContextsExecutor) {
  Executor executor(2);
  OpContext context;
  context.executor = &executor;
  std::atomic<int> ran{0};
  ASSERT_TRUE(parallel_for(100, context, [&](std::size_t) -> Result<void> {
    ++ran;
    return {};
  }));
  EXPECT_EQ(ran, 100);
}

}  // namespace
}  // namespace helve
