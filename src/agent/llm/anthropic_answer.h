// Answers of Anthropic Messages; the neighbour is anthropic.h.
#pragma once

#include <memory>

#include "agent/llm/wire.h"

namespace helve::llm {

// `pieces` outlives it.
std::unique_ptr<AnswerReader> read_anthropic_answer(Pieces& pieces);

}  // namespace helve::llm
