// What is measured: of one run, of one pass over the tasks, of a cell with all its repeats.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/experiment/plan.h"
#include "agent/experiment/statistics.h"
#include "agent/learn/learn.h"
#include "base/json.h"

namespace helve::agent {

// Without times: the same run has the same figures.
struct RunFigures {
  std::string task;
  std::size_t repeat = 1;  // as all that is counted here, from 1
  std::size_t pass = 1;
  std::size_t rollout = 1;
  bool is_success = false;
  bool has_converged = false;
  std::string stop_reason;
  std::string verdict;
  double precision = 0;
  double recall = 0;
  double f1 = 0;
  std::uint64_t steps = 0;
  std::uint64_t tool_calls = 0;
  std::uint64_t refused_calls = 0;
  std::uint64_t failed_calls = 0;
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
  std::optional<double> cost;
  RunLeakage leakage;
  std::string query_hash;  // of the query that was judged
  std::string trajectory;  // file, relative to the folder of the experiment; empty: none
  std::string error;       // nothing could be judged: it is no measurement

  friend bool operator==(const RunFigures&, const RunFigures&);
};
// Of a run and its judgment; where it stands in the experiment is for the caller to say.
RunFigures figures_of(const TaskJudgment& judgment, const RunResult& run);
JsonValue to_json(const RunFigures& run);
Result<RunFigures> read_run_figures(const JsonValue& json);
JsonValue to_json(const RunLeakage& leakage);

// The bank behind a pass.
struct BankFigures {
  std::size_t repeat = 1;
  std::size_t pass = 0;       // 0: as the cell found it
  std::uint64_t items = 0;    // without retracted ones
  std::uint64_t active = 0;   // that can be found
  std::uint64_t invalid = 0;  // that a check refuses
};

// One pass over the tasks, in one repeat of a cell: what is kept in a file once it is done.
struct PassRecord {
  std::vector<RunFigures> runs;  // in the order of the tasks
  std::optional<BankFigures> bank;
  std::uint64_t items_added = 0;
  std::uint64_t drafts_rejected = 0;  // that the extraction refused
  // Of judging and extracting too, and of runs that were cut short: what was paid, which is no
  // result.
  llm::Usage usage;
};
JsonValue to_json(const PassRecord& record);
// InvalidInput where it is none, or of another version.
Result<PassRecord> read_pass_record(const JsonValue& json);

struct CellFailure {
  std::size_t repeat = 1;
  std::string error;
};

struct CellResult {
  CellPlan plan;
  std::vector<RunFigures> runs;
  std::vector<BankFigures> banks;
  std::uint64_t items_added = 0;
  std::uint64_t drafts_rejected = 0;
  std::vector<CellFailure> failures;  // repeats that did not come to their end
};

struct SetResult {
  std::string name;
  std::string source;
  std::string digest;
  std::vector<TaskCase> tasks;
  std::vector<CellResult> cells;

  const CellResult* find(std::string_view id) const;  // null: it was not run
};

struct ExperimentResult {
  JsonValue config;  // what decides the results beside tasks, cells and what follows
  std::size_t repeats = 1;
  std::string loop;
  JsonValue limits;  // of one run
  std::uint64_t seed = 1;
  std::vector<SetResult> sets;
  std::string stopped;  // which budget ended it, or that it was cancelled; empty: neither
  bool is_cancelled = false;
};

// What is compared between cells.
enum class Measure : std::uint8_t {
  Success,
  Converged,
  F1,
  Steps,
  ToolCalls,
  RefusedCalls,
  FailedCalls,
  Tokens,
  Cost,
  LargeReplies,
  LeakagePerStep,  // characters of replies
  ContextPerStep,  // characters of a prompt
  PromptChars,     // of all prompts of a run
};
inline constexpr std::array kMeasures = {
    Measure::Success,      Measure::Converged,      Measure::F1,
    Measure::Steps,        Measure::ToolCalls,      Measure::RefusedCalls,
    Measure::FailedCalls,  Measure::Tokens,         Measure::Cost,
    Measure::LargeReplies, Measure::LeakagePerStep, Measure::ContextPerStep,
    Measure::PromptChars};
std::string_view name_of(Measure measure);   // "large_replies"
std::string_view title_of(Measure measure);  // "Large returns per run"
bool is_share(Measure measure);              // between 0 and 1
// nullopt: the run has no such figure, or is no measurement.
std::optional<double> value_of(Measure measure, const RunFigures& run);

// One for each task of the set, in its order.
std::vector<Cluster> clusters_of(const SetResult& set, const CellResult& cell, std::size_t pass,
                                 Measure measure);
Estimate estimate_of(const SetResult& set, const CellResult& cell, std::size_t pass,
                     Measure measure, std::uint64_t seed);
// Of the best rollout of each task: what E12 would answer with.
Estimate best_success(const SetResult& set, const CellResult& cell, std::size_t pass,
                      std::uint64_t seed);

}  // namespace helve::agent
