#include "agent/trajectory/stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "agent/trajectory/run_words.h"
#include "base/text.h"
#include "base/utf8.h"

namespace helve::agent {

namespace {

void count_call(const RecordedCall& call, std::map<std::string, ToolStats>& tools,
                RunStats& stats) {
  ++stats.tool_calls;
  stats.errors += call.is_error ? 1 : 0;
  stats.reply_chars += call.chars;
  if (call.chars > stats.largest_reply_chars) {
    stats.largest_reply_chars = call.chars;
    stats.largest_reply_tool = call.name;
  }
  ToolStats& tool = tools[call.name];
  tool.name = call.name;
  ++tool.calls;
  tool.errors += call.is_error ? 1 : 0;
  tool.chars += call.chars;
  tool.chars_max = std::max(tool.chars_max, call.chars);
}

std::string count_line(std::string_view name, std::uint64_t count, const std::string& more = {}) {
  return fmt::format("{:<14}{}{}\n", name, format_count(count), more);
}

std::string of_which(std::uint64_t count, std::string_view what) {
  return count == 0 ? "" : fmt::format(" ({} {})", format_count(count), what);
}

JsonValue number(std::uint64_t count) { return JsonValue(count); }

JsonValue tool_json(const ToolStats& tool) {
  JsonValue::Object one;
  one.push_back({"name", JsonValue(tool.name)});
  one.push_back({"calls", number(tool.calls)});
  one.push_back({"errors", number(tool.errors)});
  one.push_back({"chars", number(tool.chars)});
  one.push_back({"chars_max", number(tool.chars_max)});
  return JsonValue(std::move(one));
}

}  // namespace

RunStats stats_of(const RecordedRun& run) {
  RunStats stats;
  stats.steps = run.steps.size();
  stats.usage = run.usage;
  stats.prompt_chars =
      run.system_chars + run.context_chars + run.history_chars + utf8_length(run.task);
  std::map<std::string, ToolStats> tools;
  for (const RecordedStep& step : run.steps) {
    for (const RecordedCall& call : step.calls) count_call(call, tools, stats);
    for (const RecordedModelCall& call : step.model_calls) {
      ++stats.model_calls;
      stats.sub_calls += call.is_sub ? 1 : 0;
      stats.errors += call.error.empty() ? 0 : 1;
      stats.retries += call.retries;
    }
    stats.errors += step.error.empty() ? 0 : 1;
    if (run.is_rlm()) stats.prompt_chars += utf8_length(step.output);
  }
  if (!run.is_rlm()) stats.prompt_chars += stats.reply_chars;
  for (auto& [name, tool] : tools) stats.tools.push_back(std::move(tool));
  std::stable_sort(stats.tools.begin(), stats.tools.end(),
                   [](const ToolStats& a, const ToolStats& b) { return a.calls > b.calls; });
  return stats;
}

std::string stats_text(const RecordedRun& run) {
  const RunStats stats = stats_of(run);
  std::string out = fmt::format("{:<14}{}\n", "task", one_line(run.task, kLineChars));
  out += fmt::format("{:<14}{}\n", "loop", loop_words(run));
  out += fmt::format("{:<14}{}\n", "end", end_words(run));
  const std::string judgment = judgment_words(run);
  if (!judgment.empty()) {
    out += fmt::format("{:<14}{}\n", "judgment", one_line(judgment, kLineChars));
  }
  out += count_line("steps", stats.steps);
  out += count_line("model calls", stats.model_calls,
                    of_which(stats.sub_calls, "by code") + of_which(stats.retries, "retries"));
  out += count_line("tool calls", stats.tool_calls);
  out += count_line("errors", stats.errors);
  out += fmt::format("{:<14}{}\n", "tokens", token_words(stats.usage));
  out += fmt::format("{:<14}{}\n", "cost", cost_words(stats.usage));
  out += count_line("in the prompt", stats.prompt_chars, " characters");
  if (!stats.largest_reply_tool.empty()) {
    out += count_line(
        "largest reply", stats.largest_reply_chars,
        fmt::format(" characters, of {}", one_line(stats.largest_reply_tool, kNameChars)));
  }
  for (const ToolStats& tool : stats.tools) {
    out += fmt::format("  {:<24} {:>6} {:<6} {:>9} characters{}\n", one_line(tool.name, kNameChars),
                       format_count(tool.calls), tool.calls == 1 ? "call" : "calls",
                       format_count(tool.chars), of_which(tool.errors, "failed"));
  }
  return out;
}

JsonValue stats_json(const RecordedRun& run) {
  const RunStats stats = stats_of(run);
  JsonValue::Object out;
  out.push_back({"task", JsonValue(run.task)});
  out.push_back({"loop", JsonValue(run.loop)});
  out.push_back({"model", JsonValue(run.model)});
  out.push_back({"stop_reason", run.has_end ? JsonValue(run.stop_reason) : JsonValue()});
  if (run.judgment) out.push_back({"verdict", JsonValue(run.judgment->verdict)});
  out.push_back({"steps", number(stats.steps)});
  out.push_back({"model_calls", number(stats.model_calls)});
  out.push_back({"sub_calls", number(stats.sub_calls)});
  out.push_back({"retries", number(stats.retries)});
  out.push_back({"tool_calls", number(stats.tool_calls)});
  out.push_back({"errors", number(stats.errors)});
  out.push_back({"input_tokens", number(stats.usage.input_tokens)});
  out.push_back({"cached_tokens", number(stats.usage.cached_tokens)});
  out.push_back({"output_tokens", number(stats.usage.output_tokens)});
  out.push_back({"cost", stats.usage.cost ? JsonValue(*stats.usage.cost) : JsonValue()});
  out.push_back({"prompt_chars", number(stats.prompt_chars)});
  out.push_back({"reply_chars", number(stats.reply_chars)});
  out.push_back({"largest_reply_tool", JsonValue(stats.largest_reply_tool)});
  out.push_back({"largest_reply_chars", number(stats.largest_reply_chars)});
  JsonValue::Array tools;
  for (const ToolStats& tool : stats.tools) tools.push_back(tool_json(tool));
  out.push_back({"tools", JsonValue(std::move(tools))});
  return JsonValue(std::move(out));
}

}  // namespace helve::agent
