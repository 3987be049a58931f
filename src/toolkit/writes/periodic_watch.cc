#include "toolkit/writes/periodic_watch.h"

namespace helve::toolkit {

void PeriodicWatch::run_if_none() {
  if (is_running_ || is_stopping_) return;
  if (thread_.joinable()) thread_.join();  // it has ended, or is about to
  is_running_ = true;
  thread_ = std::thread([this] { run(); });
}

void PeriodicWatch::start() {
  const std::lock_guard lock(mutex_);
  run_if_none();
}

void PeriodicWatch::wake() {
  {
    const std::lock_guard lock(mutex_);
    is_woken_ = true;
    run_if_none();
  }
  changed_.notify_all();
}

void PeriodicWatch::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void PeriodicWatch::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait_for(lock, every_, [this] { return is_stopping_ || is_woken_; });
    if (is_stopping_) return;
    is_woken_ = false;
    lock.unlock();
    const bool is_left = look_();
    lock.lock();
    if (is_left || is_woken_) continue;
    is_running_ = false;
    return;
  }
}

}  // namespace helve::toolkit
