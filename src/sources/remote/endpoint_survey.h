// What an endpoint holds: from its own VoID, or by counting where that is known to be cheap, or
// else from what it declares and a bounded sample. Never a scan of something large.
#pragma once

#include <string>
#include <vector>

#include "sources/graph_source.h"
#include "sources/remote/endpoint_client.h"

namespace helve::remote {

struct EndpointSurvey {
  GraphSchema schema;
  PrefixList prefixes;
  WallTime asked;
  // The time was short, or the endpoint was busy: some questions would be answered another time.
  bool is_partial = false;
  // Set where queries without FROM see less than the named graphs have, or graphs of the engine
  // itself: what they are asked of then.
  QueryDataset asked_graphs;
};

// Some ten small queries, each with a bounded share of the time. An endpoint that answers none of
// them is an error; what only some of them tell is left out and said in schema.origin.
tl::expected<EndpointSurvey, EndpointFailure> survey(EndpointClient& client, Env& env,
                                                     const OpContext& context);

}  // namespace helve::remote
