#include "surfaces/cli/tool_arguments.h"

#include <algorithm>

namespace helve::cli {

namespace {

void add_call_command(CLI::App& app, CallOptions& options, Command& chosen) {
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
                   "NAME=URI or URI: a file, an index folder, sample: for the bundled sample, "
                   "sample-tables: for its tables, or a database (sqlite:PATH, postgresql://..., "
                   "mysql://...); can be given several "
                   "times")
      ->allow_extra_args(false);
  options.session.reads_any_file = true;
  add_session_options(*command, options.session);
  command->add_flag("--json", options.is_json, "Print the structured form of the reply");
  command->add_flag("--yes", options.session.is_confirmed,
                    "Confirm the change without a question, for scripts");
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
  CLI::App* const command =
      app.add_subcommand("explore", "Look around in graphs and databases at a prompt");
  command->footer(
      "\nA line is a tool and its arguments, a query of SPARQL or SQL, or words to look for. "
      "Short\n"
      "names do: schema, tables, find, peek, describe, query, slice. 'help' lists them, 'use "
      "NAME'\n"
      "chooses among several sources, Ctrl-D leaves.\n\n"
      "  helve explore data.ttl shop=sqlite:shop.db\n"
      "  > peek ex:Planet\n"
      "  > SELECT ?x { ?x a ex:Planet }\n"
      "  > SELECT name FROM artist\n"
      "  > slice results_0");
  command
      ->add_option("SOURCE", options.session.sources,
                   "NAME=URI or URI: a file, an index folder, sample: for the bundled sample, or a "
                   "database (sqlite:PATH, postgresql://..., mysql://...)")
      ->required();
  options.session.reads_any_file = true;
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
    command.add_option("--config", options.config_file,
                       "TOML file, as that of helve mcp; its policies hold");
    command.add_option("--policy", options.policy_file,
                       "JSON or TOML file with rules for tables that are to hold");
    command.add_option("--caller", options.caller,
                       "Whose policy of the file it is for; default: those of all callers");
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

void add_policy(CLI::App& app, ToolArguments& arguments, Command& chosen) {
  CLI::App* const policy =
      app.add_subcommand("policy", "Tell what a policy file lets callers do, in words");
  policy->footer(
      "\n  helve policy check policy.toml\n"
      "  helve policy test policy.toml --caller ann sparql_query query='SELECT * { ?s ?p ?o }'\n"
      "  helve policy test policy.toml --source shop=sqlite:shop.db query_execute "
      "sql='SELECT email FROM customer'");
  policy->require_subcommand(1);
  PolicyCheckOptions& checked = arguments.policy_check;
  CLI::App* const check =
      policy->add_subcommand("check", "What each caller may do, and what has no effect");
  check->add_option("FILE", checked.file, "JSON or TOML file of policies")->required();
  check->add_flag("--json", checked.is_json, "Print JSON");
  choose(*check, chosen, run_policy_check, checked);
  PolicyTestOptions& tested = arguments.policy_test;
  CLI::App* const test = policy->add_subcommand(
      "test", "The verdict on a call and the rule behind it; nothing is executed");
  test->add_option("--caller", tested.caller, "Who calls; default: local");
  test->add_option("--source", tested.sources,
                   "NAME=URI or URI of a source that there would be; can be given several times")
      ->allow_extra_args(false);
  test->add_flag("--json", tested.is_json, "Print JSON");
  test->add_option("FILE", tested.file, "JSON or TOML file of policies")->required();
  test->add_option("CALL", tested.words, "A tool and its arguments, as helve call takes them")
      ->required();
  choose(*test, chosen, run_policy_test, tested);
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

void add_session_options(CLI::App& command, ToolSessionOptions& options) {
  command.add_option("--session", options.session,
                     "Folder that keeps handles from call to call; default: one for each terminal");
  command.add_option("--policy", options.policy_file,
                     "JSON or TOML file with the limits of the calls");
  command.add_option("--caller", options.caller,
                     "Who calls: a name of the policy file; default: local");
  command.add_option("--skills", options.skills,
                     "Folder of skills that win over those of the program by name");
  command.add_option("--bank", options.bank,
                     "Memory bank that tools may write: a file, or postgresql://...; default: "
                     "HELVE_BANK, for reading");
  command
      .add_option("--allow-path", options.allowed_paths,
                  "Folder from which tools may load files; can be given several times")
      ->allow_extra_args(false);
  command.add_flag("--trust-judgments", options.trusts_judgments,
                   "What mem_extract is told to be verified is not quarantined");
  command.add_option_function<std::string>(
      "--audit", [&options](const std::string& path) { options.audit.file = path; },
      "File that gets a line of JSON for each call");
  command.add_option("--audit-key", options.audit.key,
                     "Key of the audit file: env:NAME or file:PATH");
  command.add_flag("--audit-fingerprints", options.audit.is_fingerprints,
                   "Hashes of queries in the audit file, not their texts");
  command.add_flag(
      "--no-cache", [&options](std::int64_t /*count*/) { options.uses_cache = false; },
      "Read the files themselves, and keep no snapshot of them");
}

std::vector<std::string> words_for_parser(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  auto word = std::find_if(words.begin(), words.end(),
                           [](const auto& one) { return one == "call" || one == "policy"; });
  for (; word != words.end(); ++word) {
    if (word->starts_with('[') && word->ends_with(']')) word->insert(0, 1, ' ');
  }
  std::reverse(words.begin(), words.end());
  return words;
}

void add_tool_commands(CLI::App& app, ToolArguments& arguments, Command& chosen) {
  add_call_command(app, arguments.call, chosen);
  add_tools(app, arguments.tools, chosen);
  add_explore(app, arguments.explore, chosen);
  add_source(app, arguments.source, chosen);
  add_policy(app, arguments, chosen);
  add_bench(app, arguments.bench, chosen);
}

}  // namespace helve::cli
