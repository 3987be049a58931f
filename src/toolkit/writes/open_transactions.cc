#include "toolkit/writes/open_transactions.h"

#include <fmt/format.h>

namespace helve::toolkit {

namespace {

constexpr Duration kRollBackTime = std::chrono::seconds(2);
constexpr auto kWatchEvery = std::chrono::seconds(1);
constexpr std::size_t kEndedMax = 64;

}  // namespace

OpenTransactions::~OpenTransactions() {
  std::vector<std::shared_ptr<Entry>> rest;
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    for (auto& [key, entry] : open_) rest.push_back(std::move(entry));
    open_.clear();
  }
  stopping_.notify_all();
  if (watcher_.joinable()) watcher_.join();
  roll_back(std::move(rest));
}

OpenTransactions::Lease::~Lease() {
  if (entry_ == nullptr || is_over_) return;
  const std::lock_guard lock(all_->mutex_);
  entry_->is_in_use = false;
  entry_->used = all_->env_.clock().now();
}

Duration OpenTransactions::Lease::remaining() const {
  return std::max(Duration(0), entry_->begun + kLifeMax - all_->env_.clock().now());
}

void OpenTransactions::Lease::end(const OpContext& op) {
  if (is_over_) return;
  is_over_ = true;
  {
    const std::lock_guard lock(all_->mutex_);
    const auto found = all_->open_.find(key_);
    if (found != all_->open_.end() && found->second == entry_) all_->open_.erase(found);
  }
  if (entry_->content.transaction != nullptr) {
    (void)entry_->content.transaction->roll_back(op);
    entry_->content.transaction.reset();
  }
}

Result<void> OpenTransactions::check_room(const std::string& owner, const std::string& source) {
  sweep();
  const std::lock_guard lock(mutex_);
  if (open_.contains({owner, source})) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("a transaction on {} is open already", source),
                 "transaction action=status shows it; commit it or roll it back first"};
  }
  if (open_.size() >= kOpenMax) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("{} transactions are open, and there may be no more", open_.size()),
                 fmt::format("try again: each is rolled back when it is idle for {} s",
                             std::chrono::duration_cast<std::chrono::seconds>(kIdleMax).count())};
  }
  return {};
}

Result<void> OpenTransactions::add(const std::string& owner, const std::string& source,
                                   OpenTransaction content) {
  HELVE_TRY(check_room(owner, source));
  auto entry = std::make_shared<Entry>();
  entry->content = std::move(content);
  entry->begun = entry->used = env_.clock().now();
  const std::lock_guard lock(mutex_);
  if (open_.size() >= kOpenMax || !open_.emplace(Key(owner, source), std::move(entry)).second) {
    return Error{ErrorCode::LimitExceeded, "another transaction was opened at the same time",
                 "try again"};
  }
  ended_.erase({owner, source});
  if (!is_watching_ && !is_stopping_) {
    if (watcher_.joinable()) watcher_.join();  // it has ended, or is about to
    is_watching_ = true;
    watcher_ = std::thread([this] { watch(); });
  }
  return {};
}

Result<std::optional<OpenTransactions::Lease>> OpenTransactions::take(const std::string& owner,
                                                                      const std::string& source) {
  sweep();
  const std::lock_guard lock(mutex_);
  const auto found = open_.find({owner, source});
  if (found == open_.end()) return std::optional<Lease>();
  if (found->second->is_in_use) {
    return Error{ErrorCode::Unavailable,
                 fmt::format("another call uses the transaction on {}", source),
                 "make calls of one transaction one after the other"};
  }
  found->second->is_in_use = true;
  return std::optional<Lease>(std::in_place, *this, found->first, found->second);
}

std::string OpenTransactions::what_became(const std::string& owner, const std::string& source) {
  const std::lock_guard lock(mutex_);
  const auto found = ended_.find({owner, source});
  if (found == ended_.end()) return {};
  std::string what = std::move(found->second);
  ended_.erase(found);
  return what;
}

bool OpenTransactions::is_over_age(const Entry& entry) const {
  const MonotonicTime now = env_.clock().now();
  return now - entry.begun >= kLifeMax ||
         (!entry.content.waits_for_word && now - entry.used >= kIdleMax);
}

void OpenTransactions::sweep() {
  std::vector<std::shared_ptr<Entry>> over;
  {
    const std::lock_guard lock(mutex_);
    for (auto at = open_.begin(); at != open_.end();) {
      if (at->second->is_in_use || !is_over_age(*at->second)) {
        ++at;
        continue;
      }
      if (ended_.size() >= kEndedMax) ended_.clear();
      ended_[at->first] = fmt::format(
          "transaction {} was open or idle for too long (at most {} s idle, {} s in all), and was "
          "rolled back",
          at->second->content.id,
          std::chrono::duration_cast<std::chrono::seconds>(kIdleMax).count(),
          std::chrono::duration_cast<std::chrono::seconds>(kLifeMax).count());
      over.push_back(std::move(at->second));
      at = open_.erase(at);
    }
  }
  roll_back(std::move(over));
}

void OpenTransactions::end_all(const std::string& owner) {
  std::vector<std::shared_ptr<Entry>> over;
  {
    const std::lock_guard lock(mutex_);
    for (auto at = open_.begin(); at != open_.end();) {
      if (at->first.first == owner) {
        over.push_back(std::move(at->second));
        at = open_.erase(at);
      } else {
        ++at;
      }
    }
    std::erase_if(ended_, [&](const auto& one) { return one.first.first == owner; });
  }
  roll_back(std::move(over));
}

std::size_t OpenTransactions::count() const {
  const std::lock_guard lock(mutex_);
  return open_.size();
}

void OpenTransactions::roll_back(std::vector<std::shared_ptr<Entry>> entries) const {
  for (const auto& entry : entries) {
    if (entry->content.transaction == nullptr) continue;
    OpContext op;
    op.deadline = Deadline(env_.clock(), kRollBackTime);
    (void)entry->content.transaction->roll_back(op);
    entry->content.transaction.reset();
  }
}

// Locks of a database are given back even where no call comes.
void OpenTransactions::watch() {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      stopping_.wait_for(lock, kWatchEvery, [this] { return is_stopping_; });
      if (is_stopping_ || open_.empty()) {
        is_watching_ = false;
        return;
      }
    }
    sweep();
  }
}

}  // namespace helve::toolkit
