#include "surfaces/cli/agent/learn_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/loops/json_object.h"
#include "base/text.h"
#include "surfaces/cli/command.h"

namespace helve::cli {

namespace {

using agent::array_of;
using agent::LearnedTask;
using agent::LearnReport;
using agent::object_of;
using agent::TaskState;
using learning::Verdict;

constexpr std::size_t kIdChars = 40;
constexpr std::size_t kErrorChars = 200;

struct Tally {
  std::uint64_t right = 0, partly = 0, wrong = 0, failed = 0, not_reached = 0, before = 0;
  std::uint64_t items = 0, rejected = 0;
};

Tally tally_of(const LearnReport& report) {
  Tally tally;
  for (const LearnedTask& task : report.tasks) {
    tally.items += task.items.size();
    tally.rejected += task.rejected.size();
    tally.before += task.is_from_journal ? 1 : 0;
    tally.failed += task.state == TaskState::Failed ? 1 : 0;
    tally.not_reached += task.state == TaskState::NotReached ? 1 : 0;
    if (task.state != TaskState::Done) continue;
    const Verdict verdict = task.judgments[task.best].judgment.verdict;
    tally.right += verdict == Verdict::Correct ? 1 : 0;
    tally.partly += verdict == Verdict::Partial ? 1 : 0;
    tally.wrong += verdict == Verdict::Incorrect ? 1 : 0;
  }
  return tally;
}

std::string_view name_of(TaskState state) {
  switch (state) {
    case TaskState::Done:
      return "done";
    case TaskState::Failed:
      return "failed";
    case TaskState::NotReached:
      break;
  }
  return "not_reached";
}

// Which option lets it go on.
std::string next_of(const LearnReport& report, const Tally& tally, const LearnPlaces& places) {
  if (report.stopped == "cancelled") return "cancelled: the same command goes on from here";
  if (!report.stopped.empty()) {
    return fmt::format(
        "{} used up: the same command with a larger --max-total-{} goes on from here",
        report.stopped, report.stopped);
  }
  if (tally.failed != 0) {
    return fmt::format("the same command tries the {} again that failed",
                       count_of(tally.failed, "task"));
  }
  if (places.is_dry_run) return "without --dry-run what is learnt of them is stored";
  if (tally.items == 0) return "nothing was learnt: helve trajectory show has each run";
  return fmt::format(
      "with the lessons once more: the same command with another --out; "
      "helve memory search --bank {} finds them",
      escape_for_terminal(places.bank));
}

JsonValue task_json(const LearnedTask& task) {
  JsonValue json = object_of({{"id", JsonValue(task.id)},
                              {"state", JsonValue(name_of(task.state))},
                              {"before", JsonValue(task.is_from_journal)},
                              {"items", array_of(task.items)},
                              {"rejected", array_of(task.rejected)}});
  JsonValue::Array runs;
  for (std::size_t i = 0; i < task.runs.size(); ++i) {
    const agent::TaskJudgment& judgment = task.judgments[i];
    runs.push_back(
        object_of({{"verdict", JsonValue(learning::name_of(judgment.judgment.verdict))},
                   {"f1", judgment.comparison ? JsonValue(judgment.comparison->f1) : JsonValue()},
                   {"says", JsonValue(judgment.says)},
                   {"stop_reason", JsonValue(agent::name_of(task.runs[i].stop))},
                   {"steps", JsonValue(task.runs[i].iterations)},
                   {"trajectory", JsonValue(task.trajectories[i])}}));
  }
  JsonValue::Object& members = *json.if_object();
  if (!runs.empty()) members.push_back({"best", JsonValue(std::uint64_t{task.best})});
  members.push_back({"runs", JsonValue(std::move(runs))});
  if (!task.error.empty()) members.push_back({"error", JsonValue(task.error)});
  return json;
}

}  // namespace

std::string task_line(const LearnedTask& task, std::size_t number, std::size_t count) {
  const std::string total = std::to_string(count);
  std::string line = fmt::format("[{:>{}}/{}] {}: ", number, total.size(), total,
                                 escape_for_terminal(elide_end(task.id, kIdChars)));
  if (task.state == TaskState::Failed) {
    return line + "failed: " + escape_for_terminal(elide_end(task.error, kErrorChars));
  }
  const agent::TaskJudgment& judgment = task.judgments[task.best];
  line += learning::name_of(judgment.judgment.verdict);
  if (judgment.judgment.verdict == Verdict::Partial && judgment.comparison) {
    line += fmt::format(" (f1 {:.2f})", judgment.comparison->f1);
  }
  if (task.runs.size() > 1) {
    const auto right = std::count_if(task.judgments.begin(), task.judgments.end(),
                                     [](const auto& one) { return one.is_success(); });
    line += fmt::format(" ({} of {})", right, task.runs.size());
  }
  line += ", " + count_of(task.runs[task.best].iterations, "step");
  line += ", " + count_of(task.items.size(), "lesson");
  return task.is_from_journal ? line + ", done before" : line;
}

std::string learn_summary(const LearnReport& report, const LearnPlaces& places) {
  const Tally tally = tally_of(report);
  std::string out =
      fmt::format("{:<10}{}: {} right, {} partly, {} wrong", "tasks",
                  format_count(report.tasks.size()), tally.right, tally.partly, tally.wrong);
  if (tally.failed != 0) out += fmt::format(", {} failed", tally.failed);
  if (tally.not_reached != 0) out += fmt::format(", {} not reached", tally.not_reached);
  if (tally.before != 0) out += fmt::format("; {} done before", tally.before);
  out += "\n";
  if (!places.is_dry_run) {
    out += fmt::format("{:<10}{} new, {} known, {} rejected\n", "lessons", report.items_added,
                       tally.items - std::min(tally.items, report.items_added), tally.rejected);
  }
  out += fmt::format("{:<10}{} in, {} out{}\n", "tokens", format_count(report.usage.input_tokens),
                     format_count(report.usage.output_tokens),
                     report.usage.is_estimated ? ", estimated" : "");
  if (report.usage.cost) out += fmt::format("{:<10}{:.4f}\n", "cost", *report.usage.cost);
  if (!places.bank.empty()) {
    out += fmt::format("{:<10}{}\n", "bank", escape_for_terminal(places.bank));
  }
  out += fmt::format("{:<10}{}\n", "folder", escape_for_terminal(places.folder));
  return out + fmt::format("{:<10}{}\n", "next", next_of(report, tally, places));
}

JsonValue learn_json(const LearnReport& report, const LearnPlaces& places) {
  JsonValue::Array tasks;
  for (const LearnedTask& task : report.tasks) tasks.push_back(task_json(task));
  return object_of({{"tasks", JsonValue(std::move(tasks))},
                    {"successes", JsonValue(report.successes)},
                    {"items_added", JsonValue(report.items_added)},
                    {"usage", object_of({{"input_tokens", JsonValue(report.usage.input_tokens)},
                                         {"output_tokens", JsonValue(report.usage.output_tokens)},
                                         {"cost", report.usage.cost ? JsonValue(*report.usage.cost)
                                                                    : JsonValue()}})},
                    {"stopped", report.stopped.empty() ? JsonValue() : JsonValue(report.stopped)},
                    {"bank", JsonValue(places.bank)},
                    {"folder", JsonValue(places.folder)}});
}

}  // namespace helve::cli
