#include "toolkit/tools/session.h"

#include <algorithm>

#include "base/digest.h"

namespace helve::toolkit {

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
  if (!is_one_session) name = caller.identity + '\0' + caller.session;
  if (const std::string sight = sight_of(*caller.policy); !sight.empty()) name += '\0' + sight;
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
  if (!handles.folder.empty() && !name.empty()) handles.folder /= name;
  auto session =
      std::make_shared<Session>(handles.folder, env_, transactions_, std::to_string(++opened_),
                                options_.has_lasting_sessions);
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
  std::vector<EntryPtr> entries;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, entry] : sessions_) entries.push_back(entry);
  }
  ToolkitUsage usage;
  for (const EntryPtr& entry : entries) {
    std::shared_ptr<Session> session;
    if (std::unique_lock lock(entry->mutex, std::try_to_lock); lock) session = entry->session;
    if (session == nullptr) continue;
    ++usage.sessions;
    usage.handles += session->handles->count();
    usage.memory_bytes += session->handles->memory_bytes();
    usage.disk_bytes += session->handles->disk_bytes();
  }
  return usage;
}

}  // namespace helve::toolkit
