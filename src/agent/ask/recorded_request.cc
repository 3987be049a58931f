#include "agent/ask/recorded_request.h"

#include <algorithm>

#include "agent/trajectory/json_members.h"

namespace helve::agent {

namespace {

// A trajectory comes from anywhere: what it says must not decide how much of this machine is taken.
constexpr std::uint64_t kCountMax = 1'000'000'000;  // as the options of helve ask
constexpr std::uint64_t kParallelMax = 16;          // each is a thread
constexpr std::uint64_t kAnswerCharsMax = 1'000'000;
constexpr double kSecondsMax = 86'400;

template <typename Count>
void read_count(const JsonValue& config, std::string_view key, std::uint64_t most, Count& value) {
  const auto count = count_member(config, key);
  if (count) value = static_cast<Count>(std::min(*count, most));
}

RunLimits read_limits(const JsonValue& config) {
  RunLimits limits;
  read_count(config, "iterations_max", kCountMax, limits.iterations_max);
  read_count(config, "tool_calls_max", kCountMax, limits.tool_calls_max);
  read_count(config, "model_calls_max", kCountMax, limits.model_calls_max);
  read_count(config, "tokens_max", kCountMax, limits.tokens_max);
  read_count(config, "output_tokens_max", kCountMax, limits.output_tokens_max);
  limits.cost_max = number_member(config, "cost_max");
  const double seconds = number_member(config, "time_max_s").value_or(0);
  if (seconds > 0) {
    limits.time_max = std::chrono::duration_cast<Duration>(
        std::chrono::duration<double>(std::min(seconds, kSecondsMax)));
  }
  read_count(config, "parallel_calls_max", kParallelMax, limits.parallel_calls_max);
  read_count(config, "answer_chars_max", kAnswerCharsMax, limits.answer_chars_max);
  return limits;
}

std::vector<std::string> read_texts(const JsonValue& json) {
  std::vector<std::string> texts;
  if (json.if_array() == nullptr) return texts;
  for (const JsonValue& one : *json.if_array()) {
    if (one.if_string() != nullptr) texts.push_back(*one.if_string());
  }
  return texts;
}

ContextHints read_hints(const JsonValue& json) {
  ContextHints hints;
  hints.relevant = read_texts(member(json, "relevant"));
  hints.business = text_member(json, "business");
  const std::string summary = text_member(json, "schema_summary");
  if (!summary.empty()) hints.schema_summary = summary;
  return hints;
}

// The layers as they were told to the model.
void read_context(const JsonValue& context, RunRequest& request) {
  if (context.if_string() != nullptr) request.context = *context.if_string();
  if (context.if_array() == nullptr) return;
  request.layers = context;
  for (const JsonValue& layer : *context.if_array()) request.context += text_member(layer, "text");
}

std::vector<llm::Message> read_history(const JsonValue& json) {
  std::vector<llm::Message> history;
  if (json.if_array() == nullptr) return history;
  for (const JsonValue& one : *json.if_array()) {
    const bool is_answer = text_member(one, "role") == "assistant";
    history.push_back(
        {is_answer ? llm::Role::Assistant : llm::Role::User, text_member(one, "text")});
  }
  return history;
}

}  // namespace

Result<RecordedRequest> recorded_request(const RecordedRun& run) {
  const JsonValue config = member(run.start, "config");
  RecordedRequest request;
  HELVE_ASSIGN(request.loop, read_loop(run.loop));
  request.run.question = run.task;
  request.run.source = text_member(config, "source");
  const std::string signature = text_member(config, "signature");
  if (!signature.empty()) request.run.signature = signature;
  request.run.limits = read_limits(config);
  request.run.hints = read_hints(member(config, "hints"));
  request.run.origin = member(run.start, "origin");
  if (text_member(config, "replies") == name_of(ReplyForm::Payloads)) {
    request.run.reply_form = ReplyForm::Payloads;
  }
  request.run.more_tools = read_texts(member(config, "more_tools"));
  read_context(member(run.start, "context"), request.run);
  request.run.history = read_history(member(run.start, "history"));
  return request;
}

}  // namespace helve::agent
