// helve tasks list, show, check: sets of tasks that agents are run on and judged by. `helve tasks
// PATH` (tasks_command.cc) has figures of folders of examples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/tasks/task_set.h"
#include "surfaces/cli/command.h"

namespace helve::cli {

struct TaskSetOptions {
  std::string set;                 // as read_task_set() takes it; empty: those of the program
  std::vector<std::string> words;  // as choose_tasks() takes them
  std::size_t listed_max = 100;
  std::string source;  // of check; empty: that of the set
  bool is_json = false;
};

Result<void> run_tasks_list(const TaskSetOptions& options, CommandContext& context);
Result<void> run_tasks_show(const TaskSetOptions& options, CommandContext& context);
// Runs the references one after the other. InvalidInput where one fails.
Result<void> run_tasks_check(const TaskSetOptions& options, CommandContext& context);

// The tasks that are meant.
Result<agent::TaskSet> read_chosen_tasks(const TaskSetOptions& options, CommandContext& context);

}  // namespace helve::cli
