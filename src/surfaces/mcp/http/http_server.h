// HttpServer: MCP over HTTP: one endpoint for modern clients, which have no sessions, and for
// legacy ones, which do; beside it /healthz and /metrics. Its neighbour for pipes is stdio/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/env.h"
#include "base/limits.h"
#include "base/result.h"
#include "surfaces/http/wire_options.h"
#include "surfaces/mcp/server/server.h"
#include "surfaces/mcp/server/worker_load.h"
#include "toolkit/policy/policy.h"

namespace helve::mcp {

// Who sends this bearer token is this caller.
struct HttpCaller {
  std::string token;
  toolkit::Caller caller;
};

struct HttpOptions : http::WireOptions {
  std::string host = "127.0.0.1";  // an address, or localhost
  std::uint16_t port = 0;          // 0: any that is free
  std::string path = "/mcp";
  std::vector<HttpCaller> callers;  // where there are any, every request needs a token
  toolkit::Caller anonymous;        // everybody, where there are none
  // Beside loopback: "name", "name:port"; "https://name[:port]".
  std::vector<std::string> allowed_hosts;
  std::vector<std::string> allowed_origins;

  std::size_t workers = kWorkersDefault;
  std::size_t queue_max = 256;  // calls that wait for a worker; beyond: "busy"

  std::size_t sessions_max = 1'000;
  Duration session_idle = std::chrono::minutes(30);
  std::size_t events_kept = 256;  // of a session, for clients that come back
  std::size_t event_bytes_kept = kMiB;
};

// Thread-safe. `server` and `env` outlive it; stop() also by the destructor.
class HttpServer {
 public:
  // Denied: another address than loopback without callers. InvalidInput: options that make no
  // sense. Unavailable: the port is taken.
  static Result<std::unique_ptr<HttpServer>> start(HttpOptions options, Server& server, Env& env);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;
  // Takes no more clients, gives what runs most of `grace` to finish, cancels the rest, and closes.
  // Returns when all threads have ended.
  void stop(Duration grace);

 private:
  class Life;
  explicit HttpServer(std::unique_ptr<Life> life);
  std::unique_ptr<Life> life_;
};

}  // namespace helve::mcp
