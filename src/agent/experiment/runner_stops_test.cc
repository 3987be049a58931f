// What is done and told when an experiment is cut, and on the way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/experiment/cell_files.h"
#include "agent/experiment/runner_testing.h"
#include "tests/support/fake_env.h"

namespace helve::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// Wherever it is cancelled: what comes of it in the end is the same.
TEST_F(RunnerTest, CancelledExperimentsGoOnToTheSameResults) {
  const std::string whole = bytes();
  const std::size_t all = loop_.tasks_begun;
  for (std::size_t at = 3; at < all; at += 13) {
    options_.folder = folder_ / fmt::format("cut-{}", at);
    loop_.tasks_begun = 0;
    loop_.cancels_at = at;
    const auto cut = run();
    ASSERT_TRUE(cut.has_value()) << at;
    EXPECT_TRUE(cut->is_cancelled);
    loop_.cancels_at = SIZE_MAX;
    context_ = OpContext();
    ASSERT_EQ(bytes(), whole) << at;
    // Passes that were done are kept: at most one of them is begun anew.
    EXPECT_LE(loop_.tasks_begun, all + 12) << at;
  }
}

// Cells of E1 are run after E9's: those of one start are there in the next, reached or not.
TEST_F(RunnerTest, CancellationsTellWhatIsDone) {
  set_cells("E1,E9");
  loop_.cancels_at = 20;  // in the second pass of the second E9
  const auto cut = run();
  ASSERT_TRUE(cut.has_value());
  EXPECT_EQ(cut->stopped, "cancelled: 3 of 6 passes are done");
  EXPECT_THAT(cut->sets[0].find("E9")->runs, SizeIs(12));
  EXPECT_THAT(cut->sets[0].find("E9")->failures, SizeIs(1));
  EXPECT_THAT(cut->sets[0].find("E1")->failures, SizeIs(2));
  context_.cancel.cancel();
  const auto again = run();
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->stopped, "cancelled: 3 of 6 passes are done");
  EXPECT_THAT(again->sets[0].find("E9")->runs, SizeIs(12));
  loop_.cancels_at = SIZE_MAX;
  context_ = OpContext();
  ASSERT_FALSE(run()->is_cancelled);
  context_.cancel.cancel();
  EXPECT_EQ(run()->stopped, "");
}

TEST_F(RunnerTest, LongPassesTellHowFarTheyAre) {
  set_cells("E1");
  options_.repeats = 1;
  FakeEnv env;
  options_.loop = [&](const TaskSet& tasks, const LearnOptions& options, const LearnParts& parts,
                      const OpContext& context) {
    LearnParts slow = parts;
    slow.on_task = [&](const LearnedTask& task) {
      env.clock().advance(std::chrono::seconds(4));
      parts.on_task(task);
    };
    return loop_(tasks, options, slow, context);
  };
  const std::vector<ExperimentSet> sets = {{tasks_of(9), world_}};
  std::vector<std::string> lines;
  const auto result = run_experiment(
      sets, options_, env, [&lines](std::string_view line) { lines.emplace_back(line); }, context_);
  ASSERT_TRUE(result.has_value()) << result.error().to_string();
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[0], "made E1 repeat 1: 3 of 9 tasks done");
  EXPECT_EQ(lines[1], "made E1 repeat 1: 6 of 9 tasks done");
}

// As a crash between the two leaves it: a pass that is done has its line.
TEST_F(RunnerTest, TimesAreWrittenBeforeThePassIsDone) {
  set_cells("E1");
  options_.repeats = 1;
  // A folder of its name: the record cannot be written.
  const auto record = cell_folder(options_.folder, "made", "E1", 1) / "pass-1.json";
  options_.loop = [&](const TaskSet& tasks, const LearnOptions& options, const LearnParts& parts,
                      const OpContext& context) {
    EXPECT_TRUE(real_env().files().make_directories(record / "in-the-way"));
    return loop_(tasks, options, parts, context);
  };
  const auto result = run();
  ASSERT_TRUE(result.has_value());
  EXPECT_THAT(result->sets[0].cells[0].failures, SizeIs(1));
  const auto times = read_whole(options_.folder / "times.jsonl", real_env());
  ASSERT_TRUE(times.has_value());
  EXPECT_THAT(*times, HasSubstr(R"("cell":"E1","repeat":1,"pass":1)"));
}

TEST_F(RunnerTest, BudgetOfTheWholeEndsIt) {
  set_cells("E1,E9");
  const std::string whole = bytes();
  options_.folder = folder_ / "poor";
  options_.budget.tokens_max = 1'000;
  loop_.runs_made = 0;
  const auto poor = run();
  ASSERT_TRUE(poor.has_value());
  EXPECT_EQ(poor->stopped, "the budget of tokens is used up");
  EXPECT_EQ(loop_.runs_made, 10U);  // of 100 tokens each
  EXPECT_THAT(poor->sets[0].find("E1")->failures, SizeIs(2));
  // What was used counts: without more there is nothing more.
  const auto again = run();
  ASSERT_TRUE(again.has_value());
  EXPECT_NE(again->stopped, "");
  options_.budget.tokens_max.reset();
  EXPECT_EQ(bytes(), whole);
}

// A learning pass that is cut begins anew, and was paid all the same.
TEST_F(RunnerTest, WhatWasCutWasPaidToo) {
  set_cells("E9");
  options_.repeats = 1;
  options_.budget.tokens_max = 400;
  ASSERT_TRUE(run().has_value());
  EXPECT_EQ(loop_.runs_made, 4U);
  const auto again = run();
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->stopped, "the budget of tokens is used up");
  EXPECT_EQ(loop_.runs_made, 4U);
}

// Judging and extraction cost too, and runs that a cancellation cut.
TEST_F(RunnerTest, AllThatIsPaidCounts) {
  set_cells("E9");
  options_.repeats = 1;
  options_.budget.tokens_max = 1'000;
  loop_.extraction_tokens = 400;
  ASSERT_TRUE(run().has_value());
  EXPECT_EQ(loop_.runs_made, 2U);
  options_.folder = folder_ / "cut";
  loop_.extraction_tokens = 0;
  loop_.tasks_begun = 0;
  loop_.cancels_at = 3;
  loop_.cut_tokens = 5'000;
  EXPECT_TRUE(run()->is_cancelled);
  context_ = OpContext();
  loop_.cancels_at = SIZE_MAX;
  loop_.runs_made = 0;
  ASSERT_TRUE(run().has_value());
  EXPECT_EQ(loop_.runs_made, 0U);
}

TEST_F(RunnerTest, BudgetThatTheLastRunUsedUpStopsNothing) {
  set_cells("E1");
  options_.repeats = 1;
  options_.budget.tokens_max = 600;
  const auto result = run();
  ASSERT_TRUE(result.has_value());
  EXPECT_THAT(result->sets[0].cells[0].runs, SizeIs(6));
  EXPECT_EQ(result->stopped, "");
  EXPECT_EQ(run()->stopped, "");
}

}  // namespace
}  // namespace helve::agent
