#include "surfaces/cli/agent/learn_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "agent/judge/judge.h"
#include "agent/learn/extraction.h"
#include "base/ascii.h"
#include "base/digest.h"
#include "surfaces/cli/agent/ask_session.h"
#include "surfaces/cli/agent/judge_notes.h"
#include "surfaces/cli/agent/learn_view.h"
#include "surfaces/cli/agent/rollouts.h"
#include "surfaces/cli/duration.h"
#include "surfaces/cli/memory_command.h"
#include "surfaces/cli/version.h"

namespace helve::cli {

namespace {

// A bank of fewer keeps what it has of each polarity.
constexpr std::uint64_t kFloorShare = 4;

// The place of the bank, as users write it; empty: none is named.
std::string bank_place(const LearnCommandOptions& options) {
  const std::string& place = options.agent.session.bank;
  if (place.empty() || place.find("://") != std::string::npos) return place;
  return std::filesystem::absolute(place).lexically_normal().string();
}

std::string safe_name(std::string name) {
  for (char& c : name) {
    const bool is_safe = is_letter_or_digit(c) || c == '-' || c == '_';
    if (!is_safe) c = '_';
  }
  return name.empty() ? "tasks" : name;
}

Result<std::filesystem::path> folder_of(const LearnCommandOptions& options,
                                        const agent::TaskSet& tasks, const std::string& bank) {
  if (!options.out.empty()) return std::filesystem::path(options.out);
  if (bank.empty() || bank.find("://") != std::string::npos) {
    return Error{ErrorCode::InvalidInput, "nothing says where journal and trajectories go",
                 "name a folder: --out DIR"};
  }
  std::filesystem::path folder = bank;
  folder += ".learn";
  return folder / (safe_name(tasks.name) + (options.is_dry_run ? "-dry-run" : ""));
}

// Files of both would lie in one folder, and --replay would not tell them apart.
Result<void> check_learn_folder(const std::filesystem::path& folder, CommandContext& context) {
  if (!context.env.files().status(folder / "experiment.json")) return {};
  return Error{ErrorCode::InvalidInput,
               fmt::format("{} is the folder of an experiment", folder.string()),
               "name another folder: --out DIR"};
}

Result<agent::TaskSet> read_tasks(const LearnCommandOptions& options, CommandContext& context) {
  HELVE_ASSIGN(auto set, agent::read_task_set(options.tasks, context.env, context.op));
  HELVE_ASSIGN(set, agent::choose_tasks(std::move(set), options.only, options.tasks_max));
  const auto without =
      std::count_if(set.cases.begin(), set.cases.end(),
                    [](const agent::TaskCase& task) { return task.reference.empty(); });
  if (without != 0 && options.judge_model.empty()) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("{} of {} have no reference to be judged by", without,
                             count_of(set.cases.size(), "task")),
                 "name a model that judges them: --judge-model chat:MODEL@URL"};
  }
  return set;
}

// All that a loop works with. Declared in the order in which it depends on itself.
struct LearnWorld {
  agent::TaskSet tasks;
  agent::LearnOptions options;
  LearnPlaces places;
  std::shared_ptr<memory::MemoryBank> bank;
  std::shared_ptr<RolloutModels> models;
  std::shared_ptr<llm::Provider> judge_model;
  agent::ModelJudgeOptions judge_notes;
  std::shared_ptr<llm::Provider> extract_model;
  std::shared_ptr<RolloutSources> sources;
  Workplace judge_place;
  std::unique_ptr<agent::RolloutMaker> rollouts;
  std::unique_ptr<agent::Judge> judge;
  std::unique_ptr<agent::Extractor> extractor;
};

// Told before anything runs: every task would fail.
Result<void> check_writes(const llm::Provider& model, std::string_view option) {
  if (!is_rules(model)) return {};
  if (option == "--judge-model") {
    return Error{ErrorCode::InvalidInput, "builtin:rules cannot judge",
                 "name a model: --judge-model chat:MODEL@URL; tasks with a reference need none"};
  }
  return Error{ErrorCode::InvalidInput, "builtin:rules writes no lessons",
               "leave --extract-model away: patterns of queries need no model"};
}

// A second model beside that of the runs, and the key of its server.
struct ModelWord {
  const std::string& provider;
  const std::string& key;
};

