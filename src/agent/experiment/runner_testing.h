// An experiment of cells and tasks without models, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "agent/experiment/experiment_testing.h"
#include "agent/experiment/results.h"
#include "agent/experiment/runner.h"
#include "tests/support/temp_directory.h"

namespace helve::agent {

class RunnerTest : public ::testing::Test {
 protected:
  RunnerTest() {
    options_.folder = folder_ / "out";
    options_.repeats = 2;
    options_.parallel = 1;
    options_.loop = [this](const TaskSet& tasks, const LearnOptions& options,
                           const LearnParts& parts, const OpContext& context) {
      return loop_(tasks, options, parts, context);
    };
    set_cells("E1,E8,E9");
  }

  void set_cells(const char* words) {
    PlanOptions plan;
    plan.bank_max = 4;
    options_.cells = *plan_cells(words, plan);
  }

  Result<ExperimentResult> run() {
    std::vector<ExperimentSet> sets;
    for (const TaskSet& tasks : tasks_) sets.push_back({tasks, world_});
    return run_experiment(
        sets, options_, real_env(), [this](std::string_view line) { lines_.emplace_back(line); },
        context_);
  }

  std::string bytes() {
    const auto result = run();
    EXPECT_TRUE(result.has_value()) << result.error().to_string();
    return to_json(to_json(*result), JsonStyle::Indented);
  }

  TempDirectory folder_;
  FakeWorld world_;
  FakeLoop loop_;
  std::vector<TaskSet> tasks_ = {tasks_of(6)};
  ExperimentOptions options_;
  OpContext context_;
  std::vector<std::string> lines_;
};

}  // namespace helve::agent
