// RemoteGraph: a SPARQL endpoint as the tools see any graph.
#pragma once

#include <memory>

#include "base/env.h"
#include "sources/graph_source.h"
#include "sources/remote/endpoint_client.h"
#include "sources/remote/endpoint_knowledge.h"

namespace helve::remote {

// Connects to nothing yet. `env` outlives it. What it learns goes into `knowledge`.
std::shared_ptr<const GraphSource> make_remote_graph(std::shared_ptr<EndpointClient> client,
                                                     std::shared_ptr<EndpointKnowledge> knowledge,
                                                     SourceInfo info, Env& env);

}  // namespace helve::remote
