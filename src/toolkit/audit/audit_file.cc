#include "toolkit/audit/audit_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

#include "toolkit/audit/audit_log.h"
#include "toolkit/audit/record_text.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kBatchBytesMax = 4 * kMiB;
constexpr Duration kGatherMax = std::chrono::milliseconds(1);

// Group commit: of the threads that wait, one writes and syncs for all, while others gather for the
// next turn.
class AuditFile final : public AuditSink {
 public:
  AuditFile(const std::filesystem::path& path, Env& env, AuditOptions options, SharedFiles& files)
      : env_(env),
        is_fingerprints_(options.is_fingerprints),
        log_(path, env, files, ChainHash(std::move(options.key))) {}

  Result<void> check() override {
    std::unique_lock lock(mutex_);
    // The outcome of the others tells.
    if (is_leading_) return {};
    is_leading_ = true;
    const std::vector<std::string> told = failures_told();
    lock.unlock();
    auto checked = told.empty() ? log_.check() : log_.append(told);
    lock.lock();
    is_leading_ = false;
    if (checked && !told.empty()) failed_records_ = 0;
    wake_next();
    return checked;
  }

  Result<void> write(const AuditRecord& record) override {
    Waiting mine;
    mine.content = record_text(record, is_fingerprints_);
    std::unique_lock lock(mutex_);
    queue_.push_back(&mine);
    if (is_gathering_ && queue_.size() >= writers_) gathered_.notify_one();
    while (!mine.is_done) {
      if (is_leading_) {
        mine.wake.wait(lock);
      } else {
        lead(lock);
      }
    }
    if (mine.error) return *std::move(mine.error);
    return {};
  }

 private:
  struct Waiting {
    std::string content;
    bool is_done = false;
    std::optional<Error> error;
    std::condition_variable wake;
  };

  void lead(std::unique_lock<std::mutex>& lock) {
    is_leading_ = true;
    gather(lock);
    std::vector<std::string> contents = failures_told();
    std::vector<Waiting*> batch;
    std::size_t bytes = 0;
    while (!queue_.empty() && bytes < kBatchBytesMax) {
      Waiting* const one = queue_.front();
      queue_.pop_front();
      bytes += one->content.size();
      contents.push_back(std::move(one->content));
      batch.push_back(one);
    }
    lock.unlock();
    const MonotonicTime begun = env_.clock().now();
    const auto written = log_.append(contents);
    const Duration taken = env_.clock().now() - begun;
    lock.lock();
    is_leading_ = false;
    writers_ = batch.size() + queue_.size();
    gather_time_ = std::min(taken / 4, kGatherMax);
    if (written) {
      failed_records_ = 0;
    } else {
      failed_records_ += batch.size();
      failure_ = written.error().full_message();
    }
    for (Waiting* const one : batch) {
      one->is_done = true;
      if (!written) one->error = written.error();
      one->wake.notify_one();
    }
    wake_next();
  }

  // Those who were served last are about to come back: a short wait for them spares a whole turn. A
  // single writer waits for nobody.
  void gather(std::unique_lock<std::mutex>& lock) {
    if (queue_.size() >= writers_) return;
    is_gathering_ = true;
    gathered_.wait_for(lock, gather_time_, [this] { return queue_.size() >= writers_; });
    is_gathering_ = false;
  }

  void wake_next() {
    if (!queue_.empty()) queue_.front()->wake.notify_one();
  }

  // The first thing to write once that can be done again.
  std::vector<std::string> failures_told() const {
    if (failed_records_ == 0) return {};
    return {failure_text(env_.clock().wall(), failed_records_, failure_)};
  }

  Env& env_;
  bool is_fingerprints_;
  AuditLog log_;  // of the one that leads
  std::mutex mutex_;
  bool is_leading_ = false;
  std::deque<Waiting*> queue_;
  std::condition_variable gathered_;
  bool is_gathering_ = false;
  std::size_t writers_ = 0;  // that were there during the last turn
  Duration gather_time_{0};
  std::uint64_t failed_records_ = 0;  // since the last one that was written
  std::string failure_;
};

}  // namespace

std::string_view name_of(AuditKind kind) {
  switch (kind) {
    case AuditKind::Intent:
      return "intent";
    case AuditKind::Event:
      return "event";
    case AuditKind::Call:
      break;
  }
  return "call";
}

Result<std::unique_ptr<AuditSink>> open_audit_file(const std::filesystem::path& path, Env& env,
                                                   AuditOptions options, SharedFiles& files) {
  if (!options.key.empty() && options.key.size() < kAuditKeyCharsMin) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the key of the audit file has {} characters: at least {} are wanted",
                             options.key.size(), kAuditKeyCharsMin),
                 "make one: openssl rand -hex 32"};
  }
  auto file = std::make_unique<AuditFile>(path, env, std::move(options), files);
  HELVE_TRY(file->check());
  return file;
}

Result<std::unique_ptr<AuditSink>> open_audit_file(const std::filesystem::path& path, Env& env,
                                                   AuditOptions options) {
  return open_audit_file(path, env, std::move(options), real_shared_files());
}

}  // namespace helve::toolkit
