// Merging sorted runs: which of them has the least item next.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace helve::store {

// `Before(a, b)`: the item that run a has next comes before that of run b. Not thread-safe.
template <typename Before>
class RunQueue {
 public:
  explicit RunQueue(Before before) : before_(std::move(before)) {}

  void push(std::size_t run) {
    runs_.push_back(run);
    std::size_t at = runs_.size() - 1;
    while (at > 0 && before_(runs_[at], runs_[(at - 1) / 2])) {
      std::swap(runs_[at], runs_[(at - 1) / 2]);
      at = (at - 1) / 2;
    }
  }
  bool empty() const { return runs_.empty(); }
  std::size_t size() const { return runs_.size(); }
  // REQUIRES: not empty.
  std::size_t top() const { return runs_[0]; }

  // After the top run moved on to its next item, where it has one; quick while it stays ahead.
  void move_on(bool has_next) {
    if (!has_next) {
      runs_[0] = runs_.back();
      runs_.pop_back();
    }
    if (!runs_.empty()) settle_top();
  }

 private:
  void settle_top() {
    const std::size_t run = runs_[0];
    std::size_t at = 0;
    for (std::size_t child = 1; child < runs_.size(); child = 2 * at + 1) {
      if (child + 1 < runs_.size() && before_(runs_[child + 1], runs_[child])) ++child;
      if (!before_(runs_[child], run)) break;
      runs_[at] = runs_[child];
      at = child;
    }
    runs_[at] = run;
  }

  Before before_;
  std::vector<std::size_t> runs_;  // a heap
};

}  // namespace helve::store
