// PeriodicWatch: a thread that looks after what must not be left alone, for as long as there is
// something to look after. tools/session.h has it look after open transactions and questions.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "base/clock.h"

namespace helve::toolkit {

// Thread-safe. There is no thread while nothing is watched.
class PeriodicWatch {
 public:
  // `look` says whether there is something left to watch. It runs on the thread of the watch alone.
  PeriodicWatch(Duration every, std::function<bool()> look)
      : every_(every), look_(std::move(look)) {}
  ~PeriodicWatch() { stop(); }
  PeriodicWatch(const PeriodicWatch&) = delete;
  PeriodicWatch& operator=(const PeriodicWatch&) = delete;

  void start();  // looks in a while, if it does not anyway
  void wake();   // looks at once; does not wait for it
  void stop();   // waits for the look that is under way; there are no more of them

 private:
  // Under the lock.
  void run_if_none();
  void run();

  const Duration every_;
  const std::function<bool()> look_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_running_ = false;
  bool is_woken_ = false;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace helve::toolkit
