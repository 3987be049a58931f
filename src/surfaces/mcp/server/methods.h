// The methods that answer from what the server offers: lists, calls, reading, prompts, completion.
// Connection has those that are about the client itself.
#pragma once

#include <string>
#include <string_view>

#include "surfaces/mcp/server/call_turn.h"

namespace helve::mcp {

bool is_offer_method(std::string_view method);
// May take long.
bool is_long_method(std::string_view method);
// tools/call, resources/read, prompts/get: the client may be asked in between.
bool is_asking_method(std::string_view method);

// The whole result as text of a JSON object, as the revision wants it.
Outcome run_method(std::string_view method, const JsonValue& params, CallTurn& turn,
                   SharedState& shared);

// Capabilities, as members of a JSON object in braces.
std::string capabilities_json();
// {"name":...,"version":...}
std::string server_info_json(const ServerOptions& options, Revision revision);
// Adds what the revision wants to the members of a result.
std::string complete_result(std::string_view members, const ServerOptions& options,
                            Revision revision, std::string_view type = "complete");
// The text member of params; an error where it is none.
std::variant<std::string, RpcError> text_param(const JsonValue& params, std::string_view name);

}  // namespace helve::mcp
