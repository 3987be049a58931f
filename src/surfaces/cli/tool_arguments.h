// The arguments of call, tools, explore, source and policy.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "surfaces/cli/command.h"
#include "surfaces/cli/policy_command.h"
#include "surfaces/cli/source_command.h"
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

struct BenchToolsOptions {
  ToolSessionOptions session;
  std::string calls;  // file with a call as JSON on each line
};

struct ToolArguments {
  CallOptions call;
  ToolsOptions tools;
  ExploreOptions explore;
  SourceOptions source;
  PolicyCheckOptions policy_check;
  PolicyTestOptions policy_test;
  BenchToolsOptions bench;
};

// CLI11 would take "[1, 2]" apart: after the words `call` and `policy` such words get a blank in
// front, which run_call removes. In the order that CLI11 wants, the last first.
std::vector<std::string> words_for_parser(int argc, const char* const* argv);

// --session, --policy, --caller and what else a session of tools can be told, but its sources.
void add_session_options(CLI::App& command, ToolSessionOptions& options);

void add_tool_commands(CLI::App& app, ToolArguments& arguments, Command& chosen);

// Calls a tool; an error reply is the command's failure, with its code.
Result<void> run_call(const CallOptions& options, CommandContext& context);
Result<void> run_tools(const ToolsOptions& options, CommandContext& context);
// A prompt that offers the tools; without a terminal, lines of standard input.
Result<void> run_explore(const ExploreOptions& options, CommandContext& context);

// Calls tools one after the other and reports how long each call took, as lines of JSON; what
// bench/ measures.
Result<void> run_bench_tools(const BenchToolsOptions& options, CommandContext& context);

// Writes a reply: data to standard output, an error as a warning.
Result<void> show_outcome(const toolkit::CallOutcome& outcome, bool is_json,
                          CommandContext& context);

}  // namespace helve::cli
