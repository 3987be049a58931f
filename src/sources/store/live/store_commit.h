// CommitQueue: makes transactions durable, many with one synchronisation of the disk where they
// come at once, and tells which state is the newest that is.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "base/env.h"
#include "base/result.h"
#include "sources/store/live/change_log.h"
#include "sources/store/live/live_snapshot.h"

namespace helve::store {

// Thread-safe; append() is called by one thread at a time.
class CommitQueue {
 public:
  using State = std::shared_ptr<const LiveSnapshot>;

  explicit CommitQueue(State state) : durable_(state), appended_(std::move(state)) {}

  // Without a log, what is appended is all there will be.
  Result<void> use_log(LogWriter writer, const std::filesystem::path& path, Env& env);

  // The newest that is durable.
  State durable() const;
  // The newest there is: what the next transaction begins with.
  State appended() const;
  std::uint64_t log_bytes() const;
  // Why nothing can be written any more.
  std::optional<Error> failure() const;

  // Writes the record that leads to `next`. After an error nothing has changed.
  Result<void> append(std::string_view payload, State next);
  // Until that state, or a later one, is durable.
  Result<void> wait_for(std::uint64_t version);

  // Begins anew with another base and another log. REQUIRES: nobody appends or waits.
  void restart(State state, std::optional<LogWriter> writer, std::unique_ptr<WritableFile> syncer);
  // Nothing can be written any more.
  void fail(Error why);
  static Result<std::unique_ptr<WritableFile>> open_syncer(const std::filesystem::path& path,
                                                           Env& env);

 private:
  Result<void> repair();
  Result<void> sync_log(WritableFile& syncer, std::uint64_t bytes);
  void note_durable(std::uint64_t bytes);

  mutable std::mutex mutex_;  // of the states
  std::mutex log_mutex_;      // of the writer; taken before the other
  std::condition_variable changed_;
  State durable_;
  State appended_;
  std::uint64_t appended_bytes_ = 0;
  bool is_syncing_ = false;
  std::optional<Error> failure_;
  std::optional<LogWriter> writer_;
  bool is_broken_ = false;  // what was written last is not whole: nothing may follow it
  std::shared_ptr<WritableFile> syncer_;  // the same file, so that others can append meanwhile
  std::filesystem::path path_;
  Env* env_ = nullptr;
};

}  // namespace helve::store
