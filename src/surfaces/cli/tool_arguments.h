// The arguments of call, tools and explore.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "surfaces/cli/command.h"
#include "surfaces/cli/store_arguments.h"
#include "surfaces/cli/tool_session.h"

namespace helve::cli {

struct CallOptions {
  ToolSessionOptions session;
  std::vector<std::string> words;  // TOOL and its arguments
  bool is_json = false;
};

struct ToolsOptions {
  std::string category;
  bool is_verbose = false;
  bool is_json = false;
};

struct ExploreOptions {
  ToolSessionOptions session;
  bool is_json = false;
};

struct ToolArguments {
  CallOptions call;
  ToolsOptions tools;
  ExploreOptions explore;
};

void add_tool_commands(CLI::App& app, ToolArguments& arguments, Command& chosen);

// Calls a tool; an error reply is the command's failure, with its code.
Result<void> run_call(const CallOptions& options, CommandContext& context);
Result<void> run_tools(const ToolsOptions& options, CommandContext& context);
// A prompt that offers the tools; without a terminal, lines of standard input.
Result<void> run_explore(const ExploreOptions& options, CommandContext& context);

// Writes a reply: data to standard output, an error as a warning.
Result<void> show_outcome(const toolkit::CallOutcome& outcome, bool is_json,
                          CommandContext& context);

}  // namespace helve::cli
