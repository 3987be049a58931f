// Calls of tools that may have to ask the user first: the client puts the question (elicitation),
// and only a clear yes counts. What is asked is for the toolkit to say.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "surfaces/mcp/server/turn.h"
#include "toolkit/tools/toolkit.h"

namespace helve::mcp {

// nullopt: the client is being asked, and the call comes again with its answer (Turn::ask()).
// Where the client cannot ask its user, the reply says what else there is.
std::optional<toolkit::CallOutcome> call_asking(toolkit::Toolkit& toolkit, const std::string& tool,
                                                const JsonValue& arguments, Turn& turn);

}  // namespace helve::mcp
