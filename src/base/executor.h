// Executor: the one pool of threads. Bounded queue, no thread per request.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "base/result.h"

namespace helve {

struct OpContext;

// Cores that the machine, the affinity mask and the control group leave this process.
std::size_t usable_cores();

// Thread-safe. The destructor finishes what was accepted.
class Executor {
 public:
  // threads 0: as many as the machine (or its control group / affinity) has cores.
  explicit Executor(std::size_t threads = 0, std::size_t queue_max = 1'024);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  std::size_t threads() const;

  // False, at once, when no thread is idle and the queue is full: the caller answers "busy". Tasks
  // must not throw.
  [[nodiscard]] bool try_submit(std::function<void()> task);

  // Runs body(0) ... body(count - 1), at most threads() + 1 at once, the caller taking part (so it
  // may be called from inside a task without deadlock). Stops handing out indexes after the first
  // error, on cancellation and at the deadline, and returns that error once all running bodies are
  // back.
  Result<void> parallel_for(std::size_t count, const OpContext& context,
                            const std::function<Result<void>(std::size_t)>& body);

 private:
  class Pool;
  std::unique_ptr<Pool> pool_;
};

// parallel_for on context.executor, or in a plain loop when there is none.
Result<void> parallel_for(std::size_t count, const OpContext& context,
                          const std::function<Result<void>(std::size_t)>& body);

}  // namespace helve
