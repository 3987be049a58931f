#include "surfaces/cli/agent/agent_commands.h"

namespace helve::cli {

ExtraCommands agent_commands() { return {}; }

}  // namespace helve::cli
