// Procedures of the context (L2), examples of guides (L3) and items of a memory, read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/llm/rules/knowledge.h"

namespace helve::llm::rules {

// The layer's text; quoted lines begin with "> ".
std::vector<Lesson> read_lessons(std::string_view text);
// Sections "### question" with a query behind.
std::vector<Lesson> read_examples(std::string_view text);
// Of one item: its content, with "\n" written as such.
Lesson read_item(std::string_view title, std::string_view source, std::string_view content);

}  // namespace helve::llm::rules
