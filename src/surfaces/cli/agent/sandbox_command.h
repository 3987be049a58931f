// helve sandbox: whether this machine holds model-written code, and running some of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "surfaces/cli/command.h"
#include "surfaces/cli/tool_session.h"

namespace helve::cli {

struct SandboxCheckOptions {
  std::string python;  // empty: found
  bool is_json = false;
};

struct SandboxRunOptions {
  std::string file;                 // "-": standard input
  ToolSessionOptions session;       // its sources are those of --tools
  std::vector<std::string> values;  // NAME=JSON
  std::vector<std::string> texts;   // NAME=PATH
  std::string time;                 // of the block; empty: the default
  std::string memory;               // the same
  std::optional<std::uint64_t> calls;
  std::vector<std::string> modules;  // folders
  std::string python;
  bool is_json = false;
  bool is_unsafe = false;
};

// Starts a sandbox, and lets code in it try what it must not be able to do. Denied where a layer is
// missing or something was not refused.
Result<void> run_sandbox_check(const SandboxCheckOptions& options, CommandContext& context);

// Runs a file as one block. InvalidInput where it raised, LimitExceeded where it was interrupted or
// ended by a limit, Unavailable where the session was lost.
Result<void> run_sandbox_run(const SandboxRunOptions& options, CommandContext& context);

}  // namespace helve::cli
