// Sessions: what callers have stored and done, each apart from the others. toolkit.cc uses them.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "base/env.h"
#include "toolkit/handles/handle_store.h"
#include "toolkit/leakage/leakage.h"
#include "toolkit/policy/policy.h"
#include "toolkit/tools/toolkit.h"
#include "toolkit/writes/session_writes.h"

namespace helve::toolkit {

struct Session {
  // `folder` is that of the handles; empty: there is none.
  Session(const std::filesystem::path& folder, Env& env, OpenTransactions& open, std::string id,
          bool lasts)
      : writes(folder, env, open, std::move(id), lasts) {}

  std::unique_ptr<HandleStore> handles;
  SessionWrites writes;
  LeakageMeter leakage;
  RepeatGuard repeats;

  // True at the first time of a key: its characters are counted once.
  bool note_handle(const std::string& key);

 private:
  std::mutex mutex_;
  std::set<std::string> counted_;
};

// Thread-safe; opening one session does not hold up the others. When there are too many, the least
// recently opened of those that nobody uses goes.
class Sessions {
 public:
  // Env and factory must outlive it.
  Sessions(ToolkitOptions options, Env& env, GraphFactory& graphs)
      : options_(std::move(options)), env_(env), graphs_(graphs), transactions_(env) {}

  // Opens the session of the caller, or gives the one that is open.
  Result<std::shared_ptr<Session>> open(const Caller& caller, const OpContext& op);
  LeakageReport leakage(const Caller& caller) const;
  ToolkitUsage usage() const;
  // Ends transactions that nobody uses.
  void sweep() { transactions_.sweep(); }

 private:
  struct Entry {
    std::mutex mutex;  // held while the session is opened
    std::shared_ptr<Session> session;
    std::uint64_t last = 0;
  };
  using EntryPtr = std::shared_ptr<Entry>;
  static std::string name_of(const Caller& caller, bool is_one_session);
  EntryPtr entry_of(const std::string& name);
  EntryPtr take_unused();

  ToolkitOptions options_;
  Env& env_;
  GraphFactory& graphs_;
  OpenTransactions transactions_;  // of all sessions, which it outlives
  std::atomic<std::uint64_t> opened_{0};
  mutable std::mutex mutex_;
  std::map<std::string, EntryPtr, std::less<>> sessions_;
  std::uint64_t counter_ = 0;
};

}  // namespace helve::toolkit
