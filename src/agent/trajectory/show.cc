#include "agent/trajectory/show.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/trajectory/json_members.h"
#include "agent/trajectory/run_json.h"
#include "agent/trajectory/run_words.h"
#include "agent/trajectory/stats.h"
#include "base/text.h"

namespace helve::agent {

namespace {

constexpr std::string_view kIndent = "            ";  // below the names

// "  model     text": one line, or all of them.
std::string entry(std::string_view name, std::string_view text, bool is_full) {
  const bool is_folded = !is_full || text.find('\n') == std::string_view::npos;
  if (is_folded) {
    return fmt::format("  {:<10}{}\n", name,
                       is_full ? escape_for_terminal(text) : one_line(text, kLineChars));
  }
  return fmt::format("  {}\n{}", name, all_lines(text, kIndent));
}

std::string optional_entry(std::string_view name, std::string_view text, bool is_full) {
  return text.empty() ? "" : entry(name, text, is_full);
}

std::string result_entry(const RecordedCall& call, bool is_full) {
  if (!call.has_result) return entry("result", "none was recorded", is_full);
  if (call.is_error) {
    return entry("error", call.error.empty() ? call.preview : call.error, is_full);
  }
  std::string head = call.handle;
  if (call.rows) {
    head += fmt::format("{}{} {}", head.empty() ? "" : ", ", format_count(*call.rows),
                        *call.rows == 1 ? "row" : "rows");
  }
  head += fmt::format("{}{} characters", head.empty() ? "" : ", ", format_count(call.chars));
  if (is_full && !call.preview.empty()) return entry("result", head + "\n" + call.preview, true);
  return entry("result", call.preview.empty() ? head : head + ": " + call.preview, is_full);
}

std::string model_entry(const RecordedModelCall& call, bool is_full) {
  std::string out = optional_entry("thinks", call.reasoning, is_full);
  std::string text = call.error.empty() ? call.text : "failed: " + call.error;
  if (text.empty()) {
    text = call.calls.empty() ? "(no text)" : fmt::format("calls {}", fmt::join(call.calls, ", "));
  }
  out += optional_entry("asks", call.prompt, is_full);
  out += entry(call.is_sub ? "sub-model" : "model", text, is_full);
  if (is_full) {
    out += entry("tokens",
                 token_words(call.usage) +
                     (call.retries == 0 ? "" : fmt::format(", {} retries", call.retries)),
                 true);
  }
  return out;
}

std::string step_text(const RecordedStep& step, bool is_full) {
  std::string out = fmt::format("step {}\n", step.n);
  out += optional_entry("caller", step.message, is_full);
  const bool has_reasoning = std::any_of(
      step.model_calls.begin(), step.model_calls.end(), [&](const RecordedModelCall& call) {
        return !call.reasoning.empty() || call.text == step.reasoning;
      });
  if (!has_reasoning) out += optional_entry("thinks", step.reasoning, is_full);
  for (const RecordedModelCall& call : step.model_calls) {
    if (!call.is_sub) out += model_entry(call, is_full);
  }
  out += optional_entry("code", step.code, is_full);
  for (const RecordedCall& call : step.calls) {
    out += entry("call", call_words(call), is_full);
    out += result_entry(call, is_full);
  }
  for (const RecordedModelCall& call : step.model_calls) {
    if (call.is_sub) out += model_entry(call, is_full);
  }
  out += optional_entry("output", step.output, is_full);
  out += optional_entry("error", step.error, is_full);
  return out;
}

std::string head_text(const RecordedRun& run, bool is_full) {
  std::string out = "run\n";
  out += entry("task", run.task, is_full);
  out += entry("loop", loop_words(run), false);
  out += entry("context",
               fmt::format("{} characters; the system text has {}", format_count(run.context_chars),
                           format_count(run.system_chars)),
               false);
  if (is_full) out += optional_entry("system", text_member(run.start, "system"), true);
  return out;
}

std::string end_text(const RecordedRun& run, bool is_full) {
  std::string out = "end\n";
  out += entry("reason", end_words(run), false);
  out += optional_entry("answer", run.answer, is_full);
  out += optional_entry("query", run.query, is_full);
  out += entry("tokens", token_words(run.usage), false);
  out += entry("cost", cost_words(run.usage), false);
  out += entry("prompt", prompt_words(stats_of(run)), false);
  out += optional_entry("judgment", judgment_words(run), is_full);
  for (const RecordedMemory& one : run.memory) {
    out += entry("memory", fmt::format("{} {}: {}", one.state, one.id, one.title), is_full);
  }
  return out;
}

Result<const RecordedStep*> find_step(const RecordedRun& run, std::uint64_t n) {
  const auto found = std::find_if(run.steps.begin(), run.steps.end(),
                                  [n](const RecordedStep& step) { return step.n == n; });
  if (found != run.steps.end()) return &*found;
  return Error{ErrorCode::NotFound, fmt::format("the run has no step {}", n),
               run.steps.empty() ? "it has none"
                                 : fmt::format("its steps are {} to {}", run.steps.front().n,
                                               run.steps.back().n)};
}

}  // namespace

Result<std::string> show_run(const RecordedRun& run, const ShowOptions& options) {
  if (options.step) {
    HELVE_ASSIGN(const RecordedStep* const step, find_step(run, *options.step));
    return step_text(*step, options.is_full);
  }
  std::string out = head_text(run, options.is_full);
  for (const RecordedStep& step : run.steps) out += step_text(step, options.is_full);
  return out + end_text(run, options.is_full);
}

Result<JsonValue> show_json(const RecordedRun& run, const ShowOptions& options) {
  if (!options.step) return run_json(run);
  HELVE_ASSIGN(const RecordedStep* const step, find_step(run, *options.step));
  return step_json(*step);
}

std::string list_text(const std::vector<RecordedRun>& runs) {
  std::string out;
  for (const RecordedRun& run : runs) {
    out += fmt::format("{:>3}  {:<20}  {:<6} {:>3} {:<5}  {:<12}  {}\n", run.number,
                       run.time.empty() ? "no time" : one_line(run.time, kNameChars),
                       one_line(run.loop, kNameChars), run.steps.size(),
                       run.steps.size() == 1 ? "step" : "steps",
                       run.has_end ? one_line(run.stop_reason, kNameChars) : "no end",
                       one_line(run.task, kLineChars));
  }
  return out;
}

JsonValue list_json(const std::vector<RecordedRun>& runs) {
  JsonValue::Array out;
  for (const RecordedRun& run : runs) out.push_back(head_json(run));
  return JsonValue(std::move(out));
}

}  // namespace helve::agent
