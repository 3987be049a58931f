// CallQueue: the calls that wait for a worker, and the workers. A call that is cancelled while it
// waits leaves the queue, so that it keeps no place from others.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "base/clock.h"
#include "base/executor.h"
#include "surfaces/mcp/server/connection.h"
#include "surfaces/mcp/server/worker_load.h"

namespace helve::mcp {

// What a call is told that gets no worker.
Reply busy_reply(const RequestId& id);

// Thread-safe. The destructor runs what waits.
class CallQueue {
 public:
  // As Job::run() gives it. Called once, from any thread, when the call has left its place.
  using Deliver = std::function<void(std::optional<Reply>)>;

  // At least one worker. Beyond the calls that run, queue_max may wait.
  // Workers are held up when all have been at work for `patience`.
  CallQueue(std::size_t workers, std::size_t queue_max,
            Duration patience = std::chrono::seconds(1));

  // False, at once, where there is no place, or the workers are held up: the client is told "busy".
  [[nodiscard]] bool try_add(std::shared_ptr<Job> job, Deliver deliver);
  // Delivers what was cancelled and has not begun.
  void drop_cancelled();
  // Tells "busy" to what waits in vain (WorkerLoad::is_late), and returns to how many. To be called
  // now and then.
  std::size_t refuse_late();
  std::size_t waiting() const;

 private:
  struct Call {
    std::shared_ptr<Job> job;
    Deliver deliver;
    WorkerLoad::TimePoint since;
  };

  bool try_place(Call& call);
  void run_next();

  const std::size_t queue_max_;
  WorkerLoad load_;
  mutable std::mutex mutex_;  // of the three that follow
  std::deque<Call> waiting_;
  std::size_t running_ = 0;
  std::size_t turns_ = 0;  // of workers, submitted and not begun: at least as many as wait
  Executor workers_;       // the last, so that it ends first: its tasks use the rest
};

}  // namespace helve::mcp
