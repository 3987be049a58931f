// helve experiment: tasks under several conditions, compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "surfaces/cli/agent/ask_command.h"
#include "surfaces/cli/command.h"

namespace helve::cli {

struct ExperimentCommandOptions {
  std::vector<std::string> cells;  // "E1,E7", "all"
  std::vector<std::string> tasks;  // as read_task_set() takes them
  std::vector<std::string> only;   // of their tasks: ids, levels, keywords
  std::size_t tasks_max = 0;       // of each set; 0: all
  AgentOptions agent;              // sources, model, loop, limits of one run
  std::size_t repeats = 3;
  std::uint64_t seed = 1;
  std::size_t parallel = 0;
  std::size_t rollouts = 3;
  std::uint64_t bank_max = 20;
  std::string guide;                // file
  std::string seed_bank;            // file
  std::string extraction = "auto";  // or "model", "patterns"
  std::optional<std::uint64_t> total_tokens;
  std::optional<double> total_cost;
  std::string total_time;
  std::string out;     // folder
  std::string replay;  // folder of before: run again without the model
  bool retries_failed = false;
  bool is_json = false;
  // What E8 begins with in the folder, as experiment.json has it; empty: as the cells say.
  std::string memory_bank;
};

// What was asked for is done when it returns: LimitExceeded where a budget ended it, Cancelled,
// Unavailable where a cell failed; either way the same command goes on. Of a replay, InvalidInput
// where a judged result is not what it was.
Result<void> run_experiment_command(const ExperimentCommandOptions& options,
                                    CommandContext& context);

}  // namespace helve::cli
