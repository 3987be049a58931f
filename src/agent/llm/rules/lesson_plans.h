// Queries from what was learnt before: patterns whose slots are filled with words of the question.
#pragma once

#include <string>
#include <vector>

#include "agent/llm/rules/knowledge.h"
#include "agent/llm/rules/mentions.h"

namespace helve::llm::rules {

// What may go into slots, in the order of the question; things as queries write them.
struct SlotValues {
  std::vector<std::string> things;
  std::vector<std::string> texts;
  std::vector<std::string> numbers;
};

// Queries of lessons and examples that fit the question, the best first.
std::vector<std::string> lesson_queries(const Question& question,
                                        const std::vector<Mention>& mentions,
                                        const SlotValues& values, const Knowledge& known);

// Names and clauses of a query without its constants: what a lesson warns of.
std::string shape_of(const std::string& query, const Knowledge& known);

bool is_warned_of(const std::string& query, const Knowledge& known);

// A property that examples use for a word such as "larger"; empty: none does.
std::string property_for(std::string_view word, const Knowledge& known);

}  // namespace helve::llm::rules
