// Conversations as sampling/createMessage takes and gives them. Clients that know tools
// (sampling.tools) get them as such; for others they are told of in words, and calls are read from
// what the model writes.
#pragma once

#include <string>

#include "agent/llm/provider.h"
#include "base/json.h"

namespace helve::mcp {

// The params of the request.
JsonValue sampling_params(const llm::Request& request, bool has_tools);

// The answer of its result, which is the client's and may be anything. Calls that have no id
// get one. InvalidInput where there is no content.
Result<llm::Answer> read_sampled(const JsonValue& result, const llm::Request& request,
                                 bool has_tools);

}  // namespace helve::mcp
