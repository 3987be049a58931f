// Answers of Chat Completions; the neighbour is chat.h.
#pragma once

#include <memory>

#include "agent/llm/wire.h"

namespace helve::llm {

// `pieces` outlives it.
std::unique_ptr<AnswerReader> read_chat_answer(Pieces& pieces);

}  // namespace helve::llm
