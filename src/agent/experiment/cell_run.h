// One cell in one repeat on one task set: its passes, one after the other. runner.cc runs many at
// once.
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <string>

#include "agent/experiment/runner.h"

namespace helve::agent {

// What the whole experiment has used. Thread-safe.
class BudgetMeter {
 public:
  BudgetMeter(const LearnBudget& budget, Clock& clock);
  void add(const llm::Usage& usage);
  // In words; empty: nothing is used up.
  std::string exceeded() const;

 private:
  const LearnBudget budget_;
  Clock& clock_;
  const MonotonicTime started_;
  mutable std::mutex mutex_;
  std::uint64_t tokens_ = 0;
  double cost_ = 0;
};

struct CellJob {
  const ExperimentSet& set;
  const CellPlan& plan;
  std::size_t repeat;  // from 1
  const ExperimentOptions& options;
  BudgetMeter& meter;
  Env& env;
  // A pass that was run just now, with its time; not those that were done before.
  std::function<void(std::size_t pass, const PassRecord& record, Duration time)> on_pass;
};

// The records of all passes, from their files. LimitExceeded where the budget of the experiment
// ended it.
Result<std::vector<PassRecord>> run_cell(const CellJob& job, const OpContext& context);

}  // namespace helve::agent
