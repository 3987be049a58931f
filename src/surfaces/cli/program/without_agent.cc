#include "surfaces/cli/program/extra_commands.h"

namespace helve::cli {

ExtraCommands extra_commands() { return {}; }

}  // namespace helve::cli
