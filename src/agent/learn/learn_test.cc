#include "agent/learn/learn.h"

#include "agent/learn/attempts.h"
#include "agent/learn/journal.h"
#include "agent/learn/learn_testing.h"
#include "agent/trajectory/recorded_run.h"

namespace helve::agent {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::vector<RecordedRun> runs_at(FakeEnv& env, const std::string& path) {
  auto file = read_trajectory_file(path, env);
  EXPECT_TRUE(file) << path << ": " << (file ? "" : file.error().to_string());
  return file ? runs_of(*std::move(file)) : std::vector<RecordedRun>(1);
}

TEST_F(LearnTest, RunsJudgesAndStores) {
  const auto bank = open_bank();
  const auto report = run(bank);
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_EQ(report->successes, 3U);
  EXPECT_EQ(report->items_added, 3U);
  EXPECT_EQ(report->stopped, "");
  EXPECT_THAT(done_, ElementsAre("moons", "planets", "orbits"));
  ASSERT_THAT(report->tasks, SizeIs(3));
  const LearnedTask& first = report->tasks[0];
  EXPECT_EQ(first.state, TaskState::Done);
  EXPECT_THAT(first.items, SizeIs(1));
  EXPECT_THAT(first.trajectories, ElementsAre("trajectories/0001-moons-1.jsonl"));
  EXPECT_EQ(first.runs[0].iterations, 2U);
  EXPECT_EQ(report->usage.input_tokens, 600U);
  EXPECT_EQ(first.usage.input_tokens, 200U);
  EXPECT_THAT(items_of(*bank), Contains(HasSubstr("success Find sol:Moon by sol:orbits|"
                                                  "learn/trajectories/0001-moons-1.jsonl|active")));
  // The run has its verdict and what was learnt of it.
  const auto runs = runs_at(*env_, "/learn/trajectories/0001-moons-1.jsonl");
  ASSERT_THAT(runs, SizeIs(1));
  EXPECT_TRUE(runs[0].has_end);
  ASSERT_TRUE(runs[0].judgment);
  EXPECT_EQ(runs[0].judgment->verdict, "correct");
  ASSERT_THAT(runs[0].memory, SizeIs(1));
  EXPECT_EQ(runs[0].memory[0].id, first.items[0]);
  EXPECT_EQ(runs[0].memory[0].state, "added");
  for (const char* const kind : {"ran", "judged", "stored", "counted", "done"}) {
    EXPECT_EQ(count_lines(kind), 3U) << kind;
  }
}

TEST_F(LearnTest, WhatIsDoneIsNotRunAgain) {
  const auto bank = open_bank();
  const auto first = run(bank);
  ASSERT_TRUE(first);
  const std::string journal_before = journal();
  const auto items = items_of(*bank);
  const auto again = run(bank);
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_EQ(rollouts_->made(), 0U);
  EXPECT_EQ(journal(), journal_before);
  EXPECT_EQ(items_of(*bank), items);
  EXPECT_EQ(again->successes, 3U);
  EXPECT_EQ(again->items_added, 3U);
  EXPECT_EQ(again->usage.input_tokens, first->usage.input_tokens);
  const LearnedTask& task = again->tasks[1];
  EXPECT_TRUE(task.is_from_journal);
  EXPECT_EQ(task.state, TaskState::Done);
  EXPECT_EQ(task.items, first->tasks[1].items);
  EXPECT_EQ(task.runs[0].leakage.prompt_chars, first->tasks[1].runs[0].leakage.prompt_chars);
  EXPECT_EQ(task.runs[0].stop, StopReason::Submitted);
  EXPECT_EQ(task.runs[0].tool_calls, 1U);
  EXPECT_EQ(task.judgments[0].comparison->f1, 1);
  EXPECT_EQ(task.trajectories, first->tasks[1].trajectories);
}

TEST_F(LearnTest, TheBestOfSeveralRolloutsCounts) {
  seed_.reset();
  options_.rollouts = 6;
  options_.parallel = 3;
  const auto bank = open_bank();
  const auto report = run(bank);
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_EQ(rollouts_->made(), 18U);
  const LearnedTask& first = report->tasks[0];
  ASSERT_THAT(first.judgments, SizeIs(6));
  // By its seed alone, whatever ends first.
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(first.judgments[i].is_success(), seed_of(1, "moons", i) % 2 == 0) << i;
  }
  EXPECT_TRUE(first.judgments[first.best].is_success());
  for (std::size_t i = 0; i < first.best; ++i) EXPECT_FALSE(first.judgments[i].is_success());
  EXPECT_THAT(items_of(*bank), Contains(HasSubstr("contrastive Rightly: Find sol:Moon")));
}

TEST_F(LearnTest, LessonsThatWereGivenHelpOrHurt) {
  seed_ = 1;  // wrong without a lesson
  const auto bank = open_bank();
  ASSERT_TRUE(run(bank));
  EXPECT_THAT(items_of(*bank), Not(Contains(HasSubstr("success"))));
  // The same tasks again, in another folder, beside a lesson that leads to the right query.
  seed_ = 0;
  options_.folder = "/second";
  ASSERT_TRUE(run(bank));
  options_.folder = "/third";
  seed_ = 1;
  const auto third = run(bank);
  ASSERT_TRUE(third);
  EXPECT_GT(third->successes, 0U);
  EXPECT_THAT(items_of(*bank), Contains(::testing::ContainsRegex("success .*\\+[1-9] -0")));
}

