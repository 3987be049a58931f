#include "surfaces/mcp/http/call_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace helve::mcp {

Reply busy_reply(const RequestId& id) {
  const RpcError error{code::kBusy, "the server is busy: try again later", {}};
  return {.message = error_message(id, error), .http_status = 503, .is_error = true};
}

// The turns of all calls that there may be fit into the queue of the workers.
CallQueue::CallQueue(std::size_t workers, std::size_t queue_max, Duration patience)
    : queue_max_(queue_max), load_(workers, patience), workers_(workers, workers + queue_max) {}

bool CallQueue::try_add(std::shared_ptr<Job> job, Deliver deliver) {
  if (load_.is_stuck()) return false;
  Call call{std::move(job), std::move(deliver), std::chrono::steady_clock::now()};
  if (try_place(call)) return true;
  drop_cancelled();
  return try_place(call);
}

bool CallQueue::try_place(Call& call) {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() + running_ >= workers_.threads() + queue_max_) return false;
  waiting_.push_back(std::move(call));
  // Turns whose calls were dropped are as good for this one.
  if (turns_ >= waiting_.size()) return true;
  if (!workers_.try_submit([this] { run_next(); })) {
    call = std::move(waiting_.back());
    waiting_.pop_back();
    return false;
  }
  ++turns_;
  return true;
}

void CallQueue::run_next() {
  Call call;
  {
    const std::lock_guard lock(mutex_);
    --turns_;
    if (waiting_.empty()) return;
    call = std::move(waiting_.front());
    waiting_.pop_front();
    ++running_;
  }
  load_.begin();
  auto reply = call.job->run();
  load_.end();
  {
    // Before the reply goes out: who has it may ask again at once.
    const std::lock_guard lock(mutex_);
    --running_;
  }
  call.job.reset();
  call.deliver(std::move(reply));
}

void CallQueue::drop_cancelled() {
  std::vector<Call> dropped;
  {
    const std::lock_guard lock(mutex_);
    const auto first =
        std::stable_partition(waiting_.begin(), waiting_.end(),
                              [](const Call& call) { return !call.job->is_cancelled(); });
    dropped.assign(std::move_iterator(first), std::move_iterator(waiting_.end()));
    waiting_.erase(first, waiting_.end());
  }
  for (Call& call : dropped) call.deliver(std::nullopt);
}

std::size_t CallQueue::refuse_late() {
  std::vector<Call> late;
  {
    const std::lock_guard lock(mutex_);
    while (!waiting_.empty() && load_.is_late(waiting_.front().since)) {
      late.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
  }
  for (Call& call : late) {
    call.job->cancel();
    call.deliver(busy_reply(call.job->id()));
  }
  return late.size();
}

std::size_t CallQueue::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

}  // namespace helve::mcp
