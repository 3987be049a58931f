// Answers of OpenAI Responses; the neighbour is responses.h.
#pragma once

#include <memory>
#include <string>

#include "agent/llm/wire.h"
#include "base/json.h"

namespace helve::llm {

// `pieces` outlives it.
std::unique_ptr<AnswerReader> read_responses_answer(Pieces& pieces);

// What the messages among the items say, refusals too.
std::string text_of_items(const JsonValue::Array& items);

}  // namespace helve::llm
