#include "surfaces/cli/agent/experiment_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/experiment/cell_files.h"
#include "agent/experiment/runner.h"
#include "agent/learn/differences.h"
#include "agent/loops/json_object.h"
#include "agent/trajectory/json_members.h"
#include "base/redaction.h"

namespace helve::cli {

namespace {

using agent::array_of;
using agent::object_of;

std::vector<std::string> texts_of(const JsonValue& json, std::string_view key) {
  std::vector<std::string> texts;
  const JsonValue value = agent::member(json, key);
  if (value.if_array() == nullptr) return texts;
  for (const JsonValue& one : *value.if_array()) {
    if (one.if_string() != nullptr) texts.push_back(*one.if_string());
  }
  return texts;
}

// What decides which tasks there are, as options name it. Nothing chosen is null.
JsonValue choice_of(const std::vector<std::string>& only, std::uint64_t tasks_max,
                    const std::vector<std::string>& sources) {
  return object_of({{"--only", only.empty() ? JsonValue() : array_of(only)},
                    {"--max-tasks", tasks_max == 0 ? JsonValue() : JsonValue(tasks_max)},
                    {"--source", sources.empty() ? JsonValue() : array_of(sources)}});
}

std::string quoted(const std::string& word) {
  const bool is_plain = !word.empty() && word.find_first_not_of(
                                             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "0123456789_-./:,=@") == std::string::npos;
  if (is_plain) return word;
  std::string out = "'";
  for (const char character : word) {
    out += character == '\'' ? std::string("'\\''") : std::string(1, character);
  }
  return out + "'";
}

// Names of variables and files, never a key itself.
std::string key_words(const std::string& key) {
  return key.starts_with("env:") || key.starts_with("file:") ? key : std::string();
}

class CommandWords {
 public:
  explicit CommandWords(std::string command) : out_(std::move(command)) {}

  void add(const char* name, const std::string& word) {
    if (!word.empty()) out_ += fmt::format(" {} {}", name, quoted(word));
  }
  void add(const char* name, const std::vector<std::string>& words) {
    for (const std::string& one : words) add(name, one);
  }
  template <typename T>
  void add(const char* name, const std::optional<T>& value) {
    if (value) add(name, fmt::format("{}", *value));
  }
  // Only where it is not what it would be anyway.
  template <typename T>
  void add(const char* name, const T& value, const T& usual) {
    if (value != usual) add(name, fmt::format("{}", value));
  }
  std::string take() { return redact(out_); }

 private:
  std::string out_;
};

void add_model(const llm::ProviderWords& words, CommandWords& command) {
  command.add("--provider", words.provider);
  command.add("--model", words.model);
  command.add("--url", words.url);
  command.add("--key", key_words(words.key));
  command.add("--prices", words.prices_file);
  command.add("--model-config", words.config_file);
}

void add_limits(const AgentOptions& options, CommandWords& command) {
  command.add("--max-steps", options.steps_max);
  command.add("--max-calls", options.calls_max);
  command.add("--max-tokens", options.tokens_max);
  command.add("--max-output", options.output_max);
  command.add("--max-cost", options.cost_max);
  command.add("--time", options.time);
}

}  // namespace

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ","));
}

std::vector<std::string> ids_of(const std::vector<agent::CellPlan>& cells) {
  std::vector<std::string> ids;
  ids.reserve(cells.size());
  for (const agent::CellPlan& plan : cells) ids.push_back(plan.id);
  return ids;
}

JsonValue words_of(const ExperimentCommandOptions& options,
                   const std::vector<agent::CellPlan>& cells) {
  std::string memory_bank;
  for (const agent::CellPlan& plan : cells) {
    if (plan.id.starts_with("E8")) memory_bank = name_of(plan.bank);
  }
  return object_of({{"version", JsonValue(1)},
                    {"cells", JsonValue(joined(ids_of(cells)))},
                    {"tasks", array_of(options.tasks)},
                    {"only", array_of(options.only)},
                    {"tasks_max", JsonValue(std::uint64_t{options.tasks_max})},
                    {"sources", array_of(options.agent.session.sources)},
                    {"repeats", JsonValue(std::uint64_t{options.repeats})},
                    {"seed", JsonValue(options.seed)},
                    {"rollouts", JsonValue(std::uint64_t{options.rollouts})},
                    {"bank_max", JsonValue(options.bank_max)},
                    {"memory_bank", JsonValue(memory_bank)}});
}

