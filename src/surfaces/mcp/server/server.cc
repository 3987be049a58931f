#include "surfaces/mcp/server/server.h"

#include "surfaces/mcp/server/methods.h"
#include "surfaces/mcp/server/shared_state.h"

namespace helve::mcp {

Server::Server(ServerOptions options, std::vector<std::shared_ptr<Offer>> offers, Env& env,
               Executor* executor)
    : shared_(std::make_unique<SharedState>(std::move(options), std::move(offers), env, executor)) {
}

Server::~Server() = default;

void Server::resource_updated(std::string_view uri) { shared_->subscriptions.updated(uri); }

void Server::end_subscriptions() {
  shared_->subscriptions.end_all(server_info_json(shared_->options, kRevisions.front()));
}

Metrics& Server::metrics() { return shared_->metrics; }

Random& Server::random() { return shared_->env.random(); }

const Limits& Server::limits() const { return shared_->options.limits; }

std::vector<HeaderParameter> Server::header_parameters(std::string_view tool) const {
  for (const auto& offer : shared_->offers) {
    auto parameters = offer->header_parameters(tool);
    if (!parameters.empty()) return parameters;
  }
  return {};
}

}  // namespace helve::mcp
