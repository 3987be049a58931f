// helve ask --dry-run: what a model would be sent first, and how much that is.
#pragma once

#include <string>

#include "surfaces/cli/agent/ask_command.h"

namespace helve::cli {

// No model need be configured, and none is asked; nothing is recorded.
Result<void> show_dry_run(const AskOptions& options, const std::string& question,
                          CommandContext& context);

}  // namespace helve::cli
