// Server: what all connections share: the offers, the subscriptions, the counters. Connection
// (connection.h) speaks the protocol with one client.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "surfaces/mcp/server/metrics.h"
#include "surfaces/mcp/server/offer.h"
#include "toolkit/policy/policy.h"

namespace helve::mcp {

struct ServerOptions {
  std::string version;  // of the program
  // For the model of this caller; under 2 KB. Thread-safe; null: there are none.
  std::function<std::string(const toolkit::Caller&)> instructions;
  std::string state_key;  // authenticates what clients carry; empty: random, for this process
  Duration ask_timeout = std::chrono::minutes(5);  // for answers of people
  std::size_t in_flight_max = 256;                 // requests of one connection at once
  std::size_t calls_per_caller_max = SIZE_MAX;     // of all its connections, at once
  std::size_t subscriptions_max = 1'000;           // of all connections
  Limits limits;                                   // of messages
  SpillSpace* spill = nullptr;                     // for calls; null: none
};

class SharedState;

// Thread-safe. Outlives its connections.
class Server {
 public:
  Server(ServerOptions options, std::vector<std::shared_ptr<Offer>> offers, Env& env,
         Executor* executor);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // To all who watch it.
  void resource_updated(std::string_view uri);
  // Ends all subscriptions in the way that tells clients that this is no accident.
  void end_subscriptions();
  Metrics& metrics();
  const Limits& limits() const;  // of messages
  Random& random();              // of the machine
  // Those of a tool that travel in headers too.
  std::vector<HeaderParameter> header_parameters(std::string_view tool) const;
  SharedState& shared() { return *shared_; }  // for Connection

 private:
  std::unique_ptr<SharedState> shared_;
};

}  // namespace helve::mcp
