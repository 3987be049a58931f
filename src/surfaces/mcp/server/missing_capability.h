// What a client must have declared before it can be asked something.
#pragma once

#include <optional>
#include <vector>

#include "surfaces/mcp/rpc/message.h"
#include "surfaces/mcp/server/turn.h"

namespace helve::mcp {

// Whether the client puts forms before its user. One that says no more than "elicitation" does; one
// that names URLs alone does not.
bool takes_forms(const Turn& turn);

// The error for a client that has not declared all that these requests need; nullopt: it has.
std::optional<RpcError> missing_capability(const std::vector<InputRequest>& requests,
                                           const Turn& turn);

}  // namespace helve::mcp
