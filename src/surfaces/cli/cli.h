// The command line: arguments in, exit status out. program/ is all that is above it.
#pragma once

#include <functional>

#include "base/result.h"

namespace CLI {
class App;
}

namespace helve::cli {

struct CommandContext;

// Adds the commands of layers that not every build has; `chosen` becomes the one that was called.
// It keeps what its commands need.
using ExtraCommands =
    std::function<void(CLI::App& app, std::function<Result<void>(CommandContext&)>& chosen)>;

// Exit status: 0, or the value of the ErrorCode.
int run(int argc, const char* const* argv, const ExtraCommands& extra = {});

}  // namespace helve::cli
