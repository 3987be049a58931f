#include "sources/sql/mysql/watchdog.h"

#include <algorithm>
#include <system_error>

#include "base/wait_fd.h"

namespace helve::sql::mysql {

namespace {

constexpr auto kLook = std::chrono::milliseconds(10);
// What a killed query may take to come back by itself.
constexpr auto kGrace = std::chrono::milliseconds(60);
// Calls often follow each other: looking on for a while spares them waking the thread.
constexpr int kIdleLooksMax = 100;

}  // namespace

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Watchdog::Watch::Watch(Watchdog& dog, int socket, std::uint64_t thread_id, const OpContext& context)
    : dog_(dog),
      socket_(socket),
      thread_id_(thread_id),
      deadline_(context.deadline),
      cancel_(context.cancel) {
  bool must_wake = false;
  {
    const std::lock_guard lock(dog_.mutex_);
    dog_.watches_.push_back(this);
    if (!dog_.start()) has_fired_.store(true);  // better no call than one without an end
    must_wake = dog_.is_asleep_;
  }
  if (must_wake) dog_.changed_.notify_all();
}

Watchdog::Watch::~Watch() {
  const std::lock_guard lock(dog_.mutex_);
  std::erase(dog_.watches_, this);
}

bool Watchdog::start() {
  if (thread_.joinable()) return true;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

void Watchdog::run() {
  std::vector<std::uint64_t> to_kill;
  int idle_looks = 0;
  std::unique_lock lock(mutex_);
  while (!is_over_) {
    idle_looks = watches_.empty() ? idle_looks + 1 : 0;
    if (idle_looks > kIdleLooksMax) {
      is_asleep_ = true;
      changed_.wait(lock, [this] { return is_over_ || !watches_.empty(); });
      is_asleep_ = false;
      continue;
    }
    look(to_kill);
    if (!to_kill.empty()) {
      lock.unlock();
      for (const std::uint64_t thread_id : to_kill) kill_(thread_id);
      to_kill.clear();
      lock.lock();
      continue;
    }
    changed_.wait_for(lock, kLook);
  }
}

void Watchdog::look(std::vector<std::uint64_t>& to_kill) {
  const auto now = std::chrono::steady_clock::now();
  for (Watch* watch : watches_) {
    if (!watch->has_fired()) {
      if (!watch->cancel_.is_cancelled() && !watch->deadline_.has_passed()) continue;
      watch->fired_at_ = now;
      watch->has_fired_.store(true, std::memory_order_release);
      to_kill.push_back(watch->thread_id_);
    } else if (!watch->is_shut_ && now - watch->fired_at_ >= kGrace) {
      shut_down_socket(watch->socket_);
      watch->is_shut_ = true;
    }
  }
}

}  // namespace helve::sql::mysql
