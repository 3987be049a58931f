// The arguments of helve ask, helve chat and helve trajectory.
#pragma once

#include <CLI/CLI.hpp>

#include "surfaces/cli/agent/ask_command.h"
#include "surfaces/cli/agent/trajectory_command.h"
#include "surfaces/cli/store_arguments.h"

namespace helve::cli {

struct AskArguments {
  AskOptions ask;
  ChatOptions chat;
  TrajectoryOptions trajectory;
  ReplayOptions replay;
};

// Everything must outlive the parsing; `chosen` becomes the command that was called.
void add_ask_commands(CLI::App& app, AskArguments& arguments, Command& chosen);
void add_trajectory_command(CLI::App& app, AskArguments& arguments, Command& chosen);

// All that commands have in common which ask a model.
void add_agent_options(CLI::App& command, AgentOptions& options);
// --run.
void add_run_choice(CLI::App& command, TrajectoryOptions& options);
// --source.
void add_source_option(CLI::App& command, ToolSessionOptions& session);
// Limits of a run; the prefix is for commands where they are not the main thing.
void add_run_limits(CLI::App& command, AgentOptions& options, const std::string& prefix = "--");
// --provider, --model, --url, --key, --prices, --model-config.
void add_model_options(CLI::App& command, llm::ProviderWords& words);

}  // namespace helve::cli
