// helve sandbox run.
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "agent/python_tools/python_tools.h"
#include "agent/sandbox/sandbox.h"
#include "surfaces/cli/agent/block_report.h"
#include "surfaces/cli/agent/layer_lines.h"
#include "surfaces/cli/agent/sandbox_command.h"
#include "surfaces/cli/agent/script_input.h"
#include "surfaces/cli/duration.h"
#include "surfaces/cli/size.h"

namespace helve::cli {

namespace {

Result<sandbox::SandboxLimits> read_limits(const SandboxRunOptions& options) {
  sandbox::SandboxLimits limits;
  if (!options.time.empty()) {
    HELVE_ASSIGN(limits.block_time, parse_duration(options.time));
    if (limits.block_time <= Duration::zero()) {
      return Error{ErrorCode::InvalidInput, "--time 0 leaves the code no time",
                   "for example --time 90s"};
    }
  }
  if (!options.memory.empty()) {
    HELVE_ASSIGN(limits.memory_bytes_max, parse_size(options.memory));
  }
  limits.tool_calls_max = options.calls.value_or(limits.tool_calls_max);
  return limits;
}

// Whole paths: the code is in another folder.
Result<std::vector<std::filesystem::path>> find_modules(const SandboxRunOptions& options,
                                                        CommandContext& context) {
  std::vector<std::filesystem::path> folders;
  for (const std::string& folder : options.modules) {
    HELVE_ASSIGN(const auto status, context.env.files().status(folder));
    if (status.kind != FileKind::Directory) {
      return Error{ErrorCode::InvalidInput, fmt::format("--modules '{}' is no folder", folder),
                   "name the folder that the module is in"};
    }
    std::error_code error;
    folders.push_back(std::filesystem::absolute(folder, error));
  }
  return folders;
}

// Handles of a session and lessons of a bank need no source.
bool wants_tools(const ToolSessionOptions& options) {
  return !options.sources.empty() || !options.session.empty() || !options.policy_file.empty() ||
         !options.bank.empty();
}

// The tools with their session, if any are asked for. At a terminal a person is asked about
// changes; the time of the block runs on.
Result<std::unique_ptr<ToolSession>> open_tools(const SandboxRunOptions& options,
                                                sandbox::Sandbox& session,
                                                CommandContext& context) {
  if (!wants_tools(options.session)) return std::unique_ptr<ToolSession>();
  ToolSessionOptions wanted = options.session;
  wanted.is_lasting = true;
  HELVE_ASSIGN(auto tools, ToolSession::open(wanted, context));
  const toolkit::Policy& policy = *tools->caller().policy;
  const auto call = python_tools::call_as(tools->toolkit(), tools->caller());
  HELVE_TRY(session.register_tools(
      python_tools::functions_of(tools->toolkit().registry(), policy, call)));
  session.set_rows_reader(python_tools::rows_reader(policy, call));
  return tools;
}

}  // namespace

Result<void> run_sandbox_run(const SandboxRunOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const std::string code, read_text_file(options.file, kScriptBytesMax, context));
  HELVE_ASSIGN(const auto variables, read_variables(options, context));
  LiveOutput output(context);
  sandbox::SandboxOptions wanted;
  HELVE_ASSIGN(wanted.limits, read_limits(options));
  wanted.python = options.python;
  HELVE_ASSIGN(wanted.module_folders, find_modules(options, context));
  wanted.allows_missing_layers = options.is_unsafe;
  if (!options.is_json) {
    wanted.on_event = [&output](const sandbox::Event& event) {
      if (event.kind == sandbox::EventKind::Output) output.take(event.text);
    };
  }
  HELVE_ASSIGN(const auto session, sandbox::Sandbox::start(std::move(wanted), context.op));
  if (const std::string missing = missing_layers(session->layers()); !missing.empty()) {
    context.warn("unsafe: this machine does not hold the code; missing: " + missing);
  }
  HELVE_ASSIGN(const auto tools, open_tools(options, *session, context));
  HELVE_ASSIGN(const auto result, session->execute(code, variables, context.op));
  if (tools != nullptr) tools->finish();
  if (options.is_json) {
    HELVE_TRY(context.show(block_json(result, *session)));
  } else {
    HELVE_TRY(show_block(result, output, context));
  }
  // A traceback says it already, and so does the JSON.
  context.is_failure_reported = options.is_json || result.end == sandbox::BlockEnd::Raised;
  return ending_of(result, context);
}

}  // namespace helve::cli
