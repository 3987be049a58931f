#include "surfaces/cli/agent/judge_arguments.h"

#include "surfaces/cli/agent/ask_arguments.h"
#include "surfaces/cli/tool_arguments.h"

namespace helve::cli {

namespace {

void add_judge(CLI::App& app, JudgeOptions& options, Command& chosen) {
  CLI::App* const command =
      app.add_subcommand("judge", "Whether a query brings what another one does");
  command->footer(
      "\nBoth are run on the source, SPARQL on graphs and SQL on databases. Columns are matched "
      "by\n"
      "what is in them; names and further columns do not count. Exit status: 0 correct, 2 "
      "partial,\n"
      "incorrect, or a reference that cannot be read; others where nothing can be said.\n\n"
      "  helve judge 'SELECT ?m { ?m sol:orbits body:Mars }' @reference.rq --source sample:\n"
      "  helve judge @answer.sql @reference.sql --source sqlite:shop.db --ordered --json");
  command->add_option("QUERY", options.query, "The query that is judged; @FILE reads one")
      ->required();
  command->add_option("REFERENCE", options.reference, "One that is right; @FILE reads it")
      ->required();
  add_source_option(*command, options.session);
  command->add_flag("--ordered", options.is_ordered, "The order of the rows counts");
  command->add_flag("--bag", options.is_bag, "How often a row comes counts");
  command->add_flag("--json", options.is_json, "Print one JSON object");
  add_session_options(*command, options.session);
  choose(*command, chosen, run_judge, options);
}

void add_reflect(CLI::App& app, ReflectOptions& options, Command& chosen) {
  CLI::App* const command =
      app.add_subcommand("reflect", "Look back at a recorded run, and keep a lesson of it");
  command->footer(
      "\nShows the run, drafts an item (by a model where one is configured, else from the query "
      "that\n"
      "ran), checks it, shows what the bank has of the kind, and asks: approve, edit ($VISUAL or\n"
      "$EDITOR) or reject. An item that nobody looked at (--yes with a model's draft) is "
      "quarantined.\n\n"
      "  helve reflect run.jsonl --bank memory.db --hint 'count moons of all classes'\n"
      "  helve reflect run.jsonl --bank memory.db --yes --title ... --desc ... --content ...\n"
      "  helve reflect good.jsonl --compare bad.jsonl --bank memory.db --provider chat:MODEL@URL");
  command->add_option("FILE", options.trajectory.files, "The trajectory")->required()->expected(1);
  add_run_choice(*command, options.trajectory);
  command->add_flag("--full", options.trajectory.is_full, "Texts whole, not one line each");
  command->add_option("--hint", options.hint, "What you see that the agent did not");
  command->add_option("--compare", options.compare,
                      "Another trajectory: what one run did and the other did not");
  command->add_option("--refine", options.refine, "Id of an item that the new one replaces");
  command
      ->add_option("--verdict", options.verdict,
                   "Yours on the run: correct, partial or incorrect; default: the recorded one")
      ->check(CLI::IsMember({"correct", "partial", "incorrect"}));
  command->add_option("--title", options.fields.title, "At most ten words");
  command->add_option("--desc", options.fields.desc, "One sentence: when to use it, and when not");
  command->add_option("--content", options.fields.content, "What is to be remembered");
  command->add_option("--domain", options.fields.domain, "The source or ontology that it is about");
  command->add_option("--tag", options.fields.tags, "Can be given several times")
      ->allow_extra_args(false);
  command->add_flag("--edit", options.is_edited, "Open the draft in the editor at once");
  command->add_flag("--by-hand", options.is_by_hand, "Ask no model for a draft");
  command->add_flag("--yes", options.is_approved, "Store it without asking");
  command->add_flag("--rerun", options.is_rerun,
                    "Run the task without and with the item, and show the difference");
  command->add_flag("--json", options.is_json, "Print one JSON object; with --yes");
  command->add_option("--reference", options.reference,
                      "Query that answers the task, or @FILE: reruns are judged by it");
  add_agent_options(*command, options.agent);
  command->get_option("--bank")->description(
      "Memory bank: a file, or postgresql://...; default: HELVE_BANK, or that of the user");
  choose(*command, chosen, run_reflect, options);
}

}  // namespace

void add_judge_commands(CLI::App& app, JudgeArguments& arguments, Command& chosen) {
  add_judge(app, arguments.judge, chosen);
  add_reflect(app, arguments.reflect, chosen);
}

}  // namespace helve::cli
