#include "surfaces/cli/agent/tasks_arguments.h"

namespace helve::cli {

namespace {

CLI::App& add_one(CLI::App& tasks, const char* name, const char* what, TaskSetOptions& options,
                  Result<void> (*run)(const TaskSetOptions&, CommandContext&), Command& chosen) {
  CLI::App& command = *tasks.add_subcommand(name, what);
  command.add_option(
      "SET", options.set,
      "bundled:NAME, a JSON or JSON Lines file, or a folder of SHACL SPARQL examples");
  command.add_option(
      "WORD", options.words,
      "Tasks that are meant: ids, keywords, level:1, level:2, level:3; default: all");
  command.add_flag("--json", options.is_json, "Print JSON");
  choose(command, chosen, run, options);
  return command;
}

}  // namespace

void add_task_set_commands(CLI::App& tasks, TaskSetOptions& options, Command& chosen) {
  // A command of its own needs no PATH, which is that of a folder of examples.
  tasks.get_option("PATH")->required(false);
  tasks.footer(tasks.get_footer() +
               "\n\nSets of tasks, which agents are run on and judged by:\n\n"
               "  helve tasks list\n"
               "  helve tasks list bundled:solar level:2\n"
               "  helve tasks show bundled:solar planets-with-rings\n"
               "  helve tasks check mine.json --source data.ttl");
  const auto count = CLI::Range(std::size_t{1}, std::size_t{50'000});
  CLI::App& list = add_one(tasks, "list", "The tasks of a set; without one, the sets there are",
                           options, run_tasks_list, chosen);
  list.add_option("--limit", options.listed_max, "Tasks at most; default: 100")->check(count);
  CLI::App& show =
      add_one(tasks, "show", "Tasks with their reference queries", options, run_tasks_show, chosen);
  show.get_option("SET")->required();
  show.add_option("--limit", options.listed_max, "Tasks at most; default: 100")->check(count);
  CLI::App& check = add_one(tasks, "check", "Run every reference query, and tell what comes",
                            options, run_tasks_check, chosen);
  check.footer(
      "\nRuns the references on the source that the set is about, or on --source; nothing of it\n"
      "is kept. --timeout bounds each of them. Exit status 2 where one fails.\n\n"
      "  helve tasks check bundled:solar\n"
      "  helve tasks check bundled:prov --source prov.ttl --json");
  check.get_option("SET")->required();
  check.add_option("--source", options.source, "URI or NAME=URI; default: that of the set");
}

}  // namespace helve::cli
