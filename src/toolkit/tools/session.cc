#include "toolkit/tools/session.h"

#include <algorithm>

#include "base/digest.h"

namespace helve::toolkit {

std::string Sessions::name_of(const Caller& caller, bool is_one_session) {
  if (is_one_session) return {};
  // Two callers never share, whatever they call their sessions; the name is safe as a folder's.
  return digest_hex(DigestKind::Sha256, caller.identity + '\0' + caller.session);
}

Result<std::shared_ptr<Session>> Sessions::open(const Caller& caller, const OpContext& op) {
  const std::string name = name_of(caller, options_.is_one_session);
  const std::lock_guard lock(mutex_);
  if (const auto found = sessions_.find(name); found != sessions_.end()) {
    found->second.last = ++counter_;
    return found->second.session;
  }
  make_room();
  HandleStoreOptions handles = options_.handles;
  if (!handles.folder.empty() && !name.empty()) handles.folder /= name;
  auto session = std::make_shared<Session>();
  HELVE_ASSIGN(session->handles, HandleStore::open(std::move(handles), env_, &graphs_, op));
  sessions_.emplace(name, Entry{session, ++counter_});
  return session;
}

void Sessions::make_room() {
  if (sessions_.size() < std::max<std::size_t>(options_.sessions_max, 1)) return;
  sessions_.erase(
      std::min_element(sessions_.begin(), sessions_.end(),
                       [](const auto& a, const auto& b) { return a.second.last < b.second.last; }));
}

LeakageReport Sessions::leakage(const Caller& caller) const {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(name_of(caller, options_.is_one_session));
  return found != sessions_.end() ? found->second.session->leakage.report() : LeakageReport{};
}

}  // namespace helve::toolkit
