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
  // Other layers may have commands of their own below it.
  command->callback([command, &chosen, &options] {
    if (!command->get_subcommands().empty()) return;
    chosen = [&options](CommandContext& context) { return run_tasks(options, context); };
  });
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

void add_context(CLI::App& app, ContextOptions& options, Command& chosen) {
  CLI::App* const command =
      app.add_subcommand("context", "What an agent should know of a source before its first call");
  command->footer(
      "\nL0 what the source is, L1 what queries should avoid and may rely on, L2 lessons for the "
      "task,\n"
      "L3 an extract of a guide. Each has a budget of characters: full is l0=600,l1=1000,l2=2000,"
      "l3=1000,\n"
      "compact l0=600,l1=400,l2=600,l3=200. On a terminal, or with --breakdown, standard error "
      "tells\n"
      "what took how many.\n\n"
      "  helve context sample: --task 'Who discovered the most moons?'\n"
      "  helve context data.ttl --layers L0,L1 --budget compact >prompt.md\n"
      "  helve context sqlite:shop.db --task 'sales by month' --bank lessons.db --json");
  command->add_option("SOURCE", options.source, "A file, an index folder, a database, an endpoint")
      ->required();
  command->add_option("--task", options.task, "What is to be done; without it there is no L2");
  command->add_option("--layers", options.layers, "Such as L0,L1; default: all");
  command->add_option("--budget", options.budget,
                      "full, compact, a number for all, or l0=600,l2=0; default: full");
  command->add_option("--bank", options.bank, "Lessons; default: HELVE_BANK, or those of the user");
  command->add_option("--guide", options.guide, "Markdown; default: one of the program");
  command->add_option("--constraints", options.constraints,
                      "TOML with what to avoid; default: one of the program");
  command->add_option("--schema-summary", options.schema_summary,
                      "A text of yours instead of L0 and L1; the source is then not asked");
  command->add_flag("--breakdown", options.shows_breakdown,
                    "Tell on standard error what took how many characters");
  command->add_flag("--json", options.is_json, "Print JSON");
  command->add_flag("!--no-cache", options.uses_cache, "Read everything anew");
  choose(*command, chosen, run_context, options);
}

}  // namespace

void add_knowledge_commands(CLI::App& app, KnowledgeArguments& arguments, Command& chosen) {
  add_tasks(app, arguments.tasks, chosen);
  add_skills(app, arguments.skills, chosen);
  add_context(app, arguments.context, chosen);
}

}  // namespace helve::cli
