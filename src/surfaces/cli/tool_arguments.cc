#include "surfaces/cli/tool_arguments.h"

#include <algorithm>

namespace helve::cli {

namespace {

void add_session_options(CLI::App& command, ToolSessionOptions& options) {
  command.add_option("--session", options.session,
                     "Folder that keeps handles from call to call; default: one for each terminal");
  command.add_option("--policy", options.policy_file,
                     "JSON or TOML file with the limits of the calls");
  command.add_option("--audit", options.audit_file, "File that gets a line of JSON for each call");
  command.add_flag(
      "--no-cache", [&options](std::int64_t /*count*/) { options.uses_cache = false; },
      "Read the files themselves, and keep no snapshot of them");
}

void add_call(CLI::App& app, CallOptions& options, Command& chosen) {
  CLI::App* const command = app.add_subcommand("call", "Call a tool, as an agent would");
  command->footer(
      "\nArguments are key=value, values in the order of the parameters, or one JSON object;\n"
      "'-' as a value is standard input. 'helve tools' lists the tools. What is too large to be\n"
      "shown stays behind a handle (results_0) that the next call can use.\n\n"
      "  helve call --source data.ttl sparql_schema\n"
      "  helve call --source data.ttl sparql_query query='SELECT * { ?s ?p ?o }' limit=5\n"
      "  helve call sparql_slice result=results_0 offset=5\n"
      "  helve call result_sql sql='SELECT p, COUNT(*) FROM results_0 GROUP BY p'");
  command
      ->add_option("--source", options.session.sources,
                   "NAME=URI or URI: a file, an index folder, sample: for the bundled sample, or a "
                   "database (sqlite:PATH, postgresql://..., mysql://...); can be given several "
                   "times")
      ->allow_extra_args(false);
  add_session_options(*command, options.session);
  command->add_flag("--json", options.is_json, "Print the structured form of the reply");
  command->add_option("TOOL", options.words, "The tool and its arguments")->required();
  choose(*command, chosen, run_call, options);
}

void add_tools(CLI::App& app, ToolsOptions& options, Command& chosen) {
  CLI::App* const command = app.add_subcommand("tools", "List the tools that can be called");
  command
      ->add_option("CATEGORY", options.category,
                   "query, explore, analyze, memory, sql, endpoint, tasks or all")
      ->check(CLI::IsMember(
          {"all", "query", "explore", "analyze", "memory", "sql", "endpoint", "tasks"}));
  command->add_flag("--verbose", options.is_verbose, "Examples and return keys too");
  command->add_flag("--json", options.is_json, "Print JSON with the schemas");
  choose(*command, chosen, run_tools, options);
}

void add_explore(CLI::App& app, ExploreOptions& options, Command& chosen) {
  CLI::App* const command = app.add_subcommand("explore", "Look around in a graph at a prompt");
  command->footer(
      "\nA line is a tool and its arguments, a SPARQL query, or words to look for. Short names "
      "do:\n"
      "schema, find, peek, describe, query, slice. 'help' lists them, Ctrl-D leaves.\n\n"
      "  helve explore data.ttl\n"
      "  > peek ex:Planet\n"
      "  > SELECT ?x { ?x a ex:Planet }\n"
      "  > slice results_0");
  command
      ->add_option("SOURCE", options.session.sources,
                   "NAME=URI or URI: a file, an index folder, or sample: for the bundled sample")
      ->required();
  add_session_options(*command, options.session);
  command->add_flag("--json", options.is_json, "Print the structured form of replies");
  choose(*command, chosen, run_explore, options);
}

void add_source(CLI::App& app, SourceOptions& options, Command& chosen) {
  CLI::App* const source =
      app.add_subcommand("source", "Check a SQL database, or print how to make it safe");
  source->footer(
      "\n  helve source check 'postgresql://reader@localhost/shop?password=env:SHOP_PASSWORD'\n"
      "  helve source setup shop --config helve-mcp.toml");
  source->require_subcommand(1);
  const auto add_options = [&options](CLI::App& command) {
    command.add_option("SOURCE", options.source, "A URI, or a name of the configuration")
        ->required();
    command.add_option("--config", options.config_file, "TOML file, as that of helve mcp");
  };
  CLI::App* const check = source->add_subcommand(
      "check", "Connect, and tell what the connection could do beyond reading");
  add_options(*check);
  check->add_flag("--json", options.is_json, "Print JSON");
  choose(*check, chosen, run_source_check, options);
  CLI::App* const setup =
      source->add_subcommand("setup", "Print the script that makes a user who can only read");
  add_options(*setup);
  choose(*setup, chosen, run_source_setup, options);
}

// For bench/; not part of the interface that is kept stable.
void add_bench(CLI::App& app, BenchToolsOptions& options, Command& chosen) {
  options.session.is_kept = false;
  CLI::App* const command = app.add_subcommand("bench-tools", "")->group("");
  command->add_option("CALLS", options.calls)->required();
  command->add_option("SOURCE", options.session.sources)->required();
  choose(*command, chosen, run_bench_tools, options);
}

}  // namespace

std::vector<std::string> words_for_parser(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  auto word = std::find(words.begin(), words.end(), "call");
  for (; word != words.end(); ++word) {
    if (word->starts_with('[') && word->ends_with(']')) word->insert(0, 1, ' ');
  }
  std::reverse(words.begin(), words.end());
  return words;
}

void add_tool_commands(CLI::App& app, ToolArguments& arguments, Command& chosen) {
  add_call(app, arguments.call, chosen);
  add_tools(app, arguments.tools, chosen);
  add_explore(app, arguments.explore, chosen);
  add_source(app, arguments.source, chosen);
  add_bench(app, arguments.bench, chosen);
}

}  // namespace helve::cli
