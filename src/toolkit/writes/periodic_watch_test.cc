#include "toolkit/writes/periodic_watch.h"

#include <gtest/gtest.h>

#include <atomic>

namespace helve::toolkit {
namespace {

// Looks are counted; nobody waits for time to pass.
class Looks {
 public:
  bool look() {
    const std::lock_guard lock(mutex_);
    ++count_;
    changed_.notify_all();
    return is_left;
  }
  bool wait_for(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return count_ >= count; });
  }
  int count() {
    const std::lock_guard lock(mutex_);
    return count_;
  }

  std::atomic<bool> is_left = false;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

TEST(PeriodicWatch, GoesOnWhileThereIsSomethingLeft) {
  Looks looks;
  looks.is_left = true;
  PeriodicWatch watch(std::chrono::milliseconds(1), [&] { return looks.look(); });
  watch.start();
  EXPECT_TRUE(looks.wait_for(3));
  watch.stop();
  const int after = looks.count();
  watch.wake();
  EXPECT_EQ(looks.count(), after);
}

TEST(PeriodicWatch, LooksAtOnceWhenItIsWoken) {
  Looks looks;
  PeriodicWatch watch(std::chrono::hours(1), [&] { return looks.look(); });
  watch.start();
  watch.wake();
  EXPECT_TRUE(looks.wait_for(1));
  // Nothing was left: it has ended, and begins anew.
  watch.wake();
  EXPECT_TRUE(looks.wait_for(2));
}

TEST(PeriodicWatch, EndsWithoutALook) {
  Looks looks;
  {
    PeriodicWatch watch(std::chrono::hours(1), [&] { return looks.look(); });
    watch.start();
  }
  EXPECT_EQ(looks.count(), 0);
}

}  // namespace
}  // namespace helve::toolkit
