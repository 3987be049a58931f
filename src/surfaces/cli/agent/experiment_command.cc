#include "surfaces/cli/agent/experiment_command.h"

#include <fmt/format.h>

#include <map>

#include "agent/experiment/cell_files.h"
#include "agent/experiment/replay_cells.h"
#include "agent/experiment/report.h"
#include "agent/loops/json_object.h"
#include "base/digest.h"
#include "base/redaction.h"
#include "base/utc.h"
#include "surfaces/cli/agent/ask_session.h"
#include "surfaces/cli/agent/experiment_words.h"
#include "surfaces/cli/agent/experiment_world.h"
#include "surfaces/cli/agent/script_input.h"
#include "surfaces/cli/duration.h"
#include "surfaces/cli/version.h"

namespace helve::cli {

namespace {

using agent::array_of;
using agent::object_of;

struct Inputs {
  std::vector<agent::TaskSet> sets;
  std::optional<context::Guide> guide;
  std::string guide_digest;
  std::shared_ptr<RolloutModels> models;                    // null: of replays
  std::map<std::string, std::unique_ptr<CliWorld>> worlds;  // by source
  agent::ExperimentOptions options;

  std::vector<agent::ExperimentSet> experiment_sets() const {
    std::vector<agent::ExperimentSet> all;
    for (const agent::TaskSet& set : sets) all.push_back({set, *worlds.at(set.source)});
    return all;
  }
};

// Each with the source that it is about, as it is opened.
Result<std::vector<agent::TaskSet>> read_sets(const ExperimentCommandOptions& options,
                                              CommandContext& context) {
  if (options.tasks.empty()) {
    return Error{ErrorCode::InvalidInput, "no tasks are named",
                 "for example --tasks bundled:solar; there are " +
                     fmt::format("{}", fmt::join(agent::bundled_task_sets(), ", "))};
  }
  std::vector<agent::TaskSet> sets;
  for (const std::string& words : options.tasks) {
    HELVE_ASSIGN(auto set, agent::read_task_set(words, context.env, context.op));
    HELVE_ASSIGN(set, agent::choose_tasks(std::move(set), options.only, options.tasks_max));
    if (!options.agent.session.sources.empty()) set.source = joined(options.agent.session.sources);
    if (set.source.empty()) {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("nothing says which source {} is about", set.name),
                   "name it: --source sample:"};
    }
    sets.push_back(std::move(set));
  }
  return sets;
}

bool extracts_by_model(const ExperimentCommandOptions& options, const Inputs& inputs) {
  if (inputs.models == nullptr || options.extraction == "patterns") return false;
  return options.extraction == "model" || !is_rules(inputs.models->any());
}

Result<void> open_worlds(const ExperimentCommandOptions& options, Inputs& inputs,
                         CommandContext& context) {
  for (const agent::TaskSet& set : inputs.sets) {
    if (inputs.worlds.contains(set.source)) continue;
    ToolSessionOptions session = options.agent.session;
    if (session.sources.empty()) session.sources = {set.source};
    HELVE_ASSIGN(auto world, CliWorld::open(session, inputs.models,
                                            extracts_by_model(options, inputs), context));
    inputs.worlds.emplace(set.source, std::move(world));
  }
  return {};
}

Result<void> read_guide_file(const std::string& path, Inputs& inputs, CommandContext& context) {
  if (path.empty()) return {};
  HELVE_ASSIGN(const std::string text, read_text_file(path, context::kGuideBytesMax, context));
  auto guide = context::read_guide(text, std::filesystem::path(path).stem().string());
  if (!guide) {
    Error error = std::move(guide).error();
    error.document = path;
    return error;
  }
  inputs.guide = *std::move(guide);
  inputs.guide_digest = digest_hex(DigestKind::Sha256, text);
  inputs.options.request.context.guide = &*inputs.guide;
  return {};
}

Result<void> read_budget(const ExperimentCommandOptions& options, agent::LearnBudget& budget,
                         const Inputs& inputs) {
  budget.tokens_max = options.total_tokens;
  budget.cost_max = options.total_cost;
  if (options.total_cost && !inputs.models->any().tells_cost()) {
    return Error{ErrorCode::InvalidInput, "--total-cost needs prices, and none are known",
                 "give --prices FILE, or limit --total-tokens"};
  }
  if (options.total_time.empty()) return {};
  HELVE_ASSIGN(budget.time_max, parse_duration(options.total_time));
  return {};
}

// What decides the results beside cells, tasks, seeds and limits.
JsonValue config_of(const ExperimentCommandOptions& options, const Inputs& inputs) {
  const llm::ProviderSettings& model = inputs.models->settings();
  return object_of(
      {{"program", JsonValue(std::string("helve ") + kVersion)},
       // As it was named: with the seed of builtin:rules, where one was given.
       {"model", JsonValue(fmt::format("{}:{}", name_of(model.dialect), model.model))},
       {"server", JsonValue(redact(model.url))},
       {"sources", array_of(options.agent.session.sources)},
       {"context_budget", JsonValue(options.agent.budget)},
       {"guide", JsonValue(inputs.guide_digest)},
       {"extraction", JsonValue(extracts_by_model(options, inputs) ? "model" : "patterns")}});
}

Result<agent::ExperimentOptions> plan_options(const ExperimentCommandOptions& options,
                                              CommandContext& context) {
  agent::ExperimentOptions made;
  agent::PlanOptions plan;
  plan.rollouts = options.rollouts;
  plan.bank_max = options.bank_max;
  plan.has_own_seeds = options.memory_bank == name_of(agent::BankStart::Seeds);
  HELVE_ASSIGN(made.cells, agent::plan_cells(joined(options.cells), plan));
  made.repeats = options.repeats;
  made.seed = options.seed;
  made.parallel = options.parallel;
  made.seed_bank = options.seed_bank;
  made.retries_failed = options.retries_failed;
  HELVE_ASSIGN(made.request, read_ask_request(options.agent, context));
  return made;
}

Result<void> write_results(const agent::ExperimentResult& result,
                           const ExperimentCommandOptions& options, CommandContext& context) {
  const std::filesystem::path folder = options.out;
  HELVE_TRY(agent::write_json_file(folder / "results.json", agent::to_json(result), context.env));
  const agent::ReportFacts facts{to_utc(context.env.clock().wall()), command_of(options), true};
  return write_file_atomically(context.env, folder / "report.html",
                               agent::report_html(result, facts));
}

Result<void> status_of_result(const agent::ExperimentResult& result, CommandContext& context) {
  if (result.is_cancelled) {
    return Error{ErrorCode::Cancelled, result.stopped, "the same command goes on from there"};
  }
  if (!result.stopped.empty()) {
    return Error{ErrorCode::LimitExceeded, result.stopped,
                 "the same command with a larger budget goes on where it was"};
  }
  std::uint64_t failed = 0;
  for (const agent::SetResult& set : result.sets) {
    for (const agent::CellResult& cell : set.cells) failed += cell.failures.size();
  }
  if (failed == 0) return {};
  context.is_failure_reported = true;
  return Error{ErrorCode::Unavailable, fmt::format("{} failed", count_of(failed, "cell"))};
}

// Replies and tools of the memory are of ReAct: what runs Python would be the same in both halves.
Result<void> check_loop(const agent::ExperimentOptions& options) {
  if (options.request.loop == agent::Loop::React) return {};
  for (const agent::CellPlan& plan : options.cells) {
    if (!plan.id.starts_with("E7") && !plan.id.starts_with("E8")) continue;
    return Error{ErrorCode::InvalidInput,
                 fmt::format("{} compares tools that --loop rlm does not call", plan.id),
                 "name other cells, such as E1,E2,E3,E4,E5,E6,E9,E10,E11,E12, or use --loop react"};
  }
  return {};
}

// What the command would not look at. HELVE_BANK is of other commands, and no mistake.
Result<void> check_words(const ExperimentCommandOptions& options) {
  if (!options.agent.session.bank.empty()) {
    return Error{ErrorCode::InvalidInput, "cells have banks of their own: --bank is not for them",
                 "name a bank that E5, E6 and E8 begin with: --seed-bank FILE"};
  }
  if (!options.replay.empty() && !options.out.empty()) {
    return Error{ErrorCode::InvalidInput, "a replay writes nothing: --out is not for it",
                 "leave --out away, or --replay"};
  }
  return {};
}

// Cells would run to their end and have nothing to show.
Result<void> check_model(const ExperimentCommandOptions& options, const Inputs& inputs) {
  const llm::Provider& model = inputs.models->any();
  HELVE_TRY(check_loop_of(model, inputs.options.request.loop));
  if (!is_rules(model)) return {};
  if (options.extraction == "model") {
    return Error{ErrorCode::InvalidInput, "builtin:rules writes no lessons",
                 "leave --extract model away: patterns of queries need no model"};
  }
  std::uint64_t all = 0;
  std::uint64_t without = 0;
  for (const agent::TaskSet& set : inputs.sets) {
    all += set.cases.size();
    for (const agent::TaskCase& task : set.cases) without += task.reference.empty() ? 1 : 0;
  }
  if (without == 0) return {};
  return Error{ErrorCode::InvalidInput,
               fmt::format("{} of {} have no reference to be judged by, and builtin:rules cannot "
                           "judge",
                           without, count_of(all, "task")),
               "give them references, choose others with --only, or name a model, which judges "
               "them: --provider chat:MODEL@URL"};
}

Result<void> check_experiment_folder(const std::string& folder, CommandContext& context) {
  if (!agent::is_there(std::filesystem::path(folder) / "journal.jsonl", context.env)) return {};
  return Error{ErrorCode::InvalidInput, fmt::format("{} is a folder of helve learn", folder),
               "name another folder: --out DIR"};
}

Result<void> run_new(const ExperimentCommandOptions& given, CommandContext& context) {
  if (given.out.empty()) {
    return Error{ErrorCode::InvalidInput, "--out is missing", "name a folder for the results"};
  }
  HELVE_TRY(check_experiment_folder(given.out, context));
  HELVE_ASSIGN(ExperimentCommandOptions options, joined_with_folder(given, context));
  Inputs inputs;
  HELVE_ASSIGN(inputs.options, plan_options(options, context));
  // Each once, where words of before came to those of now.
  if (options.cells != given.cells) options.cells = ids_of(inputs.options.cells);
  HELVE_TRY(check_loop(inputs.options));
  inputs.options.folder = options.out;
  HELVE_ASSIGN(inputs.sets, read_sets(options, context));
  HELVE_ASSIGN(inputs.models, RolloutModels::open(options.agent.models.model, context.env));
  HELVE_TRY(check_model(options, inputs));
  HELVE_TRY(read_guide_file(options.guide, inputs, context));
  HELVE_TRY(read_budget(options, inputs.options.budget, inputs));
  HELVE_TRY(open_worlds(options, inputs, context));
  inputs.options.config = config_of(options, inputs);
  inputs.options.words = words_of(options, inputs.options.cells);
  OpContext op = context.op;
  op.executor = nullptr;  // cells are what runs at once
  const auto sets = inputs.experiment_sets();
  HELVE_ASSIGN(const agent::ExperimentResult result,
               agent::run_experiment(
                   sets, inputs.options, context.env,
                   [&context](std::string_view line) { context.note(line); }, op));
  for (const auto& [source, world] : inputs.worlds) world->finish(context.op);
  HELVE_TRY(write_results(result, options, context));
  HELVE_TRY(context.show(options.is_json
                             ? to_json(agent::to_json(result), JsonStyle::Indented) + "\n"
                             : agent::summary_text(result, context.out_terminal.width())));
  context.note(fmt::format("{}/report.html has the plots", options.out));
  return status_of_result(result, context);
}

Result<void> run_replay(const ExperimentCommandOptions& given, CommandContext& context) {
  HELVE_ASSIGN(const ExperimentCommandOptions options, recorded_options(given, context));
  Inputs inputs;
  HELVE_ASSIGN(inputs.options, plan_options(options, context));
  inputs.options.folder = options.replay;
  HELVE_ASSIGN(inputs.sets, read_sets(options, context));
  HELVE_TRY(open_worlds(options, inputs, context));
  OpContext op = context.op;
  op.executor = nullptr;
  const auto sets = inputs.experiment_sets();
  HELVE_ASSIGN(const agent::ExperimentReplay replay,
               agent::replay_experiment(
                   sets, inputs.options, context.env,
                   [&context](std::string_view line) { context.note(line); }, op));
  HELVE_TRY(context.show(options.is_json
                             ? to_json(agent::to_json(replay), JsonStyle::Indented) + "\n"
                             : agent::replay_text(replay)));
  if (replay.is_reproduced()) return {};
  context.is_failure_reported = true;
  return Error{ErrorCode::InvalidInput, "judged results are not what they were"};
}

}  // namespace

Result<void> run_experiment_command(const ExperimentCommandOptions& options,
                                    CommandContext& context) {
  HELVE_TRY(check_words(options));
  return options.replay.empty() ? run_new(options, context) : run_replay(options, context);
}

}  // namespace helve::cli
