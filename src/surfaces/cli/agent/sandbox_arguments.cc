#include "surfaces/cli/agent/sandbox_arguments.h"

#include "surfaces/cli/tool_arguments.h"

namespace helve::cli {

namespace {

void add_check(CLI::App& sandbox, SandboxCheckOptions& options, Command& chosen) {
  CLI::App* const check =
      sandbox.add_subcommand("check", "Tell whether this machine holds model-written code");
  check->footer(
      "\nStarts a sandbox, shows each layer, and lets code in it try what it must not be able to\n"
      "do. Exit status 4 where a layer is missing or something was not refused.");
  check->add_option("--python", options.python, "The interpreter; default: found in PATH");
  check->add_flag("--json", options.is_json, "Print JSON");
  choose(*check, chosen, run_sandbox_check, options);
}

void add_run_limits(CLI::App& run, SandboxRunOptions& options) {
  run.add_option("--time", options.time,
                 "Time of the code, its tool calls included, e.g. 90s; default: 30s");
  run.add_option("--memory-max", options.memory,
                 "Memory of the code, e.g. 256M; default: 512M (--memory is that of helve itself)");
  run.add_option("--calls", options.calls, "Tool calls at most; default: 10,000")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1'000'000'000}));
  run.add_option("--modules", options.modules,
                 "Folder to import from beside the standard library; can be given several times")
      ->allow_extra_args(false);
  run.add_option("--python", options.python, "The interpreter; default: found in PATH");
  run.add_flag("--unsafe-sandbox", options.is_unsafe,
               "Run although a layer is missing: the code can then do what it would prevent");
}

void add_run(CLI::App& sandbox, SandboxRunOptions& options, Command& chosen) {
  CLI::App* const run = sandbox.add_subcommand("run", "Run a Python file inside the sandbox");
  run->footer(
      "\nWhat it prints comes as it is printed, then the value of its last expression, then what\n"
      "SUBMIT was given, as JSON. With --tools, or with --session, --policy or --bank alone, the\n"
      "tools are Python functions; print(sparql_query.__doc__) tells of one.\n"
      "Exit status: 0 it ended, 2 it raised or left by sys.exit(n) with another n than 0, 4 a "
      "layer\n"
      "is missing, 5 a limit ended it, 6 the session was lost, 7 it was cancelled.\n\n"
      "  helve sandbox run script.py\n"
      "  helve sandbox run --tools data.ttl --var top=5 script.py\n"
      "  echo 'sum(range(10))' | helve sandbox run -");
  run->add_option("FILE", options.file, "The Python file; '-' for standard input")->required();
  run->add_option("--tools", options.session.sources,
                  "NAME=URI or URI of a source, as --source of helve call; can be given several "
                  "times")
      ->allow_extra_args(false);
  run->add_option("--var", options.values, "NAME=JSON: a variable; can be given several times")
      ->allow_extra_args(false);
  run->add_option("--var-file", options.texts,
                  "NAME=PATH: a variable with the text of a file; can be given several times")
      ->allow_extra_args(false);
  add_run_limits(*run, options);
  run->add_flag("--json", options.is_json, "Print all that came of it as one JSON object");
  add_session_options(*run, options.session);
  choose(*run, chosen, run_sandbox_run, options);
}

}  // namespace

void add_sandbox_command(CLI::App& app, SandboxArguments& arguments, Command& chosen) {
  CLI::App* const sandbox =
      app.add_subcommand("sandbox", "Run model-written Python where it can do no harm");
  sandbox->footer(
      "\n  helve sandbox check\n"
      "  helve sandbox run --tools data.ttl script.py");
  sandbox->require_subcommand(1);
  add_check(*sandbox, arguments.check, chosen);
  add_run(*sandbox, arguments.run, chosen);
}

}  // namespace helve::cli
