// The part of knowledge.h that is about databases: tables, columns and keys.
#pragma once

#include <string_view>

#include "agent/llm/rules/knowledge.h"

namespace helve::llm::rules {

// A line of the layers.
void read_table_line(std::string_view line, Knowledge& known);
// A reply of schema_inspect: the tables, or one of them.
void learn_tables(const ToolReply& reply, Knowledge& known);

}  // namespace helve::llm::rules
