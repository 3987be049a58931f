#include "surfaces/cli/mcp_arguments.h"

#include <fmt/core.h>

namespace helve::cli {

namespace {

class McpFormatter final : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* /*app*/, std::string name) const override {
    return fmt::format("Usage: {} [OPTIONS] [SOURCE...]\n", name);
  }
};

}  // namespace

void add_mcp_command(CLI::App& app, McpOptions& options, Command& chosen) {
  mcp::McpArguments& arguments = options.arguments;
  CLI::App* const command =
      app.add_subcommand("mcp", "Serve graphs and databases to agents: the Model Context Protocol");
  command->formatter(std::make_shared<McpFormatter>());
  command->footer(
      "\nSpeaks on standard input and output unless --http is given; a client starts it. Sources "
      "are\n"
      "loaded in the background, and again when their files change. docs/mcp.md tells more.\n\n"
      "  helve mcp data.ttl\n"
      "  helve mcp --source wiki=wiki.helve --source local=notes.ttl --toolset all\n"
      "  helve mcp --http 127.0.0.1:8080 --config helve-mcp.toml");
  // Words without --source are sources too: desktop bundles can give them in no other way.
  command->add_option("SOURCE", arguments.sources, "The same as --source");
  command
      ->add_option_function<std::vector<std::string>>(
          "--source",
          [&arguments](const std::vector<std::string>& sources) {
            arguments.sources.insert(arguments.sources.end(), sources.begin(), sources.end());
          },
          "NAME=URI or URI: a file, an index folder, sample: for the bundled sample, "
          "sample-tables: for its tables, or a database (sqlite:PATH, postgresql://..., "
          "mysql://...); can be given several times")
      ->allow_extra_args(false);
  command->add_option("--http", arguments.http,
                      "HOST:PORT: serve over HTTP instead; port 0: any that is free");
  command->add_option("--toolset", arguments.toolset,
                      "Tools that are listed: minimal, standard or all; default: standard");
  command->add_option("--policy", arguments.policy_file,
                      "JSON or TOML file with the limits of the calls");
  command->add_option("--caller", arguments.caller,
                      "Who calls without a token: a name of the policy file; default: local");
  command->add_flag("--read-only", arguments.is_read_only,
                    "Whatever policies say, no tool changes a source or the memory bank");
  command
      ->add_option("--allow-path", arguments.allowed_paths,
                   "Folder from which tools may load files; can be given several times")
      ->allow_extra_args(false);
  command->add_option("--config", arguments.config_file,
                      "TOML file with sources, callers and more; what is given here wins");
  command->add_option("--skills", arguments.skills,
                      "Folder of skills that win over those of the program by name");
  command->add_option(
      "--bank", arguments.bank,
      "Memory bank that tools may write: a file, or postgresql://...; default: HELVE_BANK, for "
      "reading");
  command->add_option("--session", arguments.session,
                      "Folder that keeps handles over restarts; default: they go with the process");
  command->add_option("--audit", arguments.audit_file,
                      "File that gets a line of JSON for each call");
  command->add_option("--audit-key", arguments.audit_key,
                      "Key of the audit file: env:NAME or file:PATH");
  command->add_flag("--audit-fingerprints", arguments.is_audit_fingerprints,
                    "Hashes of queries in the audit file, not their texts");
  command->add_flag(
      "--no-cache", [&options](std::int64_t /*count*/) { options.uses_cache = false; },
      "Read the files themselves, and keep no snapshot of them");
  command->add_flag("--conformance", options.is_conformance,
                    "Also offer what the official conformance suite calls by name");
  choose(*command, chosen, run_mcp, options);
}

}  // namespace helve::cli
