// SharedState: what the connections of a server have in common.
#pragma once

#include <memory>
#include <vector>

#include "surfaces/mcp/server/caller_loads.h"
#include "surfaces/mcp/server/progress_watch.h"
#include "surfaces/mcp/server/request_state.h"
#include "surfaces/mcp/server/server.h"
#include "surfaces/mcp/server/subscriptions.h"

namespace helve::mcp {

class SharedState {
 public:
  SharedState(ServerOptions chosen, std::vector<std::shared_ptr<Offer>> offered, Env& machine,
              Executor* pool)
      : options(std::move(chosen)),
        offers(std::move(offered)),
        env(machine),
        executor(pool),
        subscriptions(options.subscriptions_max),
        callers(options.calls_per_caller_max),
        states(options.state_key, kStateValid, machine),
        watch(kWatchEvery) {}

  const ServerOptions options;
  const std::vector<std::shared_ptr<Offer>> offers;
  Env& env;
  Executor* const executor;
  Metrics metrics;
  Subscriptions subscriptions;
  CallerLoads callers;
  RequestStates states;
  ProgressWatch watch;

 private:
  static constexpr Duration kStateValid = std::chrono::minutes(15);
  static constexpr Duration kWatchEvery = std::chrono::milliseconds(250);
};

}  // namespace helve::mcp
