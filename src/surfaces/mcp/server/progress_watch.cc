#include "surfaces/mcp/server/progress_watch.h"

namespace helve::mcp {

ProgressWatch::~ProgressWatch() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::uint64_t ProgressWatch::add(std::function<void()> look) {
  const std::lock_guard lock(mutex_);
  looks_.emplace(++last_, std::move(look));
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_all();
  return last_;
}

void ProgressWatch::remove(std::uint64_t key) {
  const std::lock_guard lock(mutex_);
  looks_.erase(key);
}

void ProgressWatch::run() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    if (looks_.empty()) {
      changed_.wait(lock, [this] { return is_ending_ || !looks_.empty(); });
    }
    if (changed_.wait_for(lock, every_, [this] { return is_ending_; })) return;
    for (const auto& [key, look] : looks_) look();
  }
}

}  // namespace helve::mcp
