// Task sets as JSON: one document, or a task on each line. Strict: what is written wrongly is never
// passed over.
#pragma once

#include <cstddef>
#include <string_view>

#include "agent/tasks/task_set.h"
#include "base/limits.h"

namespace helve::agent {

struct TaskLimits {
  std::size_t file_bytes_max = 16 * kMiB;
  std::size_t tasks_max = 50'000;
  std::size_t id_chars_max = 200;
  std::size_t question_chars_max = 4'000;
  std::size_t reference_chars_max = 64UL * 1024;
  std::size_t keywords_max = 32;
  std::size_t keyword_chars_max = 100;
  std::size_t prefixes_max = 200;
  std::size_t depth_max = 16;          // of JSON
  std::size_t values_max = 2'000'000;  // of JSON
};

// `document` is for errors; `name` that of a set that has none. Both without digest. InvalidInput
// with line and column where the text is no JSON; else with the task and its member, and of lines
// the line.
Result<TaskSet> parse_task_document(std::string_view text, const std::string& document,
                                    std::string name, const TaskLimits& limits,
                                    const OpContext& context);
Result<TaskSet> parse_task_lines(std::string_view text, const std::string& document,
                                 std::string name, const TaskLimits& limits,
                                 const OpContext& context);

}  // namespace helve::agent
