// Anthropic Messages: https://docs.anthropic.com/en/api/messages.
#pragma once

#include "agent/llm/wire.h"

namespace helve::llm {

// System, tools and the last message are marked for the cache; the mark of the last message is all
// that a longer conversation has elsewhere.
const Wire& anthropic_wire();

}  // namespace helve::llm
