// RemoteServices: answers SERVICE by asking the endpoint that is named. Which may be named is the
// matter of policies, before the query is run: what gets here was allowed by name. So an address
// that is written as one of this machine or its network is asked; a name that leads there is not.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/env.h"
#include "sources/remote/endpoint_client.h"
#include "sources/sparql/engine/service.h"

namespace helve::remote {

struct ServiceOptions {
  std::string user_agent = "helve";
  std::uint64_t rows_max = 100'000;  // of one answer
  std::size_t endpoints_max = 100;   // that are ever asked
  HostLimits host;
};

// Thread-safe. `env` outlives it.
class RemoteServices final : public sparql::ServiceResolver {
 public:
  RemoteServices(ServiceOptions options, Env& env, std::shared_ptr<HostGates> gates);

  Result<void> check(const std::string& endpoint) override;
  // LimitExceeded where the answer has more rows than `rows_max`, where the server left some out
  // or may have done so, and for one endpoint more than `endpoints_max`.
  Result<sparql::SolutionTable> ask(const std::string& endpoint, const sparql::Pattern& pattern,
                                    const OpContext& context) override;

 private:
  Result<EndpointClient*> client_of(const std::string& endpoint);

  ServiceOptions options_;
  Env& env_;
  std::shared_ptr<HostGates> gates_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<EndpointClient>, std::less<>> clients_;
};

}  // namespace helve::remote
