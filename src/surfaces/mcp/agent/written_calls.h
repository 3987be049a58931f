// Calls of tools that a model has written into its text, as JSON: for clients whose models are
// given no tools. The neighbour of sampling_messages.h.
#pragma once

#include <string>
#include <vector>

#include "agent/llm/provider.h"
#include "base/result.h"

namespace helve::mcp {

// How the tools are told to such a model; empty where there are none.
std::string told_tools(const std::vector<llm::ToolDeclaration>& tools);

// Calls as the model should have written them.
std::string written_calls(const std::vector<llm::ToolUse>& calls);

// Takes the calls out of the text of an answer, with all that stands behind the first: objects, or
// arrays of them, that begin a line, in fences or not. Other JSON stays text. LimitExceeded for
// more calls than an answer may have.
Result<void> take_written_calls(llm::Answer& answer);

}  // namespace helve::mcp
