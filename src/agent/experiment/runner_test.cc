#include "agent/experiment/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/experiment/cell_files.h"
#include "agent/experiment/runner_testing.h"

namespace helve::agent {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST_F(RunnerTest, EveryCellIsRunAsOftenAsItIsRepeated) {
  set_cells("E1,E9,E12");
  const auto result = run();
  ASSERT_TRUE(result.has_value()) << result.error().to_string();
  const SetResult& set = result->sets.at(0);
  EXPECT_THAT(set.find("E1")->runs, SizeIs(12));
  EXPECT_THAT(set.find("E9")->runs, SizeIs(24));
  EXPECT_THAT(set.find("E12")->runs, SizeIs(72));
  EXPECT_EQ(set.find("E10"), nullptr);
  const RunFigures& run = set.find("E12")->runs.back();
  EXPECT_EQ(run.repeat, 2U);
  EXPECT_EQ(run.pass, 2U);
  EXPECT_EQ(run.rollout, 3U);
  EXPECT_EQ(run.trajectory, "made/E12/2/pass-2/t6-3.jsonl");
  EXPECT_THAT(lines_, Contains(HasSubstr("made E9 repeat 2 pass 1: ")));
  EXPECT_THAT(lines_, SizeIs(2 * (1 + 2 * 2)));
}

TEST_F(RunnerTest, ResultsDoNotDependOnHowManyRunAtOnce) {
  set_cells("E1,E5,E8,E9,E11,E12");
  const std::string one = bytes();
  options_.folder = folder_ / "other";
  options_.parallel = 4;
  EXPECT_EQ(bytes(), one);
}

TEST_F(RunnerTest, WhatIsDoneIsNotRunAgain) {
  const std::string first = bytes();
  const std::size_t tasks = loop_.tasks_begun;
  EXPECT_EQ(bytes(), first);
  EXPECT_EQ(loop_.tasks_begun, tasks);
}

TEST_F(RunnerTest, LearningCellsLeaveTheirBanks) {
  set_cells("E9,E11");
  const auto result = run();
  ASSERT_TRUE(result.has_value());
  const auto at = cell_folder(options_.folder, "made", "E9", 1);
  for (const char* const name : {"bank-0.db", "bank-1.db", "bank-2.db", "cell.json"}) {
    EXPECT_TRUE(is_there(at / name, real_env())) << name;
  }
  const auto& banks = result->sets[0].find("E9")->banks;
  ASSERT_THAT(banks, SizeIs(4));
  EXPECT_EQ(banks[0].active, 6U);
  EXPECT_EQ(banks[1].active, 6U);  // the same lessons again
  EXPECT_EQ(banks[1].invalid, 0U);
  for (const BankFigures& bank : result->sets[0].find("E11")->banks) EXPECT_LE(bank.items, 4U);
  EXPECT_EQ(result->sets[0].find("E9")->items_added, 12U);
}

TEST_F(RunnerTest, MemoryIsComparedOnWhatTheLoopLearnt) {
  const auto result = run();
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->sets[0].find("E8a")->banks.at(0).active, 6U);
  EXPECT_EQ(result->sets[0].find("E8b")->banks.at(0).active, 6U);
  EXPECT_EQ(result->sets[0].find("E8b")->banks.at(0).pass, 0U);
}

TEST_F(RunnerTest, CellThatFailsDoesNotStopTheOthers) {
  world_.break_cell("E9");
  const auto result = run();
  ASSERT_TRUE(result.has_value()) << result.error().to_string();
  const SetResult& set = result->sets[0];
  EXPECT_THAT(set.find("E9")->failures, SizeIs(2));
  EXPECT_THAT(set.find("E9")->failures[0].error, HasSubstr("the source is away"));
  EXPECT_THAT(set.find("E8a")->failures.at(0).error, HasSubstr("E9 of this repeat left no bank"));
  EXPECT_THAT(set.find("E1")->runs, SizeIs(12));
  EXPECT_THAT(lines_, Contains(HasSubstr("made E9 repeat 1: failed: the source is away")));
  // And is tried again.
  world_.mend();
  options_.folder = folder_ / "whole";
  const std::string whole = bytes();
  options_.folder = folder_ / "out";
  EXPECT_EQ(bytes(), whole);
}

TEST_F(RunnerTest, FolderOfAnotherExperimentIsRefused) {
  set_cells("E1");
  ASSERT_TRUE(run().has_value());
  options_.seed = 2;
  const auto other = run();
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(other.error().message, HasSubstr("of another experiment: seed was 1 and is 2"));
  options_.seed = 1;
  tasks_[0].digest = "d2";
  options_.request.limits.cost_max = 3;
  const auto third = run();
  ASSERT_FALSE(third.has_value());
  EXPECT_THAT(third.error().message,
              HasSubstr("set_digest was d1 and is d2; cost_max was none and is 3"));
}

TEST_F(RunnerTest, CellsAndRepeatsCanBeAdded) {
  set_cells("E1");
  options_.repeats = 1;
  ASSERT_TRUE(run().has_value());
  set_cells("E1,E2");
  options_.repeats = 2;
  loop_.tasks_begun = 0;
  const auto more = run();
  ASSERT_TRUE(more.has_value());
  EXPECT_EQ(loop_.tasks_begun, 18U);
  EXPECT_THAT(more->sets[0].find("E1")->runs, SizeIs(12));
}

TEST_F(RunnerTest, FolderIsOfOneProcessAtATime) {
  ASSERT_TRUE(real_env().files().make_directories(options_.folder));
  const auto held = real_env().files().lock(options_.folder / "lock");
  ASSERT_TRUE(held.has_value());
  const auto other = run();
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(other.error().message, HasSubstr("another process"));
  EXPECT_EQ(loop_.tasks_begun, 0U);
}

