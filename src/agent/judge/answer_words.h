// Words of an answer: what its cells say, so that lessons can be kept from telling it.
#pragma once

#include <string>
#include <vector>

#include "agent/judge/judged_query.h"

namespace helve::agent {

// Values of its first cells, different ones: texts, numbers, IRIs whole and by their last part.
// Neither truths nor blank nodes nor predicates of a graph, and nothing long.
void add_answer_words(const JudgedResult& result, std::vector<std::string>& words);

}  // namespace helve::agent
