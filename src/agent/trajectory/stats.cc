#include "agent/trajectory/stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "agent/llm/exchange_json.h"
#include "agent/trajectory/json_members.h"
#include "agent/trajectory/run_words.h"
#include "base/text.h"

namespace helve::agent {

namespace {

void count_call(const RecordedCall& call, std::map<std::string, ToolStats>& tools,
                RunStats& stats) {
  // What is handed in is no call of a tool, and may be refused as one.
  stats.tool_calls += call.name == "submit" ? 0 : 1;
  stats.errors += call.is_error ? 1 : 0;
  stats.reply_chars = saturated_sum(stats.reply_chars, call.chars);
  if (call.chars > stats.largest_reply_chars) {
    stats.largest_reply_chars = call.chars;
    stats.largest_reply_tool = call.name;
  }
  ToolStats& tool = tools[call.name];
  tool.name = call.name;
  ++tool.calls;
  tool.errors += call.is_error ? 1 : 0;
  tool.chars = saturated_sum(tool.chars, call.chars);
  tool.chars_max = std::max(tool.chars_max, call.chars);
}

// Code that lets the error of a call pass fails with it: that is one error.
bool is_told_by_a_call(const RecordedStep& step) {
  const auto has = [&](const std::string& error) {
    return !error.empty() && step.error.find(error) != std::string::npos;
  };
  return std::any_of(step.calls.begin(), step.calls.end(),
                     [&](const RecordedCall& call) { return has(call.error); }) ||
         std::any_of(step.model_calls.begin(), step.model_calls.end(),
                     [&](const RecordedModelCall& call) { return has(call.error); });
}

std::string count_line(std::string_view name, std::uint64_t count, const std::string& more = {}) {
  return fmt::format("{:<14}{}{}\n", name, format_count(count), more);
}

std::string of_which(std::uint64_t count, std::string_view what) {
  return count == 0 ? "" : fmt::format(" ({} {})", format_count(count), what);
}

JsonValue number(std::uint64_t count) { return JsonValue(count); }
JsonValue number(const std::optional<std::uint64_t>& count) {
  return count ? JsonValue(*count) : JsonValue();
}

// What the run itself has summed up; of one that was cut off, what its calls say.
void count_prompts(const RecordedRun& run, RunStats& stats) {
  const JsonValue leakage = member(run.end, "leakage");
  stats.prompt_chars = count_member(leakage, "prompt_chars");
  stats.prompt_chars_max = count_member(leakage, "prompt_chars_max");
  if (stats.prompt_chars) return;
  for (const RecordedStep& step : run.steps) {
    for (const RecordedModelCall& call : step.model_calls) {
      if (!call.chars) continue;
      stats.prompt_chars = saturated_sum(stats.prompt_chars.value_or(0), *call.chars);
      stats.prompt_chars_max = std::max(stats.prompt_chars_max.value_or(0), *call.chars);
    }
  }
}

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
  count_prompts(run, stats);
  std::map<std::string, ToolStats> tools;
  for (const RecordedStep& step : run.steps) {
    for (const RecordedCall& call : step.calls) count_call(call, tools, stats);
    for (const RecordedModelCall& call : step.model_calls) {
      ++stats.model_calls;
      stats.sub_calls += call.is_sub ? 1 : 0;
      stats.errors += call.error.empty() ? 0 : 1;
      stats.retries = saturated_sum(stats.retries, call.retries);
    }
    stats.errors += step.error.empty() || is_told_by_a_call(step) ? 0 : 1;
  }
  for (auto& [name, tool] : tools) stats.tools.push_back(std::move(tool));
  std::stable_sort(stats.tools.begin(), stats.tools.end(),
                   [](const ToolStats& a, const ToolStats& b) { return a.calls > b.calls; });
  return stats;
}

std::string prompt_words(const RunStats& stats) {
  if (!stats.prompt_chars) return "not recorded";
  std::string words = fmt::format("{} characters", format_count(*stats.prompt_chars));
  if (stats.prompt_chars_max) {
    words += fmt::format(" in all, {} in the largest", format_count(*stats.prompt_chars_max));
  }
  return words;
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
                    of_which(stats.sub_calls, "by code") +
                        of_which(stats.retries, stats.retries == 1 ? "retry" : "retries"));
  out += count_line("tool calls", stats.tool_calls);
  out += count_line("errors", stats.errors);
  out += fmt::format("{:<14}{}\n", "tokens", token_words(stats.usage));
  out += fmt::format("{:<14}{}\n", "cost", cost_words(stats.usage));
  out += fmt::format("{:<14}{}\n", "in the prompt", prompt_words(stats));
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
  const JsonValue usage = llm::to_json_value(stats.usage);
  out.insert(out.end(), usage.if_object()->begin(), usage.if_object()->end());
  out.push_back({"prompt_chars", number(stats.prompt_chars)});
  out.push_back({"prompt_chars_max", number(stats.prompt_chars_max)});
  out.push_back({"reply_chars", number(stats.reply_chars)});
  out.push_back({"largest_reply_tool", JsonValue(stats.largest_reply_tool)});
  out.push_back({"largest_reply_chars", number(stats.largest_reply_chars)});
  JsonValue::Array tools;
  for (const ToolStats& tool : stats.tools) tools.push_back(tool_json(tool));
  out.push_back({"tools", JsonValue(std::move(tools))});
  return JsonValue(std::move(out));
}

}  // namespace helve::agent
