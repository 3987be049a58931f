#include "surfaces/cli/agent/agent_extras.h"

#include <memory>

#include "surfaces/cli/agent/ask_arguments.h"
#include "surfaces/cli/agent/experiment_arguments.h"
#include "surfaces/cli/agent/sandbox_arguments.h"
#include "surfaces/cli/agent/tasks_arguments.h"
#include "surfaces/mcp/agent/ask_offer.h"

namespace helve::cli {

namespace {

struct AgentArguments {
  AskArguments ask;
  SandboxArguments sandbox;
  ExperimentCommandOptions experiment;
  TaskSetOptions task_set;
  llm::ProviderWords mcp_model;
};

// Without a model of its own the server asks with that of a client that offers one.
Result<std::shared_ptr<mcp::Offer>> make_offer(const llm::ProviderWords& words,
                                               toolkit::Toolkit& toolkit, CommandContext& context) {
  mcp::AskOfferOptions options;
  const auto settings = llm::settle_provider(words, context.env);
  const bool is_wanted = !words.provider.empty() || !words.model.empty();
  if (!settings && (is_wanted || settings.error().code != ErrorCode::NotFound)) {
    return settings.error();
  }
  if (settings) {
    HELVE_ASSIGN(options.model, llm::open_provider(*settings, context.env));
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
    add_sandbox_command(app, arguments->sandbox, chosen);
    add_model_options(*app.get_subcommand("mcp"), arguments->mcp_model);
    add_task_set_commands(*app.get_subcommand("tasks"), arguments->task_set, chosen);
  };
  extras.mcp_offer = [arguments](toolkit::Toolkit& toolkit, CommandContext& context) {
    return make_offer(arguments->mcp_model, toolkit, context);
  };
  return extras;
}

}  // namespace helve::cli
