#include "surfaces/cli/agent/agent_commands.h"
#include "surfaces/cli/program/extra_commands.h"

namespace helve::cli {

ExtraCommands extra_commands() { return agent_commands(); }

}  // namespace helve::cli
