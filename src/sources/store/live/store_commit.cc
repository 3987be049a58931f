#include "sources/store/live/store_commit.h"

#include <fmt/format.h>

namespace helve::store {

Result<std::unique_ptr<WritableFile>> CommitQueue::open_syncer(const std::filesystem::path& path,
                                                               Env& env) {
  return env.files().open_write(path, WriteMode::Append);
}

Result<void> CommitQueue::use_log(LogWriter writer, const std::filesystem::path& path, Env& env) {
  HELVE_ASSIGN(syncer_, open_syncer(path, env));
  appended_bytes_ = writer.bytes();
  writer_ = std::move(writer);
  path_ = path;
  env_ = &env;
  return {};
}

CommitQueue::State CommitQueue::durable() const {
  const std::lock_guard lock(mutex_);
  return durable_;
}

CommitQueue::State CommitQueue::appended() const {
  const std::lock_guard lock(mutex_);
  return appended_;
}

std::uint64_t CommitQueue::log_bytes() const {
  const std::lock_guard lock(mutex_);
  return appended_bytes_;
}

std::optional<Error> CommitQueue::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void CommitQueue::fail(Error why) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(why);
  changed_.notify_all();
}

// After a record that could not be written whole: the log as far as it is good.
// REQUIRES: log_mutex_.
Result<void> CommitQueue::repair() {
  const std::uint64_t checksum = appended_->base()->content_checksum().value_or(0);
  HELVE_ASSIGN(LogContent content, read_log(path_, checksum, *env_));
  // It may be whole though its writer was told otherwise.
  content.cut_behind(appended_->version());
  if (content.good_bytes < appended_bytes_) {
    return Error{ErrorCode::Unavailable, fmt::format("the log {} lost records", path_.string()),
                 "restore the folder from a copy"};
  }
  HELVE_ASSIGN(LogWriter writer, LogWriter::resume(path_, content, *env_));
  HELVE_ASSIGN(auto syncer, open_syncer(path_, *env_));
  writer_ = std::move(writer);
  is_broken_ = false;
  const std::lock_guard lock(mutex_);
  syncer_ = std::move(syncer);  // who syncs the old one keeps it
  return {};
}

Result<void> CommitQueue::append(std::string_view payload, State next) {
  std::uint64_t bytes = 0;
  if (writer_) {
    const std::lock_guard lock(log_mutex_);
    if (is_broken_) HELVE_TRY(repair());
    if (const auto written = writer_->append(next->version(), payload); !written) {
      is_broken_ = true;
      (void)repair();  // on a full disk that may fail as well; the next transaction tries again
      return written.error();
    }
    bytes = writer_->bytes();
  }
  const std::lock_guard lock(mutex_);
  appended_ = std::move(next);
  appended_bytes_ = bytes;
  if (!writer_) durable_ = appended_;
  return {};
}

// What is durable is so whether or not this can be noted.
void CommitQueue::note_durable(std::uint64_t bytes) {
  const std::lock_guard lock(log_mutex_);
  if (!is_broken_ && !writer_->acknowledge(bytes)) is_broken_ = true;
}

// A folder that was removed takes its log along, and the disk is content with that.
Result<void> CommitQueue::sync_log(WritableFile& syncer, std::uint64_t bytes) {
  if (const auto synced = syncer.sync(); !synced) {
    return Error{
        ErrorCode::Unavailable,
        fmt::format("the log could not be brought to disk: {}", synced.error().full_message()),
        "mend the disk, then open the store again"};
  }
  const auto found = env_->files().status(path_);
  if (!found || found->size < bytes) {
    return Error{ErrorCode::Unavailable,
                 fmt::format("the log {} is no longer in its place", path_.string()),
                 "the folder was removed or moved: put it back, then open the store again"};
  }
  return {};
}

Result<void> CommitQueue::wait_for(std::uint64_t version) {
  std::unique_lock lock(mutex_);
  while (durable_->version() < version) {
    if (failure_) return *failure_;
    if (is_syncing_) {
      changed_.wait(lock);
      continue;
    }
    is_syncing_ = true;
    const State state = appended_;
    const std::uint64_t bytes = appended_bytes_;
    const std::shared_ptr<WritableFile> syncer = syncer_;
    lock.unlock();
    const auto synced = sync_log(*syncer, bytes);
    if (synced) note_durable(bytes);
    lock.lock();
    is_syncing_ = false;
    if (synced) {
      durable_ = state;
    } else {
      failure_ = synced.error();
    }
    changed_.notify_all();
  }
  return {};
}

void CommitQueue::restart(State state, std::optional<LogWriter> writer,
                          std::unique_ptr<WritableFile> syncer) {
  const std::lock_guard log_lock(log_mutex_);
  const std::lock_guard lock(mutex_);
  durable_ = state;
  appended_ = std::move(state);
  if (!writer) return;
  appended_bytes_ = writer->bytes();
  writer_ = std::move(writer);
  is_broken_ = false;
  syncer_ = std::move(syncer);
  path_ = log_path(path_.parent_path(), *appended_->base()->content_checksum());
}

}  // namespace helve::store
