// The arguments of helve sandbox.
#pragma once

#include <CLI/CLI.hpp>

#include "surfaces/cli/agent/sandbox_command.h"
#include "surfaces/cli/store_arguments.h"

namespace helve::cli {

struct SandboxArguments {
  SandboxCheckOptions check;
  SandboxRunOptions run;
};

void add_sandbox_command(CLI::App& app, SandboxArguments& arguments, Command& chosen);

}  // namespace helve::cli