// Whatever differs: nothing was run or written then.
TEST_F(RunnerTest, RefusedExperimentsChangeNothing) {
  set_cells("E1");
  options_.words = JsonValue("first");
  ASSERT_TRUE(run().has_value());
  options_.words = JsonValue("second");
  const std::size_t tasks = loop_.tasks_begun;
  const auto expect_refused = [&](const char* what) {
    const auto refused = run();
    ASSERT_FALSE(refused.has_value()) << what;
    EXPECT_EQ(refused.error().code, ErrorCode::InvalidInput) << what;
    EXPECT_EQ(*read_whole(options_.folder / "experiment.json", real_env()), "\"first\"\n") << what;
    EXPECT_EQ(loop_.tasks_begun, tasks) << what;
  };
  tasks_.insert(tasks_.begin(), tasks_of(2, "another"));
  options_.seed = 2;
  expect_refused("a seed, behind a set that is not there yet");
  tasks_.erase(tasks_.begin());
  options_.seed = 1;
  const RunLimits limits = options_.request.limits;
  options_.request.limits.time_max = std::chrono::seconds(5);
  expect_refused("time");
  options_.request.limits = limits;
  options_.request.limits.cost_max = 3;
  expect_refused("cost");
  options_.request.limits = limits;
  options_.request.limits.output_tokens_max = 7;
  expect_refused("output");
  options_.request.limits = limits;
  tasks_[0].source = "other.ttl";
  expect_refused("source");
}

TEST_F(RunnerTest, SeedBanksAreKnownByWhatTheySay) {
  set_cells("E5");
  const auto add = [&](const char* title) {
    const auto bank = *memory::MemoryBank::open(folder_ / "seeds.db", true, real_env(), {});
    memory::Item item;
    item.title = title;
    item.desc = "When it is asked.";
    item.content = "Look there.";
    item.id = id_of(item);
    ASSERT_TRUE(bank->repository().add({item}, {}).has_value());
  };
  add("First");
  options_.seed_bank = folder_ / "seeds.db";
  // Somebody has it open: what was written last is not in the file alone.
  const auto open = *memory::MemoryBank::open(folder_ / "seeds.db", false, real_env(), {});
  add("Second");
  const auto result = run();
  ASSERT_TRUE(result.has_value()) << result.error().to_string();
  EXPECT_EQ(result->sets[0].find("E5")->banks.at(0).items, 2U);
  ASSERT_TRUE(run().has_value());
  add("Third");
  EXPECT_EQ(run().error().code, ErrorCode::InvalidInput);
}

TEST_F(RunnerTest, TasksThatCouldNotBeJudgedAreTriedAgainWhenAsked) {
  set_cells("E1,E9");
  options_.repeats = 1;
  const std::string whole = bytes();
  options_.folder = folder_ / "away";
  loop_.broken = "t2";
  const std::string less = bytes();
  EXPECT_NE(less, whole);
  loop_.broken.clear();
  loop_.tasks_begun = 0;
  EXPECT_EQ(bytes(), less);
  EXPECT_EQ(loop_.tasks_begun, 0U);
  options_.retries_failed = true;
  const auto result = run();
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(loop_.tasks_begun, 6U);  // of E1 alone; the fake has no journal
  for (const RunFigures& one : result->sets[0].find("E1")->runs) EXPECT_EQ(one.error, "");
  EXPECT_THAT(summary_text(*result, 100), HasSubstr("E9: 2 tasks could not be judged"));
}

TEST_F(RunnerTest, RunsWithoutTheirContextAreNoMeasurements) {
  set_cells("E1,E2,E5");
  options_.repeats = 1;
  loop_.untold = "t3";
  const auto result = run();
  ASSERT_TRUE(result.has_value());
  const auto errors = [&](const char* id) {
    std::size_t count = 0;
    for (const RunFigures& one : result->sets[0].find(id)->runs) count += one.error.empty() ? 0 : 1;
    return count;
  };
  EXPECT_EQ(errors("E1"), 0U);
  EXPECT_EQ(errors("E2"), 1U);
  EXPECT_EQ(errors("E5"), 0U);  // there may be no lesson for it
}

TEST_F(RunnerTest, SetsAreToldApart) {
  tasks_.push_back(tasks_of(2, "second"));
  set_cells("E1");
  const auto result = run();
  ASSERT_TRUE(result.has_value());
  ASSERT_THAT(result->sets, SizeIs(2));
  EXPECT_THAT(result->sets[1].cells[0].runs, SizeIs(4));
  EXPECT_EQ(result->sets[1].cells[0].runs[0].trajectory, "second/E1/1/pass-1/t1-1.jsonl");
  tasks_[1].name = "made";
  EXPECT_EQ(run().error().code, ErrorCode::InvalidInput);
}

TEST_F(RunnerTest, DamagedRecordsAreTold) {
  set_cells("E1");
  ASSERT_TRUE(run().has_value());
  const auto file = cell_folder(options_.folder, "made", "E1", 1) / "pass-1.json";
  ASSERT_TRUE(write_file_atomically(real_env(), file, R"({"version": 1, "runs": [{}]})"));
  const auto result = run();
  ASSERT_TRUE(result.has_value());
  EXPECT_THAT(result->sets[0].cells[0].failures.at(0).error, HasSubstr("lacks"));
  EXPECT_THAT(result->sets[0].cells[0].runs, SizeIs(6));
}

}  // namespace
}  // namespace helve::agent
