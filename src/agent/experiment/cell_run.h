// One cell in one repeat on one task set: its passes, one after the other. runner.cc runs many at
// once.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "agent/experiment/budget_meter.h"
#include "agent/experiment/runner.h"

namespace helve::agent {

struct CellJob {
  const ExperimentSet& set;
  const CellPlan& plan;
  std::size_t repeat;  // from 1
  const ExperimentOptions& options;
  const std::string& seed_bank_digest;  // empty: seeds are those of the program
  BudgetMeter& meter;
  Env& env;
  // A pass that was run just now, with its time; not those that were done before. It is measured
  // before it counts as done, and so before a crash could make it one of before.
  std::function<void(std::size_t pass, const PassRecord& record, Duration time)> on_measured;
  std::function<void(std::size_t pass, const PassRecord& record, Duration time)> on_pass;
  // Of the pass that runs: how many of its tasks are done.
  std::function<void(std::size_t pass, std::size_t tasks)> on_task;
};

// The records of all passes, from their files. LimitExceeded where the budget of the experiment
// ended it.
Result<std::vector<PassRecord>> run_cell(const CellJob& job, const OpContext& context);

// Of the passes that are done, up to the first that is not or cannot be read. Runs nothing.
std::vector<PassRecord> read_done_passes(const CellJob& job);

}  // namespace helve::agent
