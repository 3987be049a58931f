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
#include "toolkit/writes/periodic_watch.h"
#include "toolkit/writes/session_writes.h"

namespace helve::toolkit {

struct Session {
  // `folder` is that of the handles; empty: there is none.
  Session(const std::filesystem::path& folder, Env& env, OpenTransactions& open,
          CallerCounts& counts, std::string id, bool lasts, ConfirmationHooks hooks)
      : writes(folder, env, open, counts, std::move(id), lasts, std::move(hooks)) {}

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

// Who is told of what ended without a call.
struct SessionEnds {
  OpenTransactions::Tell rolled_back;
  std::function<void(const PendingChange& change, std::string_view why)> unanswered;
};

// Thread-safe; opening one session does not hold up the others. When there are too many, the least
// recently opened of those that nobody uses goes.
class Sessions {
 public:
  // Env and factory must outlive it.
  Sessions(ToolkitOptions options, Env& env, GraphFactory& graphs, SessionEnds ends);
  ~Sessions();
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  // Opens the session of the caller, or gives the one that is open.
  Result<std::shared_ptr<Session>> open(const Caller& caller, const OpContext& op);
  LeakageReport leakage(const Caller& caller) const;
  ToolkitUsage usage() const;
  // Ends transactions that nobody uses, and questions of the session that nobody answered.
  void sweep(Session& session);
  // What the session has left open is looked after even where no call comes.
  void watch(const Session& session);
  // Ends what the session of the caller has open, soon.
  void end(const Caller& caller);

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
  enum class Waits : std::uint8_t { No, Yes };  // for those that are just being opened
  std::vector<std::shared_ptr<Session>> opened(Waits waits) const;
  // Whether there is something left to look after.
  bool look();
  void finish_ended();

  ToolkitOptions options_;
  Env& env_;
  GraphFactory& graphs_;
  const SessionEnds ends_;
  OpenTransactions transactions_;        // of all sessions, which it outlives
  CallerCounts caller_counts_;           // of all sessions, too
  std::atomic<bool> is_watched_{false};  // something was left open at some time
  std::atomic<std::uint64_t> opened_{0};
  mutable std::mutex mutex_;
  std::map<std::string, EntryPtr, std::less<>> sessions_;
  std::uint64_t counter_ = 0;
  std::vector<WriteSession> ended_;  // that are to be finished
  PeriodicWatch watch_;              // uses all of the above
};

// Whose changes the calls of the caller are.
WriteSession write_session(const Caller& caller);

}  // namespace helve::toolkit
