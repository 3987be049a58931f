// ChangeQueue: changes of several threads that go into one commit. Whoever comes while nobody
// writes, writes for all who wait.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "toolkit/memory/postgres/postgres_rows.h"

namespace helve::memory {

// What one caller wants done to the rows.
struct PendingChange {
  std::function<Result<void>(PostgresRows&)> work;
  std::vector<std::string> ids;  // of items that it will look for
  // It cannot fail for a reason of its own, and so shares a commit with others that cannot.
  bool is_shared = false;
  bool is_repeatable = false;  // doing it twice is doing it once
  Result<void> result;
  bool is_done = false;
};

// Thread-safe.
class ChangeQueue {
 public:
  struct Outcome {
    // The context ended it and nothing was done: it is the first one's, the others go on without.
    bool is_of_first_alone = false;
  };
  // Sets the results of all.
  using Commit =
      std::function<Outcome(const std::vector<PendingChange*>& together, const OpContext& context)>;
  explicit ChangeQueue(Commit commit) : commit_(std::move(commit)) {}

  // Returns when it is done. LimitExceeded and Cancelled where it was not begun.
  Result<void> run(PendingChange& mine, const OpContext& context);

 private:
  std::vector<PendingChange*> take(PendingChange& mine);

  const Commit commit_;
  std::mutex mutex_;
  std::condition_variable turn_;
  std::deque<PendingChange*> waiting_;
  bool is_writing_ = false;
};

}  // namespace helve::memory
