#include "agent/sandbox/pool.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace helve::sandbox {

namespace {

constexpr std::size_t kReadyMax = 64;
constexpr auto kPauseAfterFailure = std::chrono::seconds(1);

class Pool final : public SandboxPool {
 public:
  explicit Pool(PoolOptions options) : options_(std::move(options)) {
    options_.ready = std::min(options_.ready, kReadyMax);
    options_.sandbox.is_preloaded = true;
    on_event_ = std::exchange(options_.sandbox.on_event, nullptr);
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() override {
    if (::getpid() != process_) {
      keeper_.detach();  // it is in another process
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    changed_.notify_all();
    if (keeper_.joinable()) keeper_.join();
  }

  // The first is made here, so that who cannot have one learns it at once.
  Result<void> begin() {
    HELVE_ASSIGN(auto first, make_one({}));
    ready_.push_back(std::move(first));
    try {
      keeper_ = std::thread([this] { keep(); });
    } catch (const std::system_error& failure) {
      return Error{ErrorCode::Unavailable,
                   fmt::format("no thread can be made: {}", failure.what())};
    }
    return {};
  }

  Result<std::unique_ptr<Sandbox>> take(std::vector<Function> functions,
                                        std::function<void(const Event&)> on_event,
                                        const OpContext& context) override {
    if (::getpid() != process_) {
      return Error{ErrorCode::Unavailable, "the pool is that of another process",
                   "make one after the fork"};
    }
    std::unique_ptr<Sandbox> taken;
    {
      const std::lock_guard lock(mutex_);
      while (!ready_.empty() && taken == nullptr) {
        if (ready_.front()->is_alive()) taken = std::move(ready_.front());
        ready_.pop_front();
      }
    }
    changed_.notify_all();
    if (taken == nullptr) {
      HELVE_ASSIGN(taken, make_one(context));
    }
    taken->set_listener(on_event ? std::move(on_event) : on_event_);
    HELVE_TRY(taken->register_tools(std::move(functions)));
    return taken;
  }

  std::size_t ready() const override {
    const std::lock_guard lock(mutex_);
    return ready_.size();
  }

 private:
  Result<std::unique_ptr<Sandbox>> make_one(const OpContext& context) const {
    HELVE_ASSIGN(auto made, Sandbox::start(options_.sandbox, context));
    HELVE_TRY(made->register_tools(options_.functions));
    HELVE_TRY(made->prepare(context));
    return made;
  }

  // Makes one after the other until enough are there.
  void keep() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return is_ending_ || ready_.size() < options_.ready; });
      if (is_ending_) return;
      lock.unlock();
      auto made = make_one({});
      lock.lock();
      if (made) {
        ready_.push_back(*std::move(made));
      } else {  // who takes one gets the error; here it is tried again, not too often
        changed_.wait_for(lock, kPauseAfterFailure, [&] { return is_ending_; });
      }
    }
  }

  const pid_t process_ = ::getpid();
  PoolOptions options_;
  std::function<void(const Event&)> on_event_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Sandbox>> ready_;
  bool is_ending_ = false;
  std::thread keeper_;
};

}  // namespace

Result<std::unique_ptr<SandboxPool>> SandboxPool::make(PoolOptions options) {
  auto pool = std::make_unique<Pool>(std::move(options));
  HELVE_TRY(pool->begin());
  return pool;
}

}  // namespace helve::sandbox
