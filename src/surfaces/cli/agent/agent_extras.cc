#include "surfaces/cli/agent/agent_extras.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "agent/llm/model_config.h"
#include "surfaces/cli/agent/ask_arguments.h"
#include "surfaces/cli/agent/ask_session.h"
#include "surfaces/cli/agent/experiment_arguments.h"
#include "surfaces/cli/agent/judge_arguments.h"
#include "surfaces/cli/agent/learn_arguments.h"
#include "surfaces/cli/agent/sandbox_arguments.h"
#include "surfaces/cli/agent/tasks_arguments.h"
#include "surfaces/mcp/agent/ask_offer.h"
#include "surfaces/mcp/config/mcp_config.h"

namespace helve::cli {

namespace {

struct McpArguments {
  llm::ProviderWords model;
  std::string trajectories;  // folder; empty: none
  AgentOptions limits;       // of one run: nothing else of it is looked at
};

struct AgentArguments {
  AskArguments ask;
  JudgeArguments judge;
  LearnCommandOptions learn;
  SandboxArguments sandbox;
  ExperimentCommandOptions experiment;
  TaskSetOptions task_set;
  McpArguments mcp;
};

// [model] of the configuration.
Result<std::optional<llm::ModelConfig>> model_section(const mcp::McpConfig& config) {
  const JsonValue* const value =
      config.document != nullptr ? config.document->root.find("model") : nullptr;
  if (value == nullptr) return std::optional<llm::ModelConfig>();
  HELVE_ASSIGN(const auto section, TomlSection::open(*config.document, "/model", *value));
  HELVE_ASSIGN(auto read, llm::read_model_section(section, config.folder));
  return std::optional(std::move(read));
}

// Without a model of its own the server asks with that of a client that offers one.
// Where there is a word of one it must be whole: another model than the configured one is never
// asked in its place.
Result<std::shared_ptr<mcp::Offer>> make_offer(const McpArguments& arguments,
                                               toolkit::Toolkit& toolkit,
                                               const mcp::McpConfig& config,
                                               CommandContext& context) {
  mcp::AskOfferOptions options;
  HELVE_ASSIGN(const auto section, model_section(config));
  auto settings = llm::settle_provider(arguments.model, context.env, section ? &*section : nullptr);
  if (!settings && (section || llm::is_any_given(arguments.model))) {
    return std::move(settings).error();
  }
  if (settings) {
    HELVE_ASSIGN(options.model, llm::open_provider(*settings, context.env));
  } else {
    options.no_model = std::move(settings).error();
  }
  HELVE_TRY(read_limits(arguments.limits, options.limits));
  if (!arguments.trajectories.empty()) {
    HELVE_ASSIGN(options.trajectories,
                 agent::TrajectoryFolder::open({.path = arguments.trajectories}, context.env));
  }
  return mcp::make_ask_offer(toolkit, std::move(options));
}

}  // namespace

Extras agent_extras() {
  const auto arguments = std::make_shared<AgentArguments>();
  Extras extras;
  extras.commands = [arguments](CLI::App& app, Command& chosen) {
    add_ask_commands(app, arguments->ask, chosen);
    add_trajectory_command(app, arguments->ask, chosen);
    add_experiment_command(app, arguments->experiment, chosen);
    add_learn_command(app, arguments->learn, chosen);
    add_judge_commands(app, arguments->judge, chosen);
    add_sandbox_command(app, arguments->sandbox, chosen);
    CLI::App& mcp = *app.get_subcommand("mcp");
    add_model_options(mcp, arguments->mcp.model);
    add_run_limits(mcp, arguments->mcp.limits, "--ask-");
    mcp.add_option("--trajectories", arguments->mcp.trajectories,
                   "Folder that gets a file for each run of the tool ask; the latest 1,000 stay");
    add_task_set_commands(*app.get_subcommand("tasks"), arguments->task_set, chosen);
  };
  extras.mcp_offer = [arguments](toolkit::Toolkit& toolkit, const mcp::McpConfig& config,
                                 CommandContext& context) {
    return make_offer(arguments->mcp, toolkit, config, context);
  };
  return extras;
}

}  // namespace helve::cli
