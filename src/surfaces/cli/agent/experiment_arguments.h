// The arguments of helve experiment.
#pragma once

#include <CLI/CLI.hpp>

#include "surfaces/cli/agent/experiment_command.h"
#include "surfaces/cli/store_arguments.h"

namespace helve::cli {

// Everything must outlive the parsing; `chosen` becomes the command that was called.
void add_experiment_command(CLI::App& app, ExperimentCommandOptions& options, Command& chosen);

}  // namespace helve::cli
