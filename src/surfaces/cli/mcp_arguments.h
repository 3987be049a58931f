// The arguments of `helve mcp`.
#pragma once

#include <CLI/CLI.hpp>

#include "surfaces/cli/cli.h"
#include "surfaces/cli/store_arguments.h"
#include "surfaces/mcp/config/mcp_config.h"

namespace helve::cli {

struct McpOptions {
  mcp::McpArguments arguments;
  bool uses_cache = true;
  bool is_conformance = false;  // offers what the conformance suite calls
  ExtraOffer extra_offer;       // may be empty
};

void add_mcp_command(CLI::App& app, McpOptions& options, Command& chosen);

// Serves until the client goes or a signal comes. Standard output has messages and nothing else.
Result<void> run_mcp(const McpOptions& options, CommandContext& context);

}  // namespace helve::cli
