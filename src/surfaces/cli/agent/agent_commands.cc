#include "surfaces/cli/agent/agent_commands.h"

#include <memory>

#include "surfaces/cli/agent/sandbox_arguments.h"

namespace helve::cli {

ExtraCommands agent_commands() {
  return [arguments = std::make_shared<SandboxArguments>()](CLI::App& app, Command& chosen) {
    add_sandbox_command(app, *arguments, chosen);
  };
}

}  // namespace helve::cli
