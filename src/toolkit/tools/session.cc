#include "toolkit/tools/session.h"

#include <algorithm>

#include "base/digest.h"

namespace helve::toolkit {

namespace {

constexpr Duration kLookEvery = std::chrono::seconds(1);

}  // namespace

WriteSession write_session(const Caller& caller) { return {caller.identity, caller.session}; }

Sessions::Sessions(ToolkitOptions options, Env& env, GraphFactory& graphs, SessionEnds ends)
    : options_(std::move(options)),
      env_(env),
      graphs_(graphs),
      ends_(std::move(ends)),
      transactions_(env, ends_.rolled_back),
      caller_counts_(env.clock()),
      watch_(kLookEvery, [this] { return look(); }) {}

Sessions::~Sessions() {
  watch_.stop();
  finish_ended();
}

void Sessions::sweep(Session& session) {
  transactions_.sweep();
  session.writes.confirmations.sweep();
}

void Sessions::watch(const Session& session) {
  if (transactions_.count() == 0 && session.writes.confirmations.waiting() == 0) return;
  is_watched_ = true;
  watch_.start();
}

void Sessions::end(const Caller& caller) {
  if (!is_watched_) return;  // nothing was ever left open
  {
    const std::lock_guard lock(mutex_);
    ended_.push_back(write_session(caller));
  }
  watch_.wake();
}

void Sessions::finish_ended() {
  std::vector<WriteSession> ended;
  {
    const std::lock_guard lock(mutex_);
    ended.swap(ended_);
  }
  if (ended.empty()) return;
  constexpr std::string_view kWhy = "its session ended";
  const auto sessions = opened(Waits::Yes);
  for (const WriteSession& one : ended) {
    transactions_.end_all(one, kWhy);
    for (const auto& session : sessions) session->writes.confirmations.end(one, kWhy);
  }
}

bool Sessions::look() {
  finish_ended();
  transactions_.sweep();
  bool is_left = transactions_.count() > 0;
  for (const auto& session : opened(Waits::Yes)) {
    session->writes.confirmations.sweep();
    is_left = is_left || session->writes.confirmations.waiting() > 0;
  }
  return is_left;
}

std::vector<std::shared_ptr<Session>> Sessions::opened(Waits waits) const {
  std::vector<EntryPtr> entries;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, entry] : sessions_) entries.push_back(entry);
  }
  std::vector<std::shared_ptr<Session>> sessions;
  for (const EntryPtr& entry : entries) {
    std::unique_lock lock(entry->mutex, std::defer_lock);
    const bool is_mine = waits == Waits::Yes ? (lock.lock(), true) : lock.try_lock();
    if (is_mine && entry->session != nullptr) sessions.push_back(entry->session);
  }
  return sessions;
}

bool Session::note_handle(const std::string& key) {
  constexpr std::size_t kCountedMax = 100'000;
  const std::lock_guard lock(mutex_);
  if (counted_.size() >= kCountedMax) counted_.clear();
  return counted_.insert(key).second;
}

// Two callers never share, whatever they call their sessions, and neither do policies that show
// different things: what was stored under one must not be read under another. The name is safe as a
// folder's.
std::string Sessions::name_of(const Caller& caller, bool is_one_session) {
  std::string name;
  if (!is_one_session) {
    const std::string session = caller.shares_handles ? "default" : caller.session;
    name = caller.identity + '\0' + session;
  }
  if (const std::string sight = visibility_key(*caller.policy); !sight.empty())
    name += '\0' + sight;
  return name.empty() ? name : digest_hex(DigestKind::Sha256, name);
}

Sessions::EntryPtr Sessions::entry_of(const std::string& name) {
  EntryPtr unused;  // closed behind the lock
  const std::lock_guard lock(mutex_);
  EntryPtr& entry = sessions_[name];
  if (entry == nullptr) {
    entry = std::make_shared<Entry>();
    if (sessions_.size() > std::max<std::size_t>(options_.sessions_max, 1)) unused = take_unused();
  }
  entry->last = ++counter_;
  return entry;
}

// The least recently opened that nobody uses. Under the lock.
Sessions::EntryPtr Sessions::take_unused() {
  auto oldest = sessions_.end();
  for (auto at = sessions_.begin(); at != sessions_.end(); ++at) {
    const EntryPtr& entry = at->second;
    // One that is just being opened is held by who opens it.
    if (entry == nullptr || entry.use_count() > 1 || entry->session == nullptr ||
        entry->session.use_count() > 1) {
      continue;
    }
    if (oldest == sessions_.end() || entry->last < oldest->second->last) oldest = at;
  }
  if (oldest == sessions_.end()) return nullptr;
  EntryPtr taken = std::move(oldest->second);
  sessions_.erase(oldest);
  return taken;
}

Result<std::shared_ptr<Session>> Sessions::open(const Caller& caller, const OpContext& op) {
  const std::string name = name_of(caller, options_.is_one_session);
  const EntryPtr entry = entry_of(name);
  const std::lock_guard lock(entry->mutex);
  if (entry->session != nullptr) return entry->session;
  HandleStoreOptions handles = options_.handles;
  if (options_.keeps_shared_handles_alone && !caller.shares_handles) handles.folder.clear();
  if (!handles.folder.empty() && !name.empty()) handles.folder /= name;
  auto session = std::make_shared<Session>(
      handles.folder, env_, transactions_, caller_counts_, std::to_string(++opened_),
      options_.has_lasting_sessions, ConfirmationHooks{ends_.unanswered, options_.make_folder});
  HELVE_ASSIGN(session->handles, HandleStore::open(std::move(handles), env_, &graphs_, op));
  entry->session = session;
  return session;
}

LeakageReport Sessions::leakage(const Caller& caller) const {
  EntryPtr entry;
  {
    const std::lock_guard lock(mutex_);
    const auto found = sessions_.find(name_of(caller, options_.is_one_session));
    if (found == sessions_.end()) return {};
    entry = found->second;
  }
  const std::lock_guard lock(entry->mutex);
  return entry->session != nullptr ? entry->session->leakage.report() : LeakageReport{};
}

ToolkitUsage Sessions::usage() const {
  ToolkitUsage usage;
  for (const auto& session : opened(Waits::No)) {
    ++usage.sessions;
    usage.handles += session->handles->count();
    usage.memory_bytes += session->handles->memory_bytes();
    usage.disk_bytes += session->handles->disk_bytes();
  }
  return usage;
}

}  // namespace helve::toolkit
