// What a client must have declared before it can be asked something.
#pragma once

#include <optional>
#include <vector>

#include "surfaces/mcp/rpc/message.h"
#include "surfaces/mcp/server/turn.h"

namespace helve::mcp {

// The error for a client that has not declared all that these requests need; nullopt: it has.
std::optional<RpcError> missing_capability(const std::vector<InputRequest>& requests,
                                           const Turn& turn);

}  // namespace helve::mcp
