#include "toolkit/memory/postgres/change_queue.h"

#include <algorithm>
#include <chrono>

namespace helve::memory {

namespace {

constexpr std::size_t kItemsMax = 1'000;  // of one commit that is shared
constexpr auto kLook = std::chrono::milliseconds(20);

}  // namespace

// Its own first: it runs within the time of who writes.
std::vector<PendingChange*> ChangeQueue::take(PendingChange& mine) {
  std::vector<PendingChange*> together = {&mine};
  waiting_.erase(std::find(waiting_.begin(), waiting_.end(), &mine));
  if (!mine.is_shared) return together;
  std::size_t items = mine.ids.size();
  for (auto one = waiting_.begin(); one != waiting_.end();) {
    if (!(*one)->is_shared || items + (*one)->ids.size() > kItemsMax) {
      ++one;
      continue;
    }
    items += (*one)->ids.size();
    together.push_back(*one);
    one = waiting_.erase(one);
  }
  return together;
}

Result<void> ChangeQueue::run(PendingChange& mine, const OpContext& context) {
  HELVE_TRY(context.check());
  std::unique_lock lock(mutex_);
  waiting_.push_back(&mine);
  while (!mine.is_done) {
    if (is_writing_) {
      turn_.wait_for(lock, kLook);
      const auto place = std::find(waiting_.begin(), waiting_.end(), &mine);
      if (place == waiting_.end()) continue;
      if (auto checked = context.check(); !checked) {
        waiting_.erase(place);
        return checked;
      }
      continue;
    }
    const std::vector<PendingChange*> together = take(mine);
    is_writing_ = true;
    lock.unlock();
    const Outcome outcome = commit_(together, context);
    lock.lock();
    for (PendingChange* one : together) {
      if (one != &mine && outcome.is_of_first_alone) {
        waiting_.push_front(one);
      } else {
        one->is_done = true;
      }
    }
    is_writing_ = false;
    turn_.notify_all();
  }
  return mine.result;
}

}  // namespace helve::memory
