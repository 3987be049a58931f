// Chat Completions, as OpenAI defined it and vLLM, Ollama, llama.cpp and others speak it.
#pragma once

#include "agent/llm/wire.h"

namespace helve::llm {

const Wire& chat_wire();

}  // namespace helve::llm
