// The pool of threads. parallel_for is driven by its caller: helpers from the pool only join in, so
// it finishes even when no pool thread ever becomes free.
#include "base/executor.h"

#include <sched.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <fstream>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/op_context.h"

namespace helve {

std::size_t usable_cores() {
  std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  cpu_set_t mask;
  if (::sched_getaffinity(0, sizeof(mask), &mask) == 0) {
    cores = std::min(cores, static_cast<std::size_t>(std::max(1, CPU_COUNT(&mask))));
  }
  std::ifstream file("/sys/fs/cgroup/cpu.max");  // "max 100000" or "150000 100000"
  double quota = 0;
  double period = 0;
  if (file >> quota >> period && period > 0) {
    cores = std::min(cores, static_cast<std::size_t>(std::max(1.0, quota / period)));
  }
  return cores;
}

namespace {

// One parallel_for under way. Shared with helpers that may wake after it is over: `body` and
// `context` are touched only between claim() and finish(), for which the caller waits.
class Loop {
 public:
  Loop(std::size_t count, const OpContext& context,
       const std::function<Result<void>(std::size_t)>& body)
      : count_(count), context_(context), body_(body) {}

  void work() {
    while (const std::optional<std::size_t> index = claim()) {
      finish(run(*index));
    }
  }

  Result<void> wait_for_all() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return running_ == 0; });
    if (error_) return *std::move(error_);
    return {};
  }

 private:
  // An exception must not pass: other threads still work on this loop.
  Result<void> run(std::size_t index) {
    HELVE_TRY(context_.check());
    try {
      return body_(index);
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::LimitExceeded, "the machine has no memory left",
                   "work on less data at once, or set a memory limit below the machine's"};
    } catch (const std::exception& failure) {
      return Error{ErrorCode::Internal, failure.what()};
    }
  }

  std::optional<std::size_t> claim() {
    const std::lock_guard lock(mutex_);
    if (error_ || next_ == count_) return std::nullopt;
    ++running_;
    return next_++;
  }

  void finish(Result<void> outcome) {
    const std::lock_guard lock(mutex_);
    if (!outcome && !error_) error_ = std::move(outcome).error();
    if (--running_ == 0) idle_.notify_all();
  }

  const std::size_t count_;
  const OpContext& context_;
  const std::function<Result<void>(std::size_t)>& body_;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::size_t next_ = 0;
  std::size_t running_ = 0;
  std::optional<Error> error_;
};

}  // namespace

class Executor::Pool {
 public:
  Pool(std::size_t threads, std::size_t queue_max) : queue_max_(queue_max) {
    threads_.reserve(threads);
    try {
      for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
    } catch (const std::system_error&) {
      // The machine gives no more threads: those that there are do the work, and callers of
      // parallel_for take part anyway.
    }
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  std::size_t threads() const { return threads_.size(); }

  bool try_submit(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      const std::size_t idle = threads_.size() - running_;
      if (queue_.size() >= queue_max_ + idle) return false;
      queue_.push_back(std::move(task));
    }
    wake_.notify_one();
    return true;
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return is_stopping_ || !queue_.empty(); });
      if (queue_.empty()) return;
      std::function<void()> task = std::move(queue_.front());
      queue_.pop_front();
      ++running_;
      lock.unlock();
      task();
      task = nullptr;  // what it holds ends outside of the lock
      lock.lock();
      --running_;
    }
  }

  const std::size_t queue_max_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  std::size_t running_ = 0;  // threads with a task
  bool is_stopping_ = false;
  std::vector<std::thread> threads_;
};

Executor::Executor(std::size_t threads, std::size_t queue_max)
    : pool_(std::make_unique<Pool>(threads == 0 ? usable_cores() : threads, queue_max)) {}

Executor::~Executor() = default;

std::size_t Executor::threads() const { return pool_->threads(); }

bool Executor::try_submit(std::function<void()> task) { return pool_->try_submit(std::move(task)); }

Result<void> Executor::parallel_for(std::size_t count, const OpContext& context,
                                    const std::function<Result<void>(std::size_t)>& body) {
  if (count == 0) return {};
  const auto loop = std::make_shared<Loop>(count, context, body);
  const std::size_t helpers = std::min(threads(), count - 1);
  for (std::size_t i = 0; i < helpers; ++i) {
    // A full queue only means less help.
    if (!try_submit([loop] { loop->work(); })) break;
  }
  loop->work();
  return loop->wait_for_all();
}

Result<void> parallel_for(std::size_t count, const OpContext& context,
                          const std::function<Result<void>(std::size_t)>& body) {
  if (context.executor != nullptr) return context.executor->parallel_for(count, context, body);
  for (std::size_t i = 0; i < count; ++i) {
    HELVE_TRY(context.check());
    HELVE_TRY(body(i));
  }
  return {};
}

}  // namespace helve
