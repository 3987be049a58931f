// Places: who gets one, and when it is given back.
#include "surfaces/mcp/http/call_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <string>
#include <vector>

namespace helve::mcp {
namespace {

constexpr Duration kPatience = std::chrono::hours(1);

// Waits until it is let go, and counts its runs.
class HeldJob final : public Job {
 public:
  explicit HeldJob(std::shared_future<void> go) : go_(std::move(go)) {}
  std::optional<Reply> run() override {
    ++runs;
    started.set_value();
    go_.wait();
    return Reply{.message = "done"};
  }
  void cancel() override { is_cancelled_ = true; }
  bool is_cancelled() const override { return is_cancelled_; }
  const RequestId& id() const override { return id_; }
  bool is_long() const override { return true; }

  std::atomic<int> runs = 0;
  std::promise<void> started;

 private:
  std::shared_future<void> go_;
  std::atomic<bool> is_cancelled_ = false;
  RequestId id_;
};

class CallQueueTest : public ::testing::Test {
 protected:
  std::shared_ptr<HeldJob> make_job() { return std::make_shared<HeldJob>(go_); }
  static void ignore(const std::optional<Reply>& /*reply*/) {}

  std::promise<void> release_;
  std::shared_future<void> go_ = release_.get_future().share();
};

TEST_F(CallQueueTest, WithoutAQueueIdleWorkersTakeCalls) {
  std::atomic<int> replies = 0;
  {
    CallQueue calls(2, 0, kPatience);
    const auto count = [&](const std::optional<Reply>& reply) { replies += reply ? 1 : 0; };
    EXPECT_TRUE(calls.try_add(make_job(), count));
    EXPECT_TRUE(calls.try_add(make_job(), count));
    EXPECT_FALSE(calls.try_add(make_job(), count));
    release_.set_value();
  }
  EXPECT_EQ(replies, 2);
}

TEST_F(CallQueueTest, WhoHasItsReplyHasGivenItsPlaceBack) {
  release_.set_value();
  CallQueue calls(1, 0, kPatience);
  for (int i = 0; i < 1'000; ++i) {
    std::promise<void> replied;
    ASSERT_TRUE(calls.try_add(make_job(), [&](const std::optional<Reply>&) {
      replied.set_value();
    })) << i;
    replied.get_future().wait();
  }
}

TEST_F(CallQueueTest, CancelledCallsKeepNoPlace) {
  const auto last = make_job();
  std::vector<std::shared_ptr<HeldJob>> cancelled;
  std::atomic<int> dropped = 0;
  {
    CallQueue calls(1, 3, kPatience);
    const auto running = make_job();
    ASSERT_TRUE(calls.try_add(running, ignore));
    running->started.get_future().wait();
    for (int i = 0; i < 100; ++i) {
      cancelled.push_back(make_job());
      ASSERT_TRUE(calls.try_add(cancelled.back(), [&](const std::optional<Reply>& reply) {
        dropped += reply ? 0 : 1;
      })) << i;
      cancelled.back()->cancel();
    }
    ASSERT_TRUE(calls.try_add(last, ignore));
    calls.drop_cancelled();
    EXPECT_EQ(dropped, 100);
    EXPECT_EQ(calls.waiting(), 1U);
    EXPECT_TRUE(calls.try_add(make_job(), ignore));
    EXPECT_TRUE(calls.try_add(make_job(), ignore));
    EXPECT_FALSE(calls.try_add(make_job(), ignore));
    release_.set_value();
  }
  EXPECT_EQ(last->runs, 1);
  for (const auto& job : cancelled) EXPECT_EQ(job->runs, 0);
}

TEST_F(CallQueueTest, ACallThatRunsIsNotDropped) {
  std::promise<bool> has_reply;
  CallQueue calls(1, 0, kPatience);
  const auto running = make_job();
  ASSERT_TRUE(calls.try_add(
      running, [&](const std::optional<Reply>& reply) { has_reply.set_value(reply.has_value()); }));
  running->started.get_future().wait();
  running->cancel();
  calls.drop_cancelled();
  EXPECT_FALSE(calls.try_add(make_job(), ignore)) << "its worker is not free";
  release_.set_value();
  EXPECT_TRUE(has_reply.get_future().get());
}

TEST_F(CallQueueTest, WorkersThatAreHeldUpTakeNothing) {
  CallQueue calls(1, 10, Duration::zero());
  const auto running = make_job();
  ASSERT_TRUE(calls.try_add(running, ignore));
  running->started.get_future().wait();
  EXPECT_FALSE(calls.try_add(make_job(), ignore));
  release_.set_value();
}

TEST_F(CallQueueTest, WhatWaitsBehindCallsThatHoldUpTheWorkersIsToldBusy) {
  CallQueue calls(1, 10, std::chrono::milliseconds(200));
  const auto running = make_job();
  ASSERT_TRUE(calls.try_add(running, ignore));
  running->started.get_future().wait();
  const auto waiting = make_job();
  std::promise<std::string> told;
  ASSERT_TRUE(calls.try_add(waiting, [&](const std::optional<Reply>& reply) {
    told.set_value(reply ? reply->message : "");
  }));
  auto answer = told.get_future();
  std::size_t refused = 0;
  while (answer.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
    refused += calls.refuse_late();
  }
  EXPECT_EQ(refused, 1U);
  EXPECT_EQ(answer.get(), busy_reply(waiting->id()).message);
  EXPECT_EQ(calls.waiting(), 0U);
  EXPECT_TRUE(waiting->is_cancelled());
  release_.set_value();
  EXPECT_EQ(waiting->runs, 0);
}

TEST_F(CallQueueTest, WhatWaitsIsLeftWhileTheWorkersAreNotHeldUp) {
  CallQueue calls(1, 10, kPatience);
  const auto running = make_job();
  ASSERT_TRUE(calls.try_add(running, ignore));
  running->started.get_future().wait();
  const auto waiting = make_job();
  ASSERT_TRUE(calls.try_add(waiting, ignore));
  EXPECT_EQ(calls.refuse_late(), 0U);
  EXPECT_EQ(calls.waiting(), 1U);
  release_.set_value();
}

}  // namespace
}  // namespace helve::mcp
