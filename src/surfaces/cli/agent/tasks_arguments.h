// The arguments of helve tasks list, show and check.
#pragma once

#include <CLI/CLI.hpp>

#include "surfaces/cli/agent/task_set_command.h"
#include "surfaces/cli/store_arguments.h"

namespace helve::cli {

// Beside what `helve tasks PATH` is already. Everything must outlive the parsing; `chosen` becomes
// the command that was called.
void add_task_set_commands(CLI::App& tasks, TaskSetOptions& options, Command& chosen);

}  // namespace helve::cli
