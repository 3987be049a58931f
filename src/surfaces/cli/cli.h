// The command line: arguments in, exit status out. program/ is all that is above it.
#pragma once

#include <functional>
#include <memory>

#include "base/result.h"

namespace CLI {
class App;
}
namespace helve::mcp {
struct McpConfig;
class Offer;
}  // namespace helve::mcp
namespace helve::toolkit {
class Toolkit;
}

namespace helve::cli {

struct CommandContext;

// Adds the commands of layers that not every build has; `chosen` becomes the one that was called.
// It keeps what its commands need.
using ExtraCommands =
    std::function<void(CLI::App& app, std::function<Result<void>(CommandContext&)>& chosen)>;

// What `helve mcp` offers besides, over its toolkit, which outlives it; null: nothing.
using ExtraOffer = std::function<Result<std::shared_ptr<mcp::Offer>>(
    toolkit::Toolkit& toolkit, const mcp::McpConfig& config, CommandContext&)>;

struct Extras {
  ExtraCommands commands;  // both may be empty
  ExtraOffer mcp_offer;
};

// Exit status: 0, or the value of the ErrorCode.
int run(int argc, const char* const* argv, const Extras& extras = {});

}  // namespace helve::cli