Result<std::shared_ptr<llm::Provider>> open_model(ModelWord word, std::string_view option,
                                                  const llm::ProviderWords& common, bool needs_cost,
                                                  Env& env) {
  llm::ProviderWords words;
  words.provider = word.provider;
  words.key = word.key;
  words.prices_file = common.prices_file;
  HELVE_ASSIGN(const auto settings, llm::settle_provider(words, env));
  HELVE_ASSIGN(auto model, llm::open_provider(settings, env));
  HELVE_TRY(check_writes(*model, option));
  if (needs_cost && !model->tells_cost()) {
    return Error{
        ErrorCode::InvalidInput,
        fmt::format("no prices are known of the model of {}, and a limit on cost is given", option),
        "give prices with --prices, or limit tokens"};
  }
  return model;
}

Result<void> read_notes(const LearnCommandOptions& options, LearnWorld& world,
                        CommandContext& context) {
  const bool is_any = !options.judge_principles.empty() || !options.judge_episodes.empty();
  if (is_any && options.judge_model.empty()) {
    return Error{ErrorCode::InvalidInput,
                 "--judge-principles and --judge-episodes are for a judge that is a model",
                 "name it: --judge-model chat:MODEL@URL"};
  }
  agent::ModelJudgeOptions& notes = world.judge_notes;
  HELVE_ASSIGN(notes.principles, read_judge_notes(options.judge_principles, context));
  HELVE_ASSIGN(notes.episodes, read_judge_notes(options.judge_episodes, context));
  return {};
}

// A key that nobody is sent was meant for somebody.
Result<void> check_keys(const LearnCommandOptions& options) {
  if (!options.judge_key.empty() && options.judge_model.empty()) {
    return Error{ErrorCode::InvalidInput, "--judge-key is the key of --judge-model",
                 "name the model: --judge-model chat:MODEL@URL"};
  }
  const bool has_own = !options.extract_model.empty() && options.extract_model != "same";
  if (!options.extract_key.empty() && !has_own) {
    return Error{ErrorCode::InvalidInput, "--extract-key is the key of --extract-model",
                 "name the model: --extract-model chat:MODEL@URL; of the same one, --key is"};
  }
  return {};
}

// What another judge would make of them is another loop.
std::string notes_digest(const agent::ModelJudgeOptions& notes) {
  if (notes.principles.empty() && notes.episodes.empty()) return {};
  constexpr std::size_t kDigits = 16;
  return digest_hex(DigestKind::Sha256, fmt::format("{}\n\n{}", fmt::join(notes.principles, "\n"),
                                                    fmt::join(notes.episodes, "\n")))
      .substr(0, kDigits);
}

Result<void> open_models(const LearnCommandOptions& options, LearnWorld& world,
                         CommandContext& context) {
  const bool needs_cost = options.total_cost.has_value();
  HELVE_TRY(check_keys(options));
  HELVE_ASSIGN(world.models, RolloutModels::open(options.agent.models.model, context.env));
  HELVE_TRY(check_loop_of(world.models->any(), world.options.request.loop));
  if (!options.judge_model.empty()) {
    HELVE_ASSIGN(world.judge_model,
                 open_model({options.judge_model, options.judge_key}, "--judge-model",
                            options.agent.models.model, needs_cost, context.env));
  }
  HELVE_TRY(read_notes(options, world, context));
  if (options.extract_model == "same") {
    HELVE_TRY(check_writes(world.models->any(), "--extract-model"));
    HELVE_ASSIGN(world.extract_model, world.models->of_seed(options.seed));
  } else if (!options.extract_model.empty()) {
    HELVE_ASSIGN(world.extract_model,
                 open_model({options.extract_model, options.extract_key}, "--extract-model",
                            options.agent.models.model, needs_cost, context.env));
  }
  return {};
}

Result<void> settle_options(const LearnCommandOptions& options, LearnWorld& world,
                            CommandContext& context) {
  agent::LearnOptions& made = world.options;
  HELVE_ASSIGN(made.request, read_ask_request(options.agent, context));
  made.rollouts = options.rollouts;
  made.parallel = options.parallel;
  made.seed = options.seed;
  made.stores = !options.is_dry_run;
  made.consolidates = options.consolidates;
  made.has_times = options.agent.has_times;
  if (options.bank_max) {
    made.forgets =
        learning::ForgetOptions{true, *options.bank_max, *options.bank_max / kFloorShare};
  }
  made.budget.tokens_max = options.total_tokens;
  made.budget.cost_max = options.total_cost;
  if (!options.total_time.empty()) {
    HELVE_ASSIGN(made.budget.time_max, parse_duration(options.total_time));
  }
  return {};
}

