#include "surfaces/cli/knowledge_command.h"

namespace helve::cli {

namespace {

void add_tasks(CLI::App& app, TasksOptions& options, Command& chosen) {
  CLI::App* const command =
      app.add_subcommand("tasks", "Questions with their queries, of SHACL SPARQL examples");
  command->footer(
      "\nSimple: under 200 characters, without UNION, OPTIONAL and sub-select. Complex: over 500, "
      "or\n"
      "with a sub-select. Moderate: all others.\n\n"
      "  helve tasks sparql-examples/\n"
      "  helve tasks sparql-examples/ --complexity simple --sample 5 --seed 7\n"
      "  helve tasks sparql-examples/UniProt --sample 100 --json");
  command->add_option("PATH", options.path, "A folder of RDF files, or one of them")->required();
  command->add_option("--complexity", options.complexity, "simple, moderate or complex")
      ->check(CLI::IsMember({"simple", "moderate", "complex"}));
  command->add_option("--sample", options.sample, "Show so many tasks by chance")
      ->check(CLI::Range(std::size_t{1}, std::size_t{50'000}));
  command->add_option("--seed", options.seed, "The same seed gives the same tasks; default: 0");
  command->add_flag("--json", options.is_json, "Print JSON");
  choose(*command, chosen, run_tasks, options);
}

void add_skills(CLI::App& app, SkillsOptions& options, Command& chosen) {
  CLI::App* const command =
      app.add_subcommand("skills", "How to go about work with the tools: texts for agents");
  command->footer(
      "\n  helve skills\n"
      "  helve skills debug-empty-results\n"
      "  helve skills --skills my-skills/ my-skill");
  command->add_option("NAME", options.name, "The skill to print; default: list them all");
  command->add_option("--skills", options.folder,
                      "Folder with a folder for each skill that has a SKILL.md; they win by name");
  command->add_flag("--json", options.is_json, "Print JSON");
  choose(*command, chosen, run_skills, options);
}

}  // namespace

void add_knowledge_commands(CLI::App& app, KnowledgeArguments& arguments, Command& chosen) {
  add_tasks(app, arguments.tasks, chosen);
  add_skills(app, arguments.skills, chosen);
}

}  // namespace helve::cli
