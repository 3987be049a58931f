// helve endpoint: SPARQL endpoints with names, how they are asked, and what was learnt of them.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "surfaces/cli/command.h"
#include "surfaces/cli/store_arguments.h"
#include "surfaces/opening/endpoint_settings.h"

namespace helve::cli {

struct EndpointAddOptions {
  std::string name;
  std::string url;
  std::string description;
  opening::EndpointSettings settings;
  bool allows_private = false;
  bool replaces = false;
};

struct EndpointOptions {
  std::string endpoint;  // a name, or an address
  bool is_json = false;
};

struct EndpointArguments {
  EndpointAddOptions add;
  EndpointOptions list;
  EndpointOptions show;
  EndpointOptions refresh;
  EndpointOptions probe;
  EndpointOptions remove;
};

void add_endpoint_command(CLI::App& app, EndpointArguments& arguments, Command& chosen);

// Keeps it; asks nothing of it.
Result<void> run_endpoint_add(const EndpointAddOptions& options, CommandContext& context);
Result<void> run_endpoint_list(const EndpointOptions& options, CommandContext& context);
// What is known of it; asks nothing.
Result<void> run_endpoint_show(const EndpointOptions& options, CommandContext& context);
// Asks again what it holds.
Result<void> run_endpoint_refresh(const EndpointOptions& options, CommandContext& context);
// Asks a few small questions and tells what came of each.
Result<void> run_endpoint_probe(const EndpointOptions& options, CommandContext& context);
// With what was learnt of it.
Result<void> run_endpoint_remove(const EndpointOptions& options, CommandContext& context);

}  // namespace helve::cli