// What a journal must not go on with another one of.
void settle_config(const LearnCommandOptions& options, LearnWorld& world) {
  const auto words = [](const llm::Provider& model) {
    return fmt::format("{}:{}", model.name(), model.model());
  };
  world.options.config = {
      {"program", std::string("helve ") + kVersion},
      {"source", fmt::format("{}", fmt::join(options.agent.session.sources, " "))},
      {"bank", world.places.bank},
      {"model", words(world.models->any())},
      {"judge", world.judge_model ? words(*world.judge_model) : "execution"},
      {"extraction", world.extract_model ? words(*world.extract_model) : "patterns"}};
  if (const std::string notes = notes_digest(world.judge_notes); !notes.empty()) {
    world.options.config.push_back({"judge_notes", notes});
  }
}

void make_parts(LearnWorld& world) {
  const agent::JudgeParts parts{*world.judge_place.toolkit, world.judge_place.caller,
                                world.judge_place.source};
  world.rollouts = make_rollouts(world.sources, world.models, world.bank, MemoryUse::Lessons);
  world.judge = agent::make_judge(
      agent::make_execution_judge(parts),
      world.judge_model ? agent::make_model_judge(parts, *world.judge_model, world.judge_notes)
                        : nullptr);
  world.extractor = world.extract_model ? agent::make_model_extractor(*world.extract_model)
                                        : agent::make_pattern_extractor();
}

// Nothing is loaded before all words are known to be right.
Result<std::unique_ptr<LearnWorld>> open_world(LearnCommandOptions options,
                                               CommandContext& context) {
  auto world = std::make_unique<LearnWorld>();
  HELVE_ASSIGN(world->tasks, read_tasks(options, context));
  ToolSessionOptions& session = options.agent.session;
  if (session.sources.empty() && !world->tasks.source.empty()) {
    session.sources = {world->tasks.source};
  }
  HELVE_TRY(settle_options(options, *world, context));
  world->places = {"", bank_place(options), options.is_dry_run};
  if (world->places.bank.empty() && !options.is_dry_run) {
    return Error{ErrorCode::InvalidInput, "there is no bank to store lessons in",
                 "name one: --bank FILE; --dry-run judges alone"};
  }
  HELVE_ASSIGN(world->options.folder, folder_of(options, world->tasks, world->places.bank));
  HELVE_TRY(check_learn_folder(world->options.folder, context));
  world->places.folder = world->options.folder.string();
  HELVE_TRY(open_models(options, *world, context));
  settle_config(options, *world);
  HELVE_ASSIGN(world->sources, RolloutSources::open(session, context));
  HELVE_ASSIGN(world->judge_place, world->sources->make_workplace(nullptr));
  HELVE_ASSIGN(SessionBank bank, open_session_bank(session.bank, options.is_dry_run, context));
  world->bank = std::move(bank.bank);
  make_parts(*world);
  return world;
}

Result<void> status_of(const agent::LearnReport& report) {
  if (report.stopped == "cancelled") return Error{ErrorCode::Cancelled, "cancelled"};
  if (!report.stopped.empty()) {
    return Error{ErrorCode::LimitExceeded, report.stopped + " used up"};
  }
  const bool has_failed = std::any_of(
      report.tasks.begin(), report.tasks.end(),
      [](const agent::LearnedTask& task) { return task.state == agent::TaskState::Failed; });
  if (has_failed) return Error{ErrorCode::Unavailable, "tasks failed"};
  return {};
}

}  // namespace

Result<void> run_learn(const LearnCommandOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const auto world, open_world(options, context));
  std::size_t number = 0;
  const auto tell = [&](const agent::LearnedTask& task) {
    // Tasks that are not reached are not told of, and are the last.
    context.note(task_line(task, ++number, world->tasks.cases.size()));
  };
  const agent::LearnParts parts{*world->rollouts,
                                *world->judge,
                                *world->extractor,
                                world->bank.get(),
                                world->sources->origin(context.op),
                                context.env,
                                tell};
  const auto report = agent::learn(world->tasks, world->options, parts, context.op);
  world->sources->finish(context.op);
  if (!report) return report.error();
  HELVE_TRY(context.show(
      options.is_json ? to_json(learn_json(*report, world->places), JsonStyle::Indented) + "\n"
                      : learn_summary(*report, world->places)));
  context.is_failure_reported = true;
  return status_of(*report);
}

}  // namespace helve::cli
