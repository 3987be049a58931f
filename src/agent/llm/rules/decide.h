// One step of the agent: from the conversation so far to calls, the last of them submit.
#pragma once

#include <cstdint>

#include "agent/llm/provider.h"

namespace helve::llm::rules {

// Answers of ours until there is an end, found or not.
inline constexpr std::size_t kStepsMax = 9;

// Without usage. The same request and seed give the same answer.
Answer decide(const Request& request, std::uint64_t seed);

}  // namespace helve::llm::rules
