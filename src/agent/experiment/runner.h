// Running an experiment: all cells, each repeated, on all task sets; several at once. What is done
// stays: an experiment that is killed goes on where it was, and comes to the same results.
//
//   FOLDER/SET/CELL/REPEAT/cell.json     condition, seed and limits
//                          bank-0.db     the bank as the cell found it; bank-1.db: after its pass 1
//                          pass-1/       journal and trajectories
//                          pass-1.json   what was measured; there once the pass is done
//   FOLDER/experiment.json               the words it was asked for with
//   FOLDER/lock                          held by the process that runs it
//   FOLDER/spent.jsonl                   what each task took of the budgets, over all starts
//   FOLDER/times.jsonl                   what each pass took, time and tokens: in no other file; a
//                                        pass that a crash ended as it was measured has two lines
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/experiment/figures.h"
#include "agent/experiment/plan.h"
#include "agent/learn/learn.h"
#include "base/env.h"

namespace helve::agent {

// What runs need of a source. Thread-safe; outlives the experiment.
class ExperimentWorld {
 public:
  virtual ~ExperimentWorld() = default;
  // `bank` is null where the cell has none.
  virtual Result<std::unique_ptr<RolloutMaker>> rollouts(const CellPlan& plan,
                                                         std::shared_ptr<memory::MemoryBank> bank,
                                                         const OpContext& context) = 0;
  virtual Judge& judge() = 0;
  virtual Result<std::unique_ptr<Extractor>> extractor(const OpContext& context) = 0;
  virtual LessonOrigin origin() const = 0;
};

struct ExperimentSet {
  TaskSet tasks;
  ExperimentWorld& world;
};

// The closed loop, or what stands for it in tests.
using LearnLoop = std::function<Result<LearnReport>(const TaskSet&, const LearnOptions&,
                                                    const LearnParts&, const OpContext&)>;

struct ExperimentOptions {
  std::filesystem::path folder;  // made where it is not there
  std::vector<CellPlan> cells;
  std::size_t repeats = 3;
  std::uint64_t seed = 1;
  // Limits, loop and budgets of each run; layers, replies and tools are the cell's.
  AskRequest request;
  std::size_t parallel = 0;  // passes at once; 0: as many as there are cores
  // Of the whole. Looked at before each run: those that run at once may still end. What passes
  // took that were done before counts too.
  LearnBudget budget;
  std::filesystem::path seed_bank;  // a file that Seeds means; empty: those of the program
  // Tasks that could not be judged are tried again, in cells that do not learn: what others learnt
  // since would have to be forgotten.
  bool retries_failed = false;
  LearnLoop loop = learn;
  JsonValue config;  // what decides the results beside all this: model, guide ...
  JsonValue words;   // for experiment.json, once the folder is known to be of this experiment
};

inline constexpr std::size_t kRepeatsMax = 1'000;
inline constexpr std::size_t kParallelMax = 256;

// Where the files of a cell are.
std::filesystem::path cell_folder(const std::filesystem::path& folder, std::string_view set,
                                  std::string_view cell, std::size_t repeat);

// A cell that fails is told in its result and does not stop the others; run again, it is tried
// again. A cancellation ends it as a budget does: what is done is in the result. Fails where
// nothing can be written, with Unavailable where another process runs in the folder, and with
// InvalidInput where the folder has one of the cells with another configuration: then nothing was
// run or written. `on_progress` gets a line for each pass, and one every ten seconds where a pass
// takes longer; never two at once.
Result<ExperimentResult> run_experiment(
    const std::vector<ExperimentSet>& sets, const ExperimentOptions& options, Env& env,
    const std::function<void(std::string_view line)>& on_progress, const OpContext& context);

}  // namespace helve::agent
