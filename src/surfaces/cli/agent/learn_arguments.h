// The arguments of helve learn.
#pragma once

#include <CLI/CLI.hpp>

#include "surfaces/cli/agent/learn_command.h"
#include "surfaces/cli/store_arguments.h"

namespace helve::cli {

// Everything must outlive the parsing; `chosen` becomes the command that was called.
void add_learn_command(CLI::App& app, LearnCommandOptions& options, Command& chosen);

}  // namespace helve::cli
