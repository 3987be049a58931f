#include "agent/experiment/figures.h"

#include <algorithm>
#include <map>

namespace helve::agent {

bool operator==(const RunFigures& left, const RunFigures& right) {
  return to_json(left) == to_json(right);
}

const CellResult* SetResult::find(std::string_view id) const {
  const auto found = std::find_if(cells.begin(), cells.end(),
                                  [id](const CellResult& one) { return one.plan.id == id; });
  return found == cells.end() ? nullptr : &*found;
}

std::string_view name_of(Measure measure) {
  switch (measure) {
    case Measure::Success:
      return "success";
    case Measure::Converged:
      return "converged";
    case Measure::F1:
      return "f1";
    case Measure::Steps:
      return "steps";
    case Measure::ToolCalls:
      return "tool_calls";
    case Measure::RefusedCalls:
      return "refused_calls";
    case Measure::FailedCalls:
      return "failed_calls";
    case Measure::Tokens:
      return "tokens";
    case Measure::Cost:
      return "cost";
    case Measure::LargeReplies:
      return "large_replies";
    case Measure::LeakagePerStep:
      return "leakage_per_step";
    case Measure::ContextPerStep:
      return "context_per_step";
    case Measure::PromptChars:
      return "prompt_chars";
  }
  return "";
}

std::string_view title_of(Measure measure) {
  switch (measure) {
    case Measure::Success:
      return "Success";
    case Measure::Converged:
      return "Convergence";
    case Measure::F1:
      return "F1 of the rows";
    case Measure::Steps:
      return "Steps per run";
    case Measure::ToolCalls:
      return "Tool calls per run";
    case Measure::RefusedCalls:
      return "Refused calls per run";
    case Measure::FailedCalls:
      return "Failed calls per run";
    case Measure::Tokens:
      return "Tokens per run";
    case Measure::Cost:
      return "Cost per run";
    case Measure::LargeReplies:
      return "Large returns per run";
    case Measure::LeakagePerStep:
      return "Leakage per step (characters that tools returned)";
    case Measure::ContextPerStep:
      return "Context per step (characters of a prompt)";
    case Measure::PromptChars:
      return "Characters of all prompts of a run";
  }
  return "";
}

bool is_share(Measure measure) {
  return measure == Measure::Success || measure == Measure::Converged || measure == Measure::F1;
}

namespace {

double per(std::uint64_t amount, std::uint64_t count) {
  return count == 0 ? 0 : static_cast<double>(amount) / static_cast<double>(count);
}

}  // namespace

std::optional<double> value_of(Measure measure, const RunFigures& run) {
  if (!run.error.empty()) return std::nullopt;
  switch (measure) {
    case Measure::Success:
      return run.is_success ? 1 : 0;
    case Measure::Converged:
      return run.has_converged ? 1 : 0;
    case Measure::F1:
      return run.f1;
    case Measure::Steps:
      return static_cast<double>(run.steps);
    case Measure::ToolCalls:
      return static_cast<double>(run.tool_calls);
    case Measure::RefusedCalls:
      return static_cast<double>(run.refused_calls);
    case Measure::FailedCalls:
      return static_cast<double>(run.failed_calls);
    case Measure::Tokens:
      return static_cast<double>(run.input_tokens + run.output_tokens);
    case Measure::Cost:
      return run.cost;
    case Measure::LargeReplies:
      return static_cast<double>(run.leakage.large_replies);
    case Measure::LeakagePerStep:
      return per(run.leakage.reply_chars + run.leakage.output_chars, run.steps);
    case Measure::ContextPerStep:
      return per(run.leakage.prompt_chars, run.leakage.model_calls);
    case Measure::PromptChars:
      return static_cast<double>(run.leakage.prompt_chars);
  }
  return std::nullopt;
}

std::vector<Cluster> clusters_of(const SetResult& set, const CellResult& cell, std::size_t pass,
                                 Measure measure) {
  std::map<std::string_view, Cluster> by_task;
  for (const RunFigures& run : cell.runs) {
    if (run.pass != pass) continue;
    const auto value = value_of(measure, run);
    if (!value) continue;
    Cluster& cluster = by_task[run.task];
    cluster.sum += *value;
    ++cluster.count;
  }
  std::vector<Cluster> clusters;
  clusters.reserve(set.tasks.size());
  for (const TaskCase& task : set.tasks) clusters.push_back(by_task[task.id]);
  return clusters;
}

Estimate estimate_of(const SetResult& set, const CellResult& cell, std::size_t pass,
                     Measure measure, std::uint64_t seed) {
  return estimate_of(clusters_of(set, cell, pass, measure), seed);
}

Estimate best_success(const SetResult& set, const CellResult& cell, std::size_t pass,
                      std::uint64_t seed) {
  std::map<std::string_view, std::map<std::size_t, double>> best;  // by task and repeat
  for (const RunFigures& run : cell.runs) {
    if (run.pass != pass || !run.error.empty()) continue;
    double& known = best[run.task][run.repeat];
    known = std::max(known, run.is_success ? 1.0 : 0.0);
  }
  std::vector<Cluster> clusters;
  for (const TaskCase& task : set.tasks) {
    Cluster cluster;
    for (const auto& [repeat, value] : best[task.id]) {
      cluster.sum += value;
      ++cluster.count;
    }
    clusters.push_back(cluster);
  }
  return estimate_of(clusters, seed);
}

RunFigures figures_of(const TaskJudgment& judgment, const RunResult& run) {
  RunFigures figures;
  figures.is_success = judgment.is_success() && run.has_converged();
  figures.has_converged = run.has_converged();
  figures.stop_reason = name_of(run.stop);
  figures.verdict = learning::name_of(judgment.judgment.verdict);
  const double share = figures.is_success ? 1 : 0;
  figures.precision = judgment.comparison ? judgment.comparison->precision : share;
  figures.recall = judgment.comparison ? judgment.comparison->recall : share;
  figures.f1 = judgment.comparison ? judgment.comparison->f1 : share;
  figures.steps = run.iterations;
  figures.tool_calls = run.tool_calls;
  figures.refused_calls = run.refused_calls;
  figures.input_tokens = run.usage.input_tokens;
  figures.output_tokens = run.usage.output_tokens;
  figures.cost = run.usage.cost;
  figures.leakage = run.leakage;
  figures.query_hash = judgment.query_hash;
  return figures;
}

}  // namespace helve::agent