TEST_F(LearnTest, AnotherLoopInTheSameFolderIsAnError) {
  const auto bank = open_bank();
  ASSERT_TRUE(run(bank));
  options_.rollouts = 2;
  options_.config = {{"model", "other"}};
  auto other = run(bank);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(other.error().message, HasSubstr("rollouts was 1 and is 2"));
  EXPECT_THAT(other.error().message, HasSubstr("model was stepping-1 and is other"));
  options_.rollouts = 1;
  options_.config = {{"model", "stepping-1"}};
  options_.seed = 7;
  EXPECT_THAT(run(bank).error().message, HasSubstr("seed was 1 and is 7"));
  options_.seed = 1;
  tasks_.digest = "4567";
  EXPECT_THAT(run(bank).error().message, HasSubstr("digest of tasks was 0123 and is 4567"));
  tasks_.digest = "0123";
  tasks_.cases.pop_back();
  EXPECT_THAT(run(bank).error().message, HasSubstr("number of tasks was 3 and is 2"));
  // Budgets and how many run at once may be others.
  tasks_.cases.push_back({"orbits"});
  options_.parallel = 4;
  options_.budget.tokens_max = 1;
  EXPECT_TRUE(run(bank));
}

TEST_F(LearnTest, BudgetsEndItBetweenTasksAndHoldAcrossRestarts) {
  const auto bank = open_bank();
  options_.budget.tokens_max = 221;  // a task takes 220
  auto report = run(bank);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->stopped, "tokens");
  EXPECT_THAT(done_, ElementsAre("moons", "planets"));
  EXPECT_EQ(report->tasks[2].state, TaskState::NotReached);
  report = run(bank);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->stopped, "tokens");
  EXPECT_EQ(rollouts_->made(), 0U);
  options_.budget.tokens_max.reset();
  options_.budget.cost_max = 0.01;
  EXPECT_EQ(run(bank)->stopped, "cost");
  options_.budget.cost_max.reset();
  options_.budget.time_max = Duration::zero();
  EXPECT_EQ(run(bank)->stopped, "time");
  options_.budget.time_max.reset();
  report = run(bank);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->stopped, "");
  EXPECT_EQ(rollouts_->made(), 1U);
  EXPECT_EQ(report->successes, 3U);
}

TEST_F(LearnTest, AJudgeThatFailsOnOneTaskIsToldAndTriedAgain) {
  const auto bank = open_bank();
  judge_.fails_at = "planets";
  auto report = run(bank);
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_EQ(report->tasks[1].state, TaskState::Failed);
  EXPECT_THAT(report->tasks[1].error, HasSubstr("the source is away"));
  EXPECT_EQ(report->tasks[2].state, TaskState::Done);
  EXPECT_EQ(report->successes, 2U);
  judge_.fails_at.clear();
  report = run(bank);
  ASSERT_TRUE(report);
  EXPECT_EQ(rollouts_->made(), 1U);
  EXPECT_EQ(report->successes, 3U);
  EXPECT_EQ(report->items_added, 3U);
}

TEST_F(LearnTest, AModelThatFailsOnOneTaskIsTold) {
  ways_.erase("Which planets are heavy?");
  const auto report = run(open_bank());
  ASSERT_TRUE(report);
  EXPECT_EQ(report->tasks[1].state, TaskState::Failed);
  EXPECT_THAT(report->tasks[1].error, HasSubstr("the model is away"));
  EXPECT_EQ(report->successes, 2U);
}

class BrokenExtractor final : public Extractor {
 public:
  Result<Extraction> extract(const TaskCase& /*task*/, const std::vector<JudgedRun>& /*runs*/,
                             const LessonOrigin& /*origin*/,
                             const OpContext& /*context*/) override {
    return Error{ErrorCode::Unavailable, "no lessons today"};
  }
};

TEST_F(LearnTest, AnExtractorThatFailsIsTold) {
  extractor_ = std::make_unique<BrokenExtractor>();
  const auto report = run(open_bank());
  ASSERT_TRUE(report);
  EXPECT_EQ(report->tasks[0].state, TaskState::Failed);
  EXPECT_THAT(report->tasks[0].error, HasSubstr("no lessons today"));
}

TEST_F(LearnTest, CancellationStopsItBetweenStepsAndItGoesOn) {
  const auto bank = open_bank();
  on_make_ = [this, n = 0]() mutable {
    if (++n == 2) context_.cancel.cancel();
  };
  auto report = run(bank);
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_EQ(report->stopped, "cancelled");
  EXPECT_EQ(report->tasks[0].state, TaskState::Done);
  EXPECT_EQ(report->tasks[1].state, TaskState::NotReached);
  EXPECT_THAT(items_of(*bank), SizeIs(1));
  on_make_ = {};
  context_ = {};
  report = run(bank);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->successes, 3U);
  EXPECT_THAT(items_of(*bank), SizeIs(3));
}

