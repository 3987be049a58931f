#include "base/wait_mutex.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace helve {
namespace {

TEST(WaitMutex, IsHeldByOne) {
  WaitMutex mutex;
  const std::unique_lock held(mutex);
  std::thread([&] {
    EXPECT_FALSE(mutex.try_lock());
    std::unique_lock lock(mutex, std::defer_lock);
    EXPECT_FALSE(lock.try_lock_for(std::chrono::milliseconds(1)));
  }).join();
}

TEST(WaitMutex, IsFreeAgain) {
  WaitMutex mutex;
  for (int i = 0; i < 2; ++i) {
    std::unique_lock lock(mutex, std::try_to_lock);
    EXPECT_TRUE(lock.owns_lock());
  }
  EXPECT_TRUE(mutex.try_lock_for(std::chrono::seconds(0)));
  mutex.unlock();
}

TEST(WaitMutex, KeepsThreadsApart) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 1'000;
  WaitMutex mutex;
  int count = 0;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, is_patient = i % 2 == 0] {
      for (int round = 0; round < kRounds; ++round) {
        std::unique_lock lock(mutex, std::defer_lock);
        if (is_patient) {
          lock.lock();
        } else {
          while (!lock.try_lock_for(std::chrono::milliseconds(1))) {
          }
        }
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, kThreads * kRounds);
}

}  // namespace
}  // namespace helve
