#include "agent/learn/loop_start.h"

#include <string>

#include "agent/loops/json_object.h"
#include "base/digest.h"

namespace helve::agent {

namespace {

constexpr int kJournalVersion = 1;

JsonValue limits_json(const RunLimits& limits) {
  return object_of(
      {{"max-steps", JsonValue(limits.iterations_max)},
       {"max-calls", JsonValue(limits.tool_calls_max)},
       {"model-calls", JsonValue(limits.model_calls_max)},
       {"max-tokens", JsonValue(limits.tokens_max)},
       {"max-cost", limits.cost_max ? JsonValue(*limits.cost_max) : JsonValue()},
       {"time-seconds",
        JsonValue(std::uint64_t(
            std::chrono::duration_cast<std::chrono::seconds>(limits.time_max).count()))},
       {"answer-chars", JsonValue(std::uint64_t{limits.answer_chars_max})}});
}

// Texts that may be long, as a digest.
std::string short_of(const std::string& text) {
  constexpr std::size_t kDigits = 16;
  return text.empty() ? text : digest_hex(DigestKind::Sha256, text).substr(0, kDigits);
}

JsonValue request_json(const AskRequest& request) {
  JsonValue::Array budgets;
  for (const std::size_t budget : request.context.budgets) {
    budgets.emplace_back(std::uint64_t{budget});
  }
  std::string hints = request.hints.business + "\n" + request.hints.schema_summary.value_or("");
  for (const std::string& name : request.hints.relevant) hints += "\n" + name;
  return object_of({{"loop", JsonValue(name_of(request.loop))},
                    {"layers", JsonValue(request.context.layers.to_string())},
                    {"budget", JsonValue(std::move(budgets))},
                    {"hints", JsonValue(short_of(hints))},
                    {"signature", JsonValue(request.signature)},
                    {"replies", JsonValue(name_of(request.reply_form))},
                    {"limits", limits_json(request.limits)}});
}

JsonValue forgets_json(const LearnOptions& options) {
  if (!options.forgets) return {};
  return object_of({{"bank-max", JsonValue(options.forgets->items_max)},
                    {"floor", JsonValue(options.forgets->floor)}});
}

}  // namespace

JsonValue loop_start(const TaskSet& tasks, const LearnOptions& options) {
  JsonValue::Object config;
  for (const auto& [name, value] : options.config) config.push_back({name, JsonValue(value)});
  // A part of a set may have the digest of the whole.
  std::string ids;
  for (const TaskCase& one : tasks.cases) ids += one.id + "\n";
  return object_of(
      {{"version", JsonValue(kJournalVersion)},
       {"tasks", object_of({{"task set", JsonValue(tasks.name)},
                            {"digest of tasks", JsonValue(tasks.digest)},
                            {"number of tasks", JsonValue(std::uint64_t{tasks.cases.size()})},
                            {"choice of tasks", JsonValue(short_of(ids))}})},
       {"seed", JsonValue(options.seed)},
       {"options", object_of({{"rollouts", JsonValue(std::uint64_t{options.rollouts})},
                              {"stores", JsonValue(options.stores)},
                              {"consolidate", JsonValue(options.consolidates)},
                              {"forgetting", forgets_json(options)},
                              {"request", request_json(options.request)}})},
       {"config", JsonValue(std::move(config))}});
}

}  // namespace helve::agent
