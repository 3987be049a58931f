#include "surfaces/cli/agent/learn_arguments.h"

#include "surfaces/cli/agent/ask_arguments.h"
#include "surfaces/cli/tool_arguments.h"

namespace helve::cli {

namespace {

constexpr std::uint64_t kCountMax = 1'000'000'000;

void add_learn_tasks(CLI::App& command, LearnCommandOptions& options) {
  command
      .add_option(
          "TASKS", options.tasks,
          "bundled:solar, bundled:solar-tables, bundled:prov, a JSON or JSON Lines file, or "
          "a folder of SHACL examples")
      ->required();
  command
      .add_option("--only", options.only,
                  "Of the tasks: ids, level:2, keywords; can be given several times")
      ->allow_extra_args(false);
  command.add_option("--max-tasks", options.tasks_max, "At most so many; default: all")
      ->check(CLI::Range(std::size_t{1}, std::size_t{kCountMax}));
  command.add_option("--out", options.out,
                     "Folder of journal and trajectories; default: BANK.learn/TASKS");
}

void add_ways(CLI::App& command, LearnCommandOptions& options) {
  command.add_option("--rollouts", options.rollouts, "Runs of each task; the best one counts")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100}))
      ->capture_default_str();
  command.add_option("--parallel", options.parallel, "Rollouts at once")
      ->check(CLI::Range(std::size_t{1}, std::size_t{256}))
      ->capture_default_str();
  command.add_option("--seed", options.seed, "Of models that take one: builtin:rules")
      ->capture_default_str();
  command.add_flag("--consolidate", options.consolidates,
                   "After each task, lessons that say the same become one");
  command
      .add_option("--bank-max", options.bank_max,
                  "Items that the bank may have; the least useful go")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{kCountMax}));
  command.add_option("--judge-model", options.judge_model,
                     "For tasks without a reference: chat:MODEL@URL; default: none");
  command.add_option("--judge-key", options.judge_key, "Key of its server: env:NAME or file:PATH");
  command.add_option("--judge-principles", options.judge_principles,
                     "File for that model: a principle to hold to on each line");
  command.add_option("--judge-episodes", options.judge_episodes,
                     "File for that model: a judgment of before on each line, as an example");
  command.add_option("--extract-model", options.extract_model,
                     "That writes lessons: chat:MODEL@URL, or same; default: none, lessons are "
                     "patterns of queries");
  command.add_option("--extract-key", options.extract_key,
                     "Key of its server: env:NAME or file:PATH");
  command.add_flag("--dry-run", options.is_dry_run, "Run and judge alone: nothing is stored");
}

void add_learn_totals(CLI::App& command, LearnCommandOptions& options) {
  command
      .add_option("--max-total-tokens,--total-tokens", options.total_tokens,
                  "Of the whole, restarts included; looked at before each task")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000'000}));
  command
      .add_option("--max-total-cost,--total-cost", options.total_cost,
                  "The same in the currency of the prices")
      ->check(CLI::PositiveNumber);
  command.add_option("--max-total-time,--total-time", options.total_time,
                     "The same as a time, e.g. 2h");
}

void add_agent(CLI::App& command, AgentOptions& agent) {
  add_source_option(command, agent.session);
  add_model_options(command, agent.models.model);
  command.add_option("--script", agent.models.model.script,
                     "Answers of a file instead of a model's: scripted, or recorded ones");
  command.add_option("--record", agent.models.model.record,
                     "File that gets what goes to the model and comes back, for --script");
  command
      .add_option("--loop", agent.loop,
                  "react: the model calls tools; rlm: it writes Python in the sandbox")
      ->check(CLI::IsMember({"react", "rlm"}))
      ->capture_default_str();
  command.add_option("--layers", agent.layers, "Of the context, such as L0,L1; default: all");
  command.add_option("--budget", agent.budget,
                     "Of the context: full, compact, a number of characters, or l0=600,l2=0; "
                     "default: full");
  command.add_option("--hints", agent.hints, "JSON or TOML file, as of helve ask");
  add_run_limits(command, agent);
  command.add_flag("!--no-times", agent.has_times,
                   "No times in trajectories: the same run gives the same bytes");
}

}  // namespace

void add_learn_command(CLI::App& app, LearnCommandOptions& options, Command& chosen) {
  CLI::App* const command = app.add_subcommand(
      "learn", "Run tasks, judge the answers, and store what is learnt of them in a bank");
  command->footer(
      "\nA task is run, judged by its reference query, and becomes lessons that later tasks get\n"
      "with their context. What is done is in a journal: after a stop of any kind the same "
      "command\n"
      "goes on, and nothing is lost or learnt twice. Exit status: 0 done, 2 the folder is of\n"
      "another loop, 5 a budget ended it, 6 tasks failed, 7 it was cancelled.\n\n"
      "  helve learn bundled:solar --source sample: --bank bank.db --model builtin:rules\n"
      "  helve learn tasks.jsonl --source data.ttl --bank bank.db --provider chat:MODEL@URL \\\n"
      "      --rollouts 3 --parallel 3 --extract-model same --max-total-cost 5\n"
      "  helve learn bundled:solar --bank bank.db --model builtin:rules --only level:1 --dry-run");
  add_learn_tasks(*command, options);
  add_agent(*command, options.agent);
  add_ways(*command, options);
  add_learn_totals(*command, options);
  add_session_options(*command, options.agent.session);
  command->add_flag("--json", options.is_json, "Print one JSON object");
  choose(*command, chosen, run_learn, options);
}

}  // namespace helve::cli
