// RemoteServices: answers SERVICE by asking the endpoint that is named. Which may be named is the
// matter of policies, before the query is run: what gets here was allowed by name. So an address
// that is written as one of this machine or its network is asked; a name that leads there is not.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "sources/remote/endpoint_client.h"
#include "sources/sparql/engine/service.h"

namespace helve::remote {

struct ServiceOptions {
  std::uint64_t rows_max = 100'000;  // of one answer
  std::size_t endpoints_max = 100;   // that are ever asked
};

// Who asks an endpoint, by its address: called once for each.
using ServiceClients =
    std::function<Result<std::shared_ptr<EndpointClient>>(const std::string& endpoint)>;

// Thread-safe.
class RemoteServices final : public sparql::ServiceResolver {
 public:
  explicit RemoteServices(ServiceClients make_client, ServiceOptions options = {})
      : make_client_(std::move(make_client)), options_(options) {}

  Result<void> check(const std::string& endpoint) override;
  // LimitExceeded where the answer has more rows than `rows_max`, where the server left some out
  // or may have done so, and for one endpoint more than `endpoints_max`.
  Result<sparql::SolutionTable> ask(const std::string& endpoint, const sparql::Pattern& pattern,
                                    const OpContext& context) override;

 private:
  Result<EndpointClient*> client_of(const std::string& endpoint);

  ServiceClients make_client_;
  ServiceOptions options_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<EndpointClient>, std::less<>> clients_;
};

}  // namespace helve::remote
