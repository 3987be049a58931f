// Opening SPARQL endpoints by their addresses, for all surfaces. open_graph.h does it for local
// graphs, open_tables.h for databases.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/env.h"
#include "base/result.h"
#include "sources/graph_source.h"
#include "sources/sparql/engine/service.h"
#include "surfaces/opening/secret.h"

namespace helve::opening {

// http://... or https://...
bool is_endpoint_uri(std::string_view uri);

struct EndpointInput {
  std::string name;
  std::string uri;
  std::string description;
  std::string program;      // "helve 0.1.0": says who asks
  Environment environment;  // for the proxy and for who asks (HELVE_CONTACT)
};

// Connects to nothing yet. InvalidInput for what is no address, or has a password in it. An address
// that is written as one of this machine or its network may be asked; a name that leads there may
// not.
Result<std::shared_ptr<const GraphSource>> open_endpoint(const EndpointInput& input, Env& env);

// Who answers SERVICE in queries on local graphs, where a policy allows it.
std::shared_ptr<sparql::ServiceResolver> shared_services(Env& env);

}  // namespace helve::opening
