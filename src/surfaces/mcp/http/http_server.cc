#include "surfaces/mcp/http/http_server.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "surfaces/http/listener.h"
#include "surfaces/mcp/http/call_queue.h"
#include "surfaces/mcp/http/endpoint.h"
#include "surfaces/mcp/server/http_paths.h"

namespace helve::mcp {

namespace {

Result<void> check_path(const std::string& path) {
  if (is_endpoint_path(path)) return {};
  return Error{ErrorCode::InvalidInput, "not a path for the server: '" + path + "'",
               fmt::format("write {}", kEndpointPathRule)};
}

http::GuardOptions guard_options(const HttpOptions& options) {
  http::GuardOptions guard;
  guard.allowed_hosts = options.allowed_hosts;
  guard.allowed_origins = options.allowed_origins;
  for (const HttpCaller& caller : options.callers) guard.tokens.push_back(caller.token);
  return guard;
}

}  // namespace

// The listener, the endpoint, and the workers behind it.
class HttpServer::Life {
 public:
  Life(HttpOptions options, Server& server) : options_(std::move(options)), server_(server) {}

  Result<void> start(Env& env) {
    HELVE_TRY(check_path(options_.path));
    HELVE_TRY(listener_.bind(options_.host, options_.port, !options_.callers.empty(),
                             "give callers with bearer tokens"));
    HELVE_ASSIGN(Guard guard, listener_.make_guard(guard_options(options_)));
    calls_ = std::make_unique<CallQueue>(options_.workers, options_.queue_max);
    endpoint_ = std::make_unique<Endpoint>(options_, std::move(guard), server_, env,
                                           listener_.loop(), *calls_);
    listener_.start(*endpoint_, [this] { server_.metrics().count_refusal("failure"); });
    return {};
  }

  void stop(Duration grace) {
    listener_.stop(grace, {.taking_stopped = [this] { server_.end_subscriptions(); },
                           .closed = [this] { calls_.reset(); }});
  }

  std::uint16_t port() const { return listener_.port(); }

 private:
  const HttpOptions options_;
  Server& server_;
  http::Listener listener_;
  std::unique_ptr<CallQueue> calls_;
  std::unique_ptr<Endpoint> endpoint_;
};

HttpServer::HttpServer(std::unique_ptr<Life> life) : life_(std::move(life)) {}

HttpServer::~HttpServer() { stop(Duration::zero()); }

std::uint16_t HttpServer::port() const { return life_->port(); }

void HttpServer::stop(Duration grace) { life_->stop(grace); }

Result<std::unique_ptr<HttpServer>> HttpServer::start(HttpOptions options, Server& server,
                                                      Env& env) {
  try {
    auto life = std::make_unique<Life>(std::move(options), server);
    HELVE_TRY(life->start(env));
    return std::unique_ptr<HttpServer>(new HttpServer(std::move(life)));
  } catch (const std::exception& failure) {
    return Error{ErrorCode::Unavailable, fmt::format("cannot start: {}", failure.what()),
                 "the machine may be short of memory, threads or descriptors"};
  }
}

}  // namespace helve::mcp
