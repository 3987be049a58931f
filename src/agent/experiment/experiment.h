// Experiments E1 to E12: which context and which memory help. A cell is one condition; it starts
// from a fresh bank, is repeated with other seeds, and leaves everything that it takes to run it
// again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/learn/learn.h"
#include "base/json.h"

namespace helve::agent {

enum class MemoryMode : std::uint8_t {
  None,
  Injected,
  Searched
};  // Searched: by the agent's own tool calls

// One condition.
struct CellPlan {
  std::string id;     // "E7a"
  std::string title;  // "naive tools"
  std::string asks;   // what it is compared for, in a sentence
  context::LayerSet layers;
  MemoryMode memory = MemoryMode::None;
  ReplyForm replies = ReplyForm::Handles;
  bool is_seeded = false;  // the bank begins with the seeds
  bool learns = false;     // E9 to E12
  std::size_t passes = 1;  // over the task list
  std::size_t rollouts = 1;
  bool consolidates = false;
  std::optional<std::uint64_t> bank_max;
};

// "E1,E7" (E7 is E7a and E7b), "all". InvalidInput lists them.
Result<std::vector<CellPlan>> plan_cells(std::string_view words);

// What is measured of one run.
struct RunFigures {
  std::string task;
  std::size_t pass = 0;
  std::size_t repeat = 0;
  bool is_success = false;
  bool has_converged = false;
  std::string stop_reason;
  double precision = 0, recall = 0, f1 = 0;
  std::uint64_t steps = 0, tool_calls = 0, refused_calls = 0, failed_calls = 0;
  std::uint64_t input_tokens = 0, output_tokens = 0;
  std::optional<double> cost;
  RunLeakage leakage;
  std::string trajectory;  // file, relative to the folder
  std::uint64_t trajectory_run = 0;
  std::string error;
};

struct Estimate {  // mean with a 95 % interval (bootstrap over tasks and repeats, fixed seed)
  double mean = 0, low = 0, high = 0;
  std::size_t n = 0;
};

struct CellResult {
  CellPlan plan;
  std::vector<RunFigures> runs;
  std::vector<std::uint64_t> bank_items;  // after each pass of each repeat
  std::uint64_t items_valid = 0, items_rejected = 0;
};

struct ExperimentOptions {
  std::filesystem::path folder;
  std::vector<CellPlan> cells;
  std::size_t repeats = 3;
  std::uint64_t seed = 1;
  AskRequest request;        // limits
  std::size_t parallel = 0;  // 0: as many as there are cores
  LearnBudget budget;
  JsonValue config;  // of the command line, for the record
};

// Fresh sources and banks for each cell and repeat.
class ExperimentWorld {
 public:
  virtual ~ExperimentWorld() = default;
  // A bank in this file, made where it is not there. Thread-safe, as all of it.
  virtual Result<std::shared_ptr<memory::MemoryBank>> open_bank(const std::filesystem::path& file,
                                                                const OpContext& context) = 0;
  virtual Result<std::unique_ptr<RolloutMaker>> rollouts(std::shared_ptr<memory::MemoryBank> bank,
                                                         const OpContext& context) = 0;
  virtual Result<std::unique_ptr<Judge>> judge(const OpContext& context) = 0;
  virtual Result<std::unique_ptr<Extractor>> extractor(const OpContext& context) = 0;
  virtual LessonOrigin origin() const = 0;
};

struct ExperimentResult {
  JsonValue config;  // all that it takes to do it again
  std::vector<CellResult> cells;
  std::vector<std::string>
      criteria;  // each with figure and verdict: "E7b under half of E7a: yes (...)"
};

// Resumable: what a folder has is not run again. Several task sets are run one after the other and
// told apart.
Result<ExperimentResult> run_experiment(
    const TaskSet& tasks, const ExperimentOptions& options, ExperimentWorld& world, Env& env,
    const std::function<void(std::string_view line)>& on_progress, const OpContext& context);

JsonValue to_json(const ExperimentResult& result);  // results.json
Result<ExperimentResult> read_results(const JsonValue& value);
std::string summary_text(const ExperimentResult& result, std::size_t width);
// Self-contained: inline SVG and CSS, no scripts from elsewhere; texts of tasks and models are
// escaped.
std::string report_html(const ExperimentResult& result);

Estimate estimate_of(const std::vector<double>& values, std::uint64_t seed);

}  // namespace helve::agent
