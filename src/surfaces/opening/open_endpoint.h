// Opening SPARQL endpoints by their addresses, for all surfaces. open_graph.h does it for local
// graphs, open_tables.h for databases.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/env.h"
#include "base/result.h"
#include "sources/graph_source.h"
#include "sources/remote/endpoint_client.h"
#include "sources/remote/endpoint_knowledge.h"
#include "sources/sparql/engine/service.h"
#include "surfaces/opening/endpoint_registry.h"
#include "surfaces/opening/endpoint_settings.h"
#include "surfaces/opening/secret.h"

namespace helve::opening {

// http://... or https://...
bool is_endpoint_uri(std::string_view uri);

struct EndpointInput {
  std::string name;
  std::string uri;
  std::string description;
  std::string program;      // "helve 0.1.0": says who asks
  Environment environment;  // for the proxy, secrets, and who asks (HELVE_CONTACT)
  EndpointSettings settings;
  std::filesystem::path folder;    // that files of the settings are relative to
  std::filesystem::path profiles;  // where what is learnt is kept; empty: nowhere
  bool stays_at_origin = false;    // HttpReach: a policy allows this address alone
};

struct OpenedEndpoint {
  std::shared_ptr<remote::EndpointClient> client;
  std::shared_ptr<remote::EndpointKnowledge> knowledge;
  std::shared_ptr<const GraphSource> graph;
};

// Connects to nothing yet. InvalidInput for what is no address, or has a password in it; errors of
// secrets and files that the settings name. An address that is written as one of this machine or
// its network may be asked; a name that leads there only where the settings allow it.
Result<OpenedEndpoint> open_endpoint(const EndpointInput& input, Env& env);
// An endpoint of the registry, kept where the user's are.
EndpointInput input_of(const NamedEndpoint& endpoint, std::string program,
                       const Environment& environment);

struct ServiceInput {
  std::string program;  // likewise
  Environment environment;
  // Endpoints of the registry are asked by SERVICE as their settings say; empty: nobody's.
  EndpointFolders folders;
};

// Who answers SERVICE in queries on local graphs, where a policy allows it. An endpoint is asked as
// a source of the same address would be. Settings, secrets among them, are those of the first of
// the registry by name that has this very address: one that is spelt otherwise is another's.
std::shared_ptr<sparql::ServiceResolver> shared_services(ServiceInput input, Env& env);

}  // namespace helve::opening
