// The words of an experiment: what its folder keeps of them, and the command that does it again.
#pragma once

#include <string>

#include "agent/experiment/plan.h"
#include "base/json.h"
#include "surfaces/cli/agent/experiment_command.h"

namespace helve::cli {

std::string joined(const std::vector<std::string>& words);
std::vector<std::string> ids_of(const std::vector<agent::CellPlan>& cells);

// For experiment.json: what --replay needs, and who adds to the folder.
JsonValue words_of(const ExperimentCommandOptions& options,
                   const std::vector<agent::CellPlan>& cells);

// What the folder was asked for before and is asked for now, together: cells, task sets, and the
// larger number of repeats. InvalidInput where tasks were chosen otherwise, or of other sources.
Result<ExperimentCommandOptions> joined_with_folder(const ExperimentCommandOptions& options,
                                                    CommandContext& context);

// What the experiment was run with; cells, tasks and sources of the command line win.
Result<ExperimentCommandOptions> recorded_options(const ExperimentCommandOptions& options,
                                                  CommandContext& context);

// For a shell, with all that decides the results; without secrets.
std::string command_of(const ExperimentCommandOptions& options);

}  // namespace helve::cli