Result<ExperimentCommandOptions> joined_with_folder(const ExperimentCommandOptions& options,
                                                    CommandContext& context) {
  const auto file = std::filesystem::path(options.out) / "experiment.json";
  HELVE_ASSIGN(const auto json, agent::read_json_file(file, context.env));
  if (!json || options.cells.empty() || options.tasks.empty()) return options;
  const std::string differences = agent::differences_of(
      choice_of(texts_of(*json, "only"), agent::count_member(*json, "tasks_max").value_or(0),
                texts_of(*json, "sources")),
      choice_of(options.only, options.tasks_max, options.agent.session.sources), "the choice");
  if (!differences.empty()) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("{} is of another experiment: its tasks were chosen otherwise: {}",
                             options.out, differences),
                 "choose another folder, or give --only, --max-tasks and --source as then"};
  }
  ExperimentCommandOptions both = options;
  if (const std::string cells = agent::text_member(*json, "cells"); !cells.empty()) {
    both.cells.insert(both.cells.begin(), cells);
  }
  std::vector<std::string> tasks = texts_of(*json, "tasks");
  for (const std::string& one : options.tasks) {
    if (std::find(tasks.begin(), tasks.end(), one) == tasks.end()) tasks.push_back(one);
  }
  both.tasks = std::move(tasks);
  both.repeats =
      std::max<std::size_t>(agent::count_member(*json, "repeats").value_or(0), options.repeats);
  both.memory_bank = agent::text_member(*json, "memory_bank");
  return both;
}

Result<ExperimentCommandOptions> recorded_options(const ExperimentCommandOptions& options,
                                                  CommandContext& context) {
  const auto file = std::filesystem::path(options.replay) / "experiment.json";
  HELVE_ASSIGN(const auto json, agent::read_json_file(file, context.env));
  if (!json) {
    return Error{ErrorCode::NotFound, fmt::format("{} is not there", file.string()),
                 "name the folder that helve experiment --out wrote"};
  }
  ExperimentCommandOptions recorded = options;
  if (recorded.cells.empty()) recorded.cells = {agent::text_member(*json, "cells")};
  if (recorded.tasks.empty()) {
    recorded.tasks = texts_of(*json, "tasks");
    recorded.only = texts_of(*json, "only");
    recorded.tasks_max = agent::count_member(*json, "tasks_max").value_or(0);
  }
  if (recorded.agent.session.sources.empty()) {
    recorded.agent.session.sources = texts_of(*json, "sources");
  }
  recorded.memory_bank = agent::text_member(*json, "memory_bank");
  recorded.repeats = agent::count_member(*json, "repeats").value_or(options.repeats);
  if (recorded.repeats > agent::kRepeatsMax) {
    return Error{ErrorCode::InvalidInput, fmt::format("{} has too many repeats", file.string())};
  }
  return recorded;
}

std::string command_of(const ExperimentCommandOptions& options) {
  const ExperimentCommandOptions usual;
  CommandWords command("helve experiment " + quoted(joined(options.cells)));
  command.add("--tasks", options.tasks);
  command.add("--only", options.only);
  command.add("--max-tasks", options.tasks_max, usual.tasks_max);
  command.add("--source", options.agent.session.sources);
  add_model(options.agent.models.model, command);
  command.add("--guide", options.guide);
  command.add("--seed-bank", options.seed_bank);
  command.add("--extract", options.extraction, usual.extraction);
  command.add("--loop", options.agent.loop, usual.agent.loop);
  command.add("--budget", options.agent.budget, usual.agent.budget);
  command.add("--repeats", fmt::format("{}", options.repeats));
  command.add("--seed", options.seed, usual.seed);
  command.add("--rollouts", options.rollouts, usual.rollouts);
  command.add("--bank-max", options.bank_max, usual.bank_max);
  add_limits(options.agent, command);
  command.add("--total-tokens", options.total_tokens);
  command.add("--total-cost", options.total_cost);
  command.add("--total-time", options.total_time);
  command.add("--out", options.out);
  return command.take();
}

}  // namespace helve::cli
