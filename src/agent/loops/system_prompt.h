// The system prompt of a run. The same request gives the same bytes, whatever happened before.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/loops/agent_run.h"

namespace helve::agent {

// Instructions, context (empty: it is given otherwise), hints, and last what holds for all data.
std::string system_prompt(std::string_view instructions, std::string_view context,
                          const RunRequest& request);

// What is known of the source: the layers, and the summary of the caller.
std::string context_text(const RunRequest& request);

// The user's turn: the question.
std::string question_text(const RunRequest& request);

// Turns before the question; what is no text of user or assistant is left out.
std::vector<llm::Message> history_of(const RunRequest& request);

// Turns as [{role, text}].
JsonValue history_json(const std::vector<llm::Message>& turns);

}  // namespace helve::agent