TEST_F(LearnTest, CancelledBetweenJudgmentsOfATaskItIsNotDone) {
  options_.rollouts = 2;
  options_.stores = false;
  judge_.on_judged = [this] { context_.cancel.cancel(); };
  const auto report = run(nullptr);
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_EQ(report->stopped, "cancelled");
  EXPECT_EQ(report->tasks[0].state, TaskState::NotReached);
  EXPECT_EQ(count_lines("done"), 0U);
}

TEST_F(LearnTest, WithoutStoringNothingIsLearnt) {
  const auto bank = open_bank();
  options_.stores = false;
  const auto report = run(bank);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->successes, 3U);
  EXPECT_THAT(items_of(*bank), IsEmpty());
  EXPECT_THAT(report->tasks[0].items, IsEmpty());
}

TEST_F(LearnTest, ABoundedBankStaysSo) {
  const auto bank = open_bank();
  options_.consolidates = true;
  options_.forgets = learning::ForgetOptions{true, 2, 0};
  ASSERT_TRUE(run(bank));
  EXPECT_THAT(items_of(*bank), SizeIs(2));
}

TEST_F(LearnTest, ALessonThatWasTakenBackStaysSo) {
  const auto bank = open_bank();
  const auto first = run(bank);
  ASSERT_TRUE(first);
  const std::string id = first->tasks[0].items.at(0);
  ASSERT_TRUE(bank->repository().retract(id, {}));
  options_.folder = "/second";
  const auto second = run(bank);
  ASSERT_TRUE(second);
  EXPECT_THAT(second->tasks[0].items, IsEmpty());
  EXPECT_THAT(second->tasks[0].rejected, ElementsAre(HasSubstr("was taken back before")));
}

TEST_F(LearnTest, TwoProcessesDoNotShareAFolder) {
  ASSERT_TRUE(env_->files().make_directories("/learn"));
  const auto held = env_->files().lock("/learn/lock");
  ASSERT_TRUE(held);
  const auto report = run(open_bank());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::Unavailable);
}

TEST_F(LearnTest, IdsOfTasksAreNoPaths) {
  tasks_.cases[0].id = "../../etc/passwd";
  const auto report = run(open_bank());
  ASSERT_TRUE(report);
  EXPECT_THAT(report->tasks[0].trajectories,
              ElementsAre("trajectories/0001-______etc_passwd-1.jsonl"));
}

TEST_F(LearnTest, ABankThatIsGoneIsNoticed) {
  ASSERT_TRUE(run(open_bank()));
  const auto other = open_bank("other.db");
  const auto again = run(other);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(again.error().message, HasSubstr("the bank has none of the"));
  EXPECT_TRUE(run(open_bank()));
}

TEST_F(LearnTest, WhatIsJudgedIsStoredThoughTheBudgetIsUsedUp) {
  ASSERT_TRUE(run(open_bank()));
  const std::string whole = journal();
  const std::size_t at = whole.find(R"({"kind":"stored")");
  ASSERT_NE(at, std::string::npos);
  env_->files().put("/learn/journal.jsonl", whole.substr(0, at));
  options_.budget.tokens_max = 1;
  const auto bank = open_bank("other.db");
  const auto report = run(bank);
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_EQ(report->stopped, "tokens");
  EXPECT_EQ(report->tasks[0].state, TaskState::Done);
  EXPECT_EQ(report->tasks[1].state, TaskState::NotReached);
  EXPECT_FALSE(items_of(*bank).empty());
}

TEST_F(LearnTest, LessonsSayWhichFolderTheyComeFrom) {
  options_.folder = "/runs/second/";
  const auto bank = open_bank();
  ASSERT_TRUE(run(bank));
  EXPECT_THAT(items_of(*bank).at(0), HasSubstr("|second/trajectories/0"));
}

TEST_F(LearnTest, AJournalGrowsNoLargerThanCanBeRead) {
  const JsonValue start = object_of({{"a", JsonValue(1)}});
  constexpr std::uint64_t kBytes = 300;
  {
    const auto journal = LearnJournal::open("/small", start, *env_, kBytes);
    ASSERT_TRUE(journal);
    Result<void> written;
    for (int i = 0; i < 10 && written; ++i) written = (*journal)->ran("t", {}, 1);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::LimitExceeded);
  }
  EXPECT_LE(env_->files().content("/small/journal.jsonl")->size(), kBytes);
  EXPECT_TRUE(LearnJournal::open("/small", start, *env_, kBytes));
}

TEST_F(LearnTest, ADamagedJournalIsAnErrorWithItsLine) {
  ASSERT_TRUE(run(open_bank()));
  std::string text = journal();
  text.insert(text.find('\n') + 1, "{oops\n");
  env_->files().put("/learn/journal.jsonl", text);
  const auto report = run(open_bank());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::InvalidInput);
  ASSERT_TRUE(report.error().position);
  EXPECT_EQ(report.error().position->line, 2U);
}

}  // namespace
}  // namespace helve::agent
