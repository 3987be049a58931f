// Results that are made by hand, and a world without models, for tests.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <set>

#include "agent/experiment/runner.h"
#include "base/digest.h"
#include "base/env.h"
#include "toolkit/learning/forget.h"

namespace helve::agent {

inline TaskSet tasks_of(std::size_t count, std::string name = "made") {
  TaskSet set;
  set.name = std::move(name);
  set.source = "sample:";
  set.digest = "d1";
  for (std::size_t i = 1; i <= count; ++i) {
    TaskCase task;
    task.id = fmt::format("t{}", i);
    task.question = fmt::format("Question {}?", i);
    task.level = static_cast<unsigned>(i % 3 + 1);
    set.cases.push_back(std::move(task));
  }
  return set;
}

inline RunFigures run_of(std::string task, bool is_success, std::size_t repeat = 1,
                         std::size_t pass = 1) {
  RunFigures run;
  run.task = std::move(task);
  run.repeat = repeat;
  run.pass = pass;
  run.is_success = is_success;
  run.has_converged = true;
  run.stop_reason = "submitted";
  run.verdict = is_success ? "correct" : "incorrect";
  run.precision = run.recall = run.f1 = is_success ? 1 : 0;
  run.steps = 4;
  run.tool_calls = 3;
  run.input_tokens = 1'000;
  run.output_tokens = 100;
  run.leakage.reply_chars = 2'000;
  run.leakage.prompt_chars = 8'000;
  run.leakage.model_calls = 4;
  run.trajectory = fmt::format("made/E1/{}/pass-{}/{}.jsonl", repeat, pass, run.task);
  return run;
}

class NoJudge final : public Judge {
 public:
  Result<TaskJudgment> judge(const TaskCase& /*task*/, const JudgedAnswer& /*answer*/,
                             const OpContext& /*context*/) override {
    return Error{ErrorCode::Internal, "nobody asks"};
  }
};

class NoExtractor final : public Extractor {
 public:
  Result<Extraction> extract(const TaskCase& /*task*/, const std::vector<JudgedRun>& /*runs*/,
                             const LessonOrigin& /*origin*/,
                             const OpContext& /*context*/) override {
    return Error{ErrorCode::Internal, "nobody asks"};
  }
};

class EmptyRollouts final : public RolloutMaker {
 public:
  Result<Rollout> make(std::uint64_t /*seed*/, const OpContext& /*context*/) override {
    return Rollout();
  }
};

class FakeWorld final : public ExperimentWorld {
 public:
  Result<std::unique_ptr<RolloutMaker>> rollouts(const CellPlan& plan,
                                                 std::shared_ptr<memory::MemoryBank> bank,
                                                 const OpContext& /*context*/) override {
    const std::lock_guard lock(mutex_);
    if (broken_.contains(plan.id)) return Error{ErrorCode::Unavailable, "the source is away"};
    EXPECT_EQ(bank == nullptr, plan.bank == BankStart::None) << plan.id;
    return std::unique_ptr<RolloutMaker>(std::make_unique<EmptyRollouts>());
  }
  Judge& judge() override { return judge_; }
  Result<std::unique_ptr<Extractor>> extractor(const OpContext& /*context*/) override {
    return std::unique_ptr<Extractor>(std::make_unique<NoExtractor>());
  }
  LessonOrigin origin() const override { return {}; }

  void break_cell(const std::string& id) { broken_.insert(id); }
  void mend() { broken_.clear(); }

 private:
  NoJudge judge_;
  std::mutex mutex_;
  std::set<std::string> broken_;
};

// A loop whose runs are right by chance of their names and of how much the bank has; it learns an
// item of each task. `cancels_at`: it is cancelled before the task of this number, over all calls.
class FakeLoop {
 public:
  Result<LearnReport> operator()(const TaskSet& tasks, const LearnOptions& options,
                                 const LearnParts& parts, const OpContext& context) {
    LearnReport report;
    for (const TaskCase& task : tasks.cases) {
      if (++tasks_begun >= cancels_at) {
        context.cancel.cancel();
        if (cut_tokens == 0) return Error{ErrorCode::Cancelled, "cancelled"};
        report.usage.input_tokens += cut_tokens;
        report.stopped = "cancelled";
        return report;
      }
      const auto made = parts.rollouts.make(options.seed, context);
      if (!made || task.id == broken) {
        report.tasks.emplace_back();
        report.tasks.back().id = task.id;
        report.tasks.back().state = TaskState::Failed;
        report.tasks.back().error = made ? "the server is away" : made.error().message;
        continue;
      }
      ++runs_made;
      report.tasks.push_back(run_task(task, options, parts, report));
      if (parts.on_task) parts.on_task(report.tasks.back());
    }
    return report;
  }

  std::atomic<std::size_t> tasks_begun{0};
  std::atomic<std::size_t> runs_made{0};
  std::size_t cancels_at = SIZE_MAX;
  std::uint64_t cut_tokens = 0;         // of the run that is cut then
  std::uint64_t extraction_tokens = 0;  // of each task
  std::string broken;                   // a task that cannot be judged
  std::string untold;                   // one whose context cannot be built

 private:
  static std::uint64_t chance(const std::string& words) {
    return std::stoull(digest_hex(DigestKind::Sha256, words).substr(0, 8), nullptr, 16);
  }

  LearnedTask run_task(const TaskCase& task, const LearnOptions& options, const LearnParts& parts,
                       LearnReport& report) const {
    std::uint64_t known = 0;
    if (parts.bank != nullptr) known = parts.bank->repository().stats({})->active;
    LearnedTask done;
    done.id = task.id;
    done.state = TaskState::Done;
    for (std::size_t i = 0; i < options.rollouts; ++i) {
      RunResult run;
      run.stop = StopReason::Submitted;
      run.iterations = 3 + chance(task.id) % 4;
      run.usage.input_tokens = 100;
      run.leakage.prompt_chars = 1'000;
      const bool is_told = options.request.context.layers.any() && task.id != untold;
      run.leakage.context_chars = is_told ? 500 : 0;
      run.leakage.model_calls = 2;
      TaskJudgment judgment;
      const bool is_right =
          chance(fmt::format("{} {} {}", task.id, options.seed, i)) % 10 < 3 + known;
      judgment.judgment.verdict =
          is_right ? learning::Verdict::Correct : learning::Verdict::Incorrect;
      done.runs.push_back(run);
      done.judgments.push_back(judgment);
      done.trajectories.push_back(fmt::format("{}-{}.jsonl", task.id, i + 1));
      report.usage += run.usage;
      done.usage += run.usage;
    }
    done.usage.output_tokens += extraction_tokens;
    report.usage.output_tokens += extraction_tokens;
    if (options.stores && parts.bank != nullptr) learn_item(task, options, parts, report);
    return done;
  }

  static void learn_item(const TaskCase& task, const LearnOptions& options, const LearnParts& parts,
                         LearnReport& report) {
    memory::Item item;
    item.title = "Lesson of " + task.id;
    item.desc = "When it is asked.";
    item.content = "Look there.";
    item.src = memory::ItemSource::Success;
    item.created_at = parts.env.clock().wall();
    item.id = id_of(item);
    auto& repository = parts.bank->repository();
    const auto added = repository.add({item}, {});
    if (added && added->change) ++report.items_added;
    if (!options.forgets) return;
    const auto plan =
        learning::plan_eviction(repository, *options.forgets, parts.env.clock().wall(), {});
    EXPECT_TRUE(plan.has_value() && learning::apply(repository, *plan, {}).has_value());
  }
};

}  // namespace helve::agent
