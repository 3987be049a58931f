#include "surfaces/serve/sparql_server.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "surfaces/http/listener.h"
#include "surfaces/serve/endpoint.h"

namespace helve::serve {

namespace {

Result<http::Guard> bind(http::Listener& listener, const ServeOptions& options) {
  HELVE_TRY(listener.bind(options.host, options.port, !options.token.empty(),
                          "give a bearer token (--token env:NAME)"));
  http::GuardOptions guard;
  guard.allowed_hosts = options.allowed_hosts;
  guard.allowed_origins = options.cors_origins;
  if (!options.token.empty()) guard.tokens.push_back(options.token);
  if (!options.write_token.empty()) guard.tokens.push_back(options.write_token);
  return listener.make_guard(std::move(guard));
}

Result<void> check_writing(const ServeOptions& options, bool is_writable) {
  if (!is_writable || !options.token.empty() || !options.write_token.empty()) return {};
  return Error{ErrorCode::Denied, "a server that can be written needs a bearer token",
               "give one to those who may write (--write-token env:NAME), or to all who may ask "
               "(--token env:NAME)"};
}

// Sockets and threads throw where the machine has no more of them.
template <typename Make>
auto without_exceptions(Make make) -> decltype(make()) {
  try {
    return make();
  } catch (const std::exception& failure) {
    return Error{ErrorCode::Unavailable, fmt::format("cannot start: {}", failure.what()),
                 "the machine may be short of memory, threads or descriptors"};
  }
}

}  // namespace

// The listener, the endpoint, and the workers behind it.
class SparqlServer::Life {
 public:
  Life(ServeOptions options, ServedGraph graph)
      : options_(std::move(options)), graph_(std::move(graph)) {}

  Result<void> start() {
    HELVE_TRY(check_writing(options_, graph_.is_writable()));
    HELVE_ASSIGN(http::Guard guard, bind(listener_, options_));
    workers_ = std::make_unique<Executor>(options_.queries_max, options_.queries_max);
    endpoint_ =
        std::make_unique<Endpoint>(options_, graph_, std::move(guard), listener_.loop(), *workers_);
    listener_.start(*endpoint_, [] {});
    return {};
  }

  void stop(Duration grace) {
    listener_.stop(grace, {.taking_stopped = {}, .closed = [this] { workers_.reset(); }});
  }

  std::uint16_t port() const { return listener_.port(); }

 private:
  const ServeOptions options_;
  const ServedGraph graph_;
  http::Listener listener_;
  std::unique_ptr<Executor> workers_;
  std::unique_ptr<Endpoint> endpoint_;
};

SparqlServer::SparqlServer(std::unique_ptr<Life> life) : life_(std::move(life)) {}

SparqlServer::~SparqlServer() { stop(Duration::zero()); }

std::uint16_t SparqlServer::port() const { return life_->port(); }

void SparqlServer::stop(Duration grace) { life_->stop(grace); }

Result<std::unique_ptr<SparqlServer>> SparqlServer::start(ServeOptions options, ServedGraph graph) {
  return without_exceptions([&]() -> Result<std::unique_ptr<SparqlServer>> {
    auto life = std::make_unique<Life>(std::move(options), std::move(graph));
    HELVE_TRY(life->start());
    return std::unique_ptr<SparqlServer>(new SparqlServer(std::move(life)));
  });
}

Result<void> SparqlServer::check(const ServeOptions& options, bool is_writable) {
  return without_exceptions([&]() -> Result<void> {
    HELVE_TRY(check_writing(options, is_writable));
    http::Listener listener;
    HELVE_TRY(bind(listener, options));
    return {};
  });
}

}  // namespace helve::serve
