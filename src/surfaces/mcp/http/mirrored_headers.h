// The headers in which modern clients repeat parts of a request, so that proxies need not read the
// body. They must say the same as the body does.
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "surfaces/mcp/http/wire.h"
#include "surfaces/mcp/rpc/message.h"
#include "surfaces/mcp/server/offer.h"

namespace helve::mcp {

inline constexpr std::string_view kVersionHeader = "MCP-Protocol-Version";

// The value, out of "=?base64?...?=" where it is so wrapped; nullopt: it has characters that no
// value may have, or is wrapped wrongly.
std::optional<std::string> decode_header_value(std::string_view value);

using HeaderParameters = std::function<std::vector<HeaderParameter>(std::string_view tool)>;

// What is wrong with the headers of a request that names `version` in its body. Nothing beyond the
// version is looked at where that one is not spoken: the server refuses it anyway.
std::optional<RpcError> check_mirrored_headers(const WebFields& fields, const Request& request,
                                               std::string_view version,
                                               const HeaderParameters& parameters_of);

}  // namespace helve::mcp
