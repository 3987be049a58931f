// OpenAI Responses: https://platform.openai.com/docs/api-reference/responses.
#pragma once

#include "agent/llm/wire.h"

namespace helve::llm {

// Nothing is stored at the server: reasoning goes back and forth encrypted.
const Wire& responses_wire();

}  // namespace helve::llm
