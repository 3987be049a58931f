// The query that a run rests on, as toolkit/learning wants it.
#pragma once

#include <string_view>

#include "agent/learn/extraction.h"
#include "toolkit/learning/extract.h"
#include "toolkit/learning/generalise.h"

namespace helve::agent {

// Errors: those of the parser.
Result<learning::QueryPattern> pattern_of(std::string_view query, const TaskCase& task,
                                          const LessonOrigin& origin);

learning::Executed executed_of(const JudgedRun& run, const TaskCase& task,
                               const LessonOrigin& origin);

}  // namespace helve::agent
