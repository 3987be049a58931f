#include "toolkit/writes/open_transactions.h"

#include <fmt/format.h>

namespace helve::toolkit {

namespace {

constexpr Duration kRollBackTime = std::chrono::seconds(2);
constexpr std::size_t kEndedMax = 64;

std::int64_t whole_seconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

}  // namespace

OpenTransactions::~OpenTransactions() {
  Entries rest;
  {
    const std::lock_guard lock(mutex_);
    rest.assign(open_.begin(), open_.end());
    open_.clear();
  }
  for (const auto& [key, entry] : rest) {
    if (entry->ending.empty()) entry->ending = "its session was closed";
  }
  roll_back(rest);
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

void OpenTransactions::Lease::end(const OpContext& op, std::string_view why) {
  if (is_over_) return;
  is_over_ = true;
  {
    const std::lock_guard lock(all_->mutex_);
    const auto found = all_->open_.find(key_);
    if (found != all_->open_.end() && found->second == entry_) all_->open_.erase(found);
  }
  OpenTransaction& content = entry_->content;
  if (content.transaction == nullptr) return;
  (void)content.transaction->roll_back(op);
  content.transaction.reset();
  if (all_->tell_) all_->tell_({key_.first, key_.second, content, why});
}

Result<void> OpenTransactions::check_room(const WriteSession& owner, const std::string& source) {
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
                             whole_seconds(kIdleMax))};
  }
  return {};
}

Result<void> OpenTransactions::add(const WriteSession& owner, const std::string& source,
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
  return {};
}

Result<std::optional<OpenTransactions::Lease>> OpenTransactions::take(const WriteSession& owner,
                                                                      const std::string& source) {
  sweep();
  const std::lock_guard lock(mutex_);
  const auto found = open_.find({owner, source});
  if (found == open_.end() || !found->second->ending.empty()) return std::optional<Lease>();
  if (found->second->is_in_use) {
    return Error{ErrorCode::Unavailable,
                 fmt::format("another call uses the transaction on {}", source),
                 "make calls of one transaction one after the other"};
  }
  found->second->is_in_use = true;
  return std::optional<Lease>(std::in_place, *this, found->first, found->second);
}

bool OpenTransactions::has(const WriteSession& owner, const std::string& source) const {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find({owner, source});
  return found != open_.end() && found->second->ending.empty();
}

std::string OpenTransactions::what_became(const WriteSession& owner, const std::string& source) {
  const std::lock_guard lock(mutex_);
  const auto found = ended_.find({owner, source});
  if (found == ended_.end()) return {};
  std::string what = std::move(found->second);
  ended_.erase(found);
  return what;
}

std::string OpenTransactions::why_over(const Entry& entry) const {
  const MonotonicTime now = env_.clock().now();
  if (!entry.ending.empty()) return entry.ending;
  if (now - entry.begun >= kLifeMax) {
    return fmt::format("it was open for {} s", whole_seconds(kLifeMax));
  }
  if (!entry.content.awaits_confirmation && now - entry.used >= kIdleMax) {
    return fmt::format("it was idle for {} s", whole_seconds(kIdleMax));
  }
  return {};
}

void OpenTransactions::sweep() {
  Entries over;
  {
    const std::lock_guard lock(mutex_);
    for (auto at = open_.begin(); at != open_.end();) {
      Entry& entry = *at->second;
      const std::string why = entry.is_in_use ? std::string() : why_over(entry);
      if (why.empty()) {
        ++at;
        continue;
      }
      if (entry.ending.empty()) {
        if (ended_.size() >= kEndedMax) ended_.clear();
        ended_[at->first] = fmt::format(
            "transaction {} was open or idle for too long (at most {} s idle, {} s in all), and "
            "was rolled back",
            entry.content.id, whole_seconds(kIdleMax), whole_seconds(kLifeMax));
      }
      entry.ending = why;
      over.emplace_back(at->first, at->second);
      at = open_.erase(at);
    }
  }
  roll_back(over);
}

void OpenTransactions::end_all(const WriteSession& owner, std::string_view why) {
  const std::lock_guard lock(mutex_);
  for (auto& [key, entry] : open_) {
    if (key.first == owner && entry->ending.empty()) entry->ending = why;
  }
  std::erase_if(ended_, [&](const auto& one) { return one.first.first == owner; });
}

void OpenTransactions::end_store(std::string_view store, std::string_view why) {
  const std::lock_guard lock(mutex_);
  for (auto& [key, entry] : open_) {
    if (entry->content.store == store && entry->ending.empty()) entry->ending = why;
  }
}

std::size_t OpenTransactions::count() const {
  const std::lock_guard lock(mutex_);
  return open_.size();
}

void OpenTransactions::roll_back(const Entries& entries) const {
  for (const auto& [key, entry] : entries) {
    OpenTransaction& content = entry->content;
    if (content.transaction == nullptr) continue;
    OpContext op;
    op.deadline = Deadline(env_.clock(), kRollBackTime);
    (void)content.transaction->roll_back(op);
    content.transaction.reset();
    if (tell_) tell_({key.first, key.second, content, entry->ending});
  }
}

}  // namespace helve::toolkit
