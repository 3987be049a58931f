// Sessions: what callers have stored and done, each apart from the others. toolkit.cc uses them.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/env.h"
#include "toolkit/handles/handle_store.h"
#include "toolkit/leakage/leakage.h"
#include "toolkit/policy/policy.h"
#include "toolkit/tools/toolkit.h"

namespace helve::toolkit {

struct Session {
  std::unique_ptr<HandleStore> handles;
  LeakageMeter leakage;
  RepeatGuard repeats;
};

// Thread-safe. The least recently opened session goes when there are too many; who uses it keeps
// it.
class Sessions {
 public:
  // Env and factory must outlive it.
  Sessions(ToolkitOptions options, Env& env, GraphFactory& graphs)
      : options_(std::move(options)), env_(env), graphs_(graphs) {}

  // Opens the session of the caller, or gives the one that is open.
  Result<std::shared_ptr<Session>> open(const Caller& caller, const OpContext& op);
  LeakageReport leakage(const Caller& caller) const;

 private:
  struct Entry {
    std::shared_ptr<Session> session;
    std::uint64_t last = 0;
  };
  static std::string name_of(const Caller& caller, bool is_one_session);
  void make_room();

  ToolkitOptions options_;
  Env& env_;
  GraphFactory& graphs_;
  mutable std::mutex mutex_;
  std::map<std::string, Entry, std::less<>> sessions_;
  std::uint64_t counter_ = 0;
};

}  // namespace helve::toolkit
