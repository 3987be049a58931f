#include "surfaces/cli/agent/experiment_arguments.h"

#include "surfaces/cli/agent/ask_arguments.h"
#include "surfaces/cli/tool_arguments.h"

namespace helve::cli {

namespace {

void add_experiment_tasks(CLI::App& command, ExperimentCommandOptions& options) {
  command
      .add_option(
          "--tasks", options.tasks,
          "bundled:solar, bundled:solar-tables, bundled:prov, a JSON or JSON Lines file, or "
          "a folder of SHACL examples; can be given several times")
      ->allow_extra_args(false);
  command
      .add_option("--only", options.only,
                  "Of the tasks: ids, level:2, keywords; can be given several times")
      ->allow_extra_args(false);
  command.add_option("--max-tasks", options.tasks_max, "Of each set; default: all")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}));
}

void add_conditions(CLI::App& command, ExperimentCommandOptions& options) {
  command.add_option("--repeats", options.repeats, "Of every cell, each with another seed")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000}))
      ->capture_default_str();
  command.add_option("--seed", options.seed, "Of the first repeat, and of the intervals")
      ->capture_default_str();
  command.add_option("--rollouts", options.rollouts, "E12: runs of one task at once")
      ->check(CLI::Range(std::size_t{2}, std::size_t{100}))
      ->capture_default_str();
  command.add_option("--bank-max", options.bank_max, "E11: items that the bank may have")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}))
      ->capture_default_str();
  command.add_option("--guide", options.guide,
                     "E4, E6 to E12: a Markdown file; default: the program's, where it has one for "
                     "the source");
  command.add_option("--seed-bank", options.seed_bank,
                     "E5, E6, E8: a bank that they begin with; default: the program's seeds");
  command
      .add_option("--extract", options.extraction,
                  "E9 to E12: lessons by the model, or of patterns of queries; auto: by the model "
                  "unless it is builtin:rules")
      ->check(CLI::IsMember({"auto", "model", "patterns"}))
      ->capture_default_str();
  command
      .add_option("--loop", options.agent.loop,
                  "react: the model calls tools; rlm: it writes Python in the sandbox")
      ->check(CLI::IsMember({"react", "rlm"}))
      ->capture_default_str();
  command.add_option("--budget", options.agent.budget,
                     "Of the context: full, compact, a number of characters, or l0=600,l2=0; "
                     "default: full");
}

void add_experiment_totals(CLI::App& command, ExperimentCommandOptions& options) {
  command
      .add_option("--total-tokens", options.total_tokens,
                  "Of the whole experiment; what runs at once may still end")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000'000}));
  command.add_option("--total-cost", options.total_cost, "The same in the currency of the prices")
      ->check(CLI::PositiveNumber);
  command.add_option("--total-time", options.total_time, "The same as a time, e.g. 2h");
  command.add_option("--parallel", options.parallel, "Cells at once; default: one for each core")
      ->check(CLI::Range(std::size_t{1}, std::size_t{256}));
}

}  // namespace

void add_experiment_command(CLI::App& app, ExperimentCommandOptions& options, Command& chosen) {
  CLI::App* const command = app.add_subcommand(
      "experiment",
      "Run tasks under several conditions and compare: which context and memory help");
  command->footer(
      "\nE1 none, E2 L0, E3 L1, E4 L3, E5 L2 seeded, E6 all layers; E7a naive tools, E7b handles;\n"
      "E8a memory injected, E8b searched; E9 closed loop, E10 with consolidation, E11 bounded,\n"
      "E12 several rollouts. The folder gets results.json, report.html and every trajectory; an\n"
      "experiment that was stopped goes on with the same command. Exit status: 0 done, 5 a budget\n"
      "ended it, 6 a cell failed, 7 it was cancelled; of --replay, 2 where a result differs.\n\n"
      "  helve experiment all --tasks bundled:solar --model builtin:rules --out results\n"
      "  helve experiment E1,E6,E7 --tasks bundled:solar --provider chat:MODEL@URL --prices "
      "prices.toml \\\n"
      "      --total-cost 20 --out results\n"
      "  helve experiment --replay results");
  command->add_option("CELLS", options.cells, "Such as E1,E6,E9; E7 is E7a and E7b; or all");
  add_experiment_tasks(*command, options);
  add_source_option(*command, options.agent.session);
  add_model_options(*command, options.agent.models.model);
  add_conditions(*command, options);
  add_run_limits(*command, options.agent);
  add_experiment_totals(*command, options);
  command->add_option("--out", options.out, "Folder of the results; made where it is not there");
  command->add_option(
      "--replay", options.replay,
      "Folder of an experiment: replay every run without the model, and judge again");
  command->add_flag("--retry-failed", options.retries_failed,
                    "Try tasks again that could not be judged, in E1 to E8");
  command->add_flag("--json", options.is_json, "Print JSON");
  add_session_options(*command, options.agent.session);
  choose(*command, chosen, run_experiment_command, options);
}

}  // namespace helve::cli
