// RemoteGraph: a SPARQL endpoint as the tools see any graph.
#pragma once

#include <memory>

#include "base/env.h"
#include "sources/graph_source.h"
#include "sources/remote/endpoint_client.h"

namespace helve::remote {

// Connects to nothing yet. `env` and what it names outlive it.
Result<std::shared_ptr<const GraphSource>> make_remote_graph(EndpointOptions options,
                                                             SourceInfo info, Env& env,
                                                             std::shared_ptr<HostGates> gates);

}  // namespace helve::remote
