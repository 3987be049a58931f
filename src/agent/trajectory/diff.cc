#include "agent/trajectory/diff.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/trajectory/run_words.h"
#include "agent/trajectory/stats.h"
#include "base/text.h"

namespace helve::agent {

namespace {

// What a step did: its calls with their arguments, and its code.
std::vector<std::string> deeds_of(const RecordedStep* step) {
  std::vector<std::string> deeds;
  if (step == nullptr) return deeds;
  if (!step->message.empty()) deeds.push_back("the caller says " + step->message);
  if (!step->code.empty()) deeds.push_back(step->code);
  for (const RecordedCall& call : step->calls) deeds.push_back(call_words(call));
  return deeds;
}

const RecordedStep* step_at(const RecordedRun& run, std::size_t index) {
  return index < run.steps.size() ? &run.steps[index] : nullptr;
}

std::string at(const std::vector<std::string>& texts, std::size_t index) {
  return index < texts.size() ? texts[index] : std::string();
}

void compare_result(std::string what, std::string left, std::string right, RunDiff& diff) {
  if (left == right) return;
  if (diff.results.size() == kResultsMax) {
    ++diff.results_left_out;
    return;
  }
  diff.results.push_back({std::move(what), std::move(left), std::move(right)});
}

std::string rows_of(const RecordedCall& call) {
  return call.rows ? format_count(*call.rows) : std::string();
}

// Of two steps that did the same.
void compare_results(const RecordedStep& one, const RecordedStep& other, RunDiff& diff) {
  for (std::size_t i = 0; i < std::min(one.calls.size(), other.calls.size()); ++i) {
    const RecordedCall& left = one.calls[i];
    const RecordedCall& right = other.calls[i];
    const std::string where = fmt::format("step {}, {}: ", one.n, one_line(left.name, kNameChars));
    compare_result(where + "error", left.error, right.error, diff);
    compare_result(where + "rows", rows_of(left), rows_of(right), diff);
    compare_result(where + "preview", left.preview, right.preview, diff);
  }
  const std::string where = fmt::format("step {}: ", one.n);
  compare_result(where + "output", one.output, other.output, diff);
  compare_result(where + "error", one.error, other.error, diff);
}

void find_parting(const RecordedRun& left, const RecordedRun& right, RunDiff& diff) {
  const std::size_t count = std::max(left.steps.size(), right.steps.size());
  for (std::size_t i = 0; i < count; ++i) {
    const RecordedStep* const one = step_at(left, i);
    const RecordedStep* const other = step_at(right, i);
    const auto deeds = deeds_of(one);
    const auto others = deeds_of(other);
    if (one != nullptr && other != nullptr && deeds == others) {
      compare_results(*one, *other, diff);
      continue;
    }
    diff.first_step = one != nullptr ? one->n : other->n;
    for (std::size_t d = 0; d < std::max(deeds.size(), others.size()); ++d) {
      diff.calls.push_back(
          {at(deeds, d) == at(others, d) ? "same" : "differs", at(deeds, d), at(others, d)});
    }
    if (one == nullptr || other == nullptr) {
      diff.calls.push_back({"differs", one == nullptr ? "(ended before)" : "(goes on)",
                            other == nullptr ? "(ended before)" : "(goes on)"});
    }
    return;
  }
}

void compare(std::string what, std::string left, std::string right, RunDiff& diff) {
  if (left != right) diff.outcome.push_back({std::move(what), std::move(left), std::move(right)});
}

}  // namespace

RunDiff diff_runs(const RecordedRun& left, const RecordedRun& right) {
  RunDiff diff;
  find_parting(left, right, diff);
  const RunStats one = stats_of(left);
  const RunStats other = stats_of(right);
  compare("task", left.task, right.task, diff);
  compare("loop", loop_words(left), loop_words(right), diff);
  compare("end", end_words(left), end_words(right), diff);
  compare("judgment", judgment_words(left), judgment_words(right), diff);
  compare("answer", left.answer, right.answer, diff);
  compare("query", left.query, right.query, diff);
  compare("steps", format_count(one.steps), format_count(other.steps), diff);
  compare("tool calls", format_count(one.tool_calls), format_count(other.tool_calls), diff);
  compare("errors", format_count(one.errors), format_count(other.errors), diff);
  compare("tokens", token_words(one.usage), token_words(other.usage), diff);
  compare("cost", cost_words(one.usage), cost_words(other.usage), diff);
  return diff;
}

std::string diff_text(const RunDiff& diff, bool is_full) {
  if (diff.is_same()) return "both runs do the same\n";
  const auto pair = [is_full](const RunDifference& one) {
    const auto side = [is_full](char mark, const std::string& text) {
      const std::string shown = text.empty() ? "(nothing)" : text;
      if (!is_full) return fmt::format("  {} {}\n", mark, one_line(shown, kLineChars));
      return all_lines(shown, fmt::format("  {} ", mark));
    };
    if (one.left == one.right) return side('=', one.left);
    return side('<', one.left) + side('>', one.right);
  };
  std::string out;
  if (diff.first_step) {
    out += fmt::format("the runs part at step {}\n", *diff.first_step);
    for (const RunDifference& one : diff.calls) out += pair(one);
  } else {
    out += "the steps are the same\n";
  }
  for (const RunDifference& one : diff.results) out += one.what + "\n" + pair(one);
  if (diff.results_left_out != 0) {
    out += fmt::format("and {} more\n", format_count(diff.results_left_out));
  }
  for (const RunDifference& one : diff.outcome) out += one.what + "\n" + pair(one);
  return out;
}

JsonValue diff_json(const RunDiff& diff) {
  const auto list = [](const std::vector<RunDifference>& differences) {
    JsonValue::Array out;
    for (const RunDifference& one : differences) {
      JsonValue::Object entry;
      entry.push_back({"what", JsonValue(one.what)});
      entry.push_back({"left", JsonValue(one.left)});
      entry.push_back({"right", JsonValue(one.right)});
      out.emplace_back(std::move(entry));
    }
    return JsonValue(std::move(out));
  };
  JsonValue::Object out;
  out.push_back({"same", JsonValue(diff.is_same())});
  out.push_back({"first_step", diff.first_step ? JsonValue(*diff.first_step) : JsonValue()});
  out.push_back({"calls", list(diff.calls)});
  out.push_back({"results", list(diff.results)});
  out.push_back({"results_left_out", JsonValue(diff.results_left_out)});
  out.push_back({"outcome", list(diff.outcome)});
  return JsonValue(std::move(out));
}

}  // namespace helve::agent
