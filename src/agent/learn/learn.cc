#include "agent/learn/learn.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "agent/learn/attempts.h"
#include "agent/learn/journal.h"
#include "agent/learn/judged_runs.h"
#include "agent/learn/loop_start.h"
#include "agent/loops/json_object.h"
#include "base/text.h"
#include "base/utf8_repair.h"
#include "toolkit/learning/store.h"

namespace helve::agent {

namespace {

double ms_of(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

std::string_view name_of(learning::StoreState state) {
  switch (state) {
    case learning::StoreState::Added:
      return "added";
    case learning::StoreState::Exists:
      return "exists";
    case learning::StoreState::Released:
      return "released";
    case learning::StoreState::Retracted:
      break;
  }
  return "retracted";
}

// With the name of the folder: another loop on the same bank has files of the same names.
std::string run_name(const std::filesystem::path& folder, const std::string& trajectory) {
  constexpr std::size_t kFolderChars = 60;
  std::filesystem::path whole = folder.lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  return elide_end(repaired_utf8(whole.filename().string()), kFolderChars) + "/" + trajectory;
}

// Judged runs of the attempts that say something; the others have no verdict.
std::vector<JudgedRun> judged_runs(const std::vector<Attempt>& attempts,
                                   const std::vector<TaskJudgment>& judgments,
                                   const std::filesystem::path& folder) {
  std::vector<JudgedRun> runs;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    if (judgments[i].judgment.verdict == learning::Verdict::None) continue;
    runs.push_back({run_name(folder, attempts[i].trajectory), attempts[i].run, judgments[i],
                    attempts[i].failures, attempts[i].failed_queries});
  }
  return runs;
}

class LearnLoop {
 public:
  LearnLoop(const TaskSet& tasks, const LearnOptions& options, const LearnParts& parts,
            LearnJournal& journal, const OpContext& context)
      : tasks_(tasks), options_(options), parts_(parts), journal_(journal), context_(context) {}

  Result<LearnReport> run() {
    for (std::size_t i = 0; i < tasks_.cases.size(); ++i) {
      HELVE_ASSIGN(LearnedTask task, take_up(tasks_.cases[i], i + 1));
      const bool is_reached = task.state != TaskState::NotReached;
      const bool is_success = task.state == TaskState::Done && !task.judgments.empty() &&
                              task.judgments[task.best].is_success();
      report_.successes += is_success ? 1 : 0;
      if (is_reached && parts_.on_task) parts_.on_task(task);
      report_.tasks.push_back(std::move(task));
    }
    report_.usage = journal_.used().usage;
    return std::move(report_);
  }

 private:
  Result<LearnedTask> take_up(const TaskCase& task, std::size_t number) {
    const TaskRecord* const known = journal_.find(task.id);
    if (known != nullptr && known->phase == Phase::Done) {
      count_items(*known);
      return restored(*known);
    }
    if (known != nullptr) {  // nothing is run for it, so that no budget is asked
      TaskRecord record = *known;
      HELVE_TRY(finish(record));
      return restored(record);
    }
    if (report_.stopped.empty()) report_.stopped = reason_to_stop();
    if (!report_.stopped.empty()) return not_reached(task);
    return attempt(task, number);
  }

  static LearnedTask not_reached(const TaskCase& task) {
    LearnedTask none;
    none.id = task.id;
    return none;
  }

  static LearnedTask restored(const TaskRecord& record) {
    LearnedTask task = record.task;
    task.state = TaskState::Done;
    task.is_from_journal = true;
    return task;
  }

  // Empty: it goes on.
  std::string reason_to_stop() const {
    if (const auto going = context_.check(); !going) {
      return going.error().code == ErrorCode::Cancelled ? "cancelled" : "time";
    }
    const LoopUsage& used = journal_.used();
    const LearnBudget& budget = options_.budget;
    const std::uint64_t tokens = used.usage.input_tokens + used.usage.output_tokens;
    if (budget.tokens_max && tokens >= *budget.tokens_max) return "tokens";
    if (budget.cost_max && used.usage.cost.value_or(0) >= *budget.cost_max) return "cost";
    if (budget.time_max && used.ms >= ms_of(*budget.time_max)) return "time";
    return {};
  }

  Result<LearnedTask> attempt(const TaskCase& task, std::size_t number) {
    const MonotonicTime begun = parts_.env.clock().now();
    const auto attempts = run_attempts(task, number, options_, parts_, context_);
    llm::Usage usage;
    for (const Attempt& one : attempts) usage += one.run.usage;
    const MonotonicTime ran = parts_.env.clock().now();
    HELVE_TRY(journal_.ran(task.id, usage, ms_of(ran - begun)));
    if (!context_.check()) {  // what was cut short says nothing of the task
      report_.stopped = reason_to_stop();
      return not_reached(task);
    }
    TaskRecord record;
    llm::Usage more;
    const auto learnt = judge_and_extract(task, attempts, record, more);
    record.task.usage = usage;
    record.task.usage += more;
    const double ms = ms_of(parts_.env.clock().now() - ran);
    if (learnt) {
      HELVE_TRY(journal_.judged(record, more, ms));
      HELVE_TRY(finish(record));
      record.task.state = TaskState::Done;
      return std::move(record.task);
    }
    if (!context_.check()) {
      report_.stopped = reason_to_stop();
      return not_reached(task);
    }
    record.task.state = TaskState::Failed;
    record.task.error = learnt.error().to_string();
    HELVE_TRY(journal_.failed(record.task, more, ms));
    return std::move(record.task);
  }

  Result<void> judge_and_extract(const TaskCase& task, const std::vector<Attempt>& attempts,
                                 TaskRecord& record, llm::Usage& usage) {
    LearnedTask& learned = record.task;
    learned.id = task.id;
    std::set<std::string> injected;
    for (const Attempt& one : attempts) {
      learned.runs.push_back(bounded(one.run));
      learned.trajectories.push_back(one.trajectory);
      learned.failed_calls.push_back(one.failed_calls);
      learned.judgments.emplace_back();
      injected.insert(one.injected.begin(), one.injected.end());
    }
    record.injected.assign(injected.begin(), injected.end());
    HELVE_TRY(judge(task, attempts, learned, usage));
    HELVE_TRY(context_.check());  // what was stopped between two judgments is not judged
    learned.best = best_of(learned.judgments);
    if (!options_.stores || parts_.bank == nullptr) return {};
    HELVE_ASSIGN(
        Extraction extraction,
        parts_.extractor.extract(task, judged_runs(attempts, learned.judgments, options_.folder),
                                 parts_.origin, context_));
    // They are for the check of lessons alone, and would be kept as long as the report is.
    for (TaskJudgment& judgment : learned.judgments) judgment.answer_words = {};
    usage += extraction.usage;
    learned.rejected = std::move(extraction.rejected);
    record.lessons = std::move(extraction.items);
    return find_fresh(record);
  }

  // Fails where no attempt could be judged.
  Result<void> judge(const TaskCase& task, const std::vector<Attempt>& attempts,
                     LearnedTask& learned, llm::Usage& usage) {
    std::optional<Error> error;
    bool is_judged = false;
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      const Attempt& one = attempts[i];
      if (one.error) {
        if (!error) error = one.error;
        learned.judgments[i].says = one.error->full_message();
        continue;
      }
      auto judgment = parts_.judge.judge(task, judged_answer(one.run), context_);
      if (!judgment) {
        if (!error) error = judgment.error();
        learned.judgments[i].says = judgment.error().full_message();
        continue;
      }
      is_judged = true;
      usage += judgment->usage;
      HELVE_TRY(add_to_trajectory(options_.folder / one.trajectory, EventKind::Judgment,
                                  judgment->to_json(), "", options_, parts_.env));
      learned.judgments[i] = *std::move(judgment);
    }
    if (is_judged) return {};
    return error.value_or(Error{ErrorCode::Internal, "there was nothing to judge"});
  }

  Result<void> find_fresh(TaskRecord& record) {
    for (const memory::Item& lesson : record.lessons) {
      const auto known = parts_.bank->repository().get({lesson.id}, context_);
      if (known) continue;
      if (known.error().code != ErrorCode::NotFound) return known.error();
      record.fresh.push_back(lesson.id);
    }
    return {};
  }

  // From the phase that the record is in to the end. Nothing of it is asked to stop half-way: it is
  // short, and a restart would only do it again.
  Result<void> finish(TaskRecord& record) {
    OpContext op = context_;
    op.cancel = CancelToken();
    op.deadline = Deadline();
    const bool has_bank = options_.stores && parts_.bank != nullptr;
    if (has_bank && record.phase < Phase::Stored) {
      HELVE_TRY(store(record, op));
      HELVE_TRY(journal_.stored(record.task));
    }
    if (has_bank && record.phase < Phase::Counted) {
      HELVE_TRY(keep_in_order(op));
      HELVE_TRY(journal_.counted(record.task.id));
      count_uses(record, op);
    }
    count_items(record);
    return journal_.done(record.task.id);
  }

  Result<void> store(TaskRecord& record, const OpContext& op) {
    LearnedTask& task = record.task;
    task.items.clear();
    for (const memory::Item& lesson : record.lessons) {
      HELVE_ASSIGN(
          const learning::StoredLesson stored,
          learning::store_lesson(parts_.bank->repository(), lesson, parts_.env.clock().wall(), op));
      if (stored.state == learning::StoreState::Retracted) {
        task.rejected.push_back(fmt::format("{} was taken back before", lesson.id));
      } else {
        task.items.push_back(stored.id);
      }
      // What was new before a crash is new now.
      const bool is_fresh =
          std::find(record.fresh.begin(), record.fresh.end(), lesson.id) != record.fresh.end();
      // The journal and the bank know it; a trajectory that is gone is not missed.
      static_cast<void>(add_to_trajectory(
          options_.folder / trajectory_of(task, lesson), EventKind::MemoryWrite,
          object_of({{"id", JsonValue(stored.id)},
                     {"title", JsonValue(lesson.title)},
                     {"src", JsonValue(memory::name_of(lesson.src))},
                     {"state", JsonValue(is_fresh ? "added" : name_of(stored.state))},
                     {"quarantined", JsonValue(stored.is_quarantined)}}),
          "id", options_, parts_.env));
    }
    return {};
  }

  // The file of the run that a lesson is of.
  static std::string trajectory_of(const LearnedTask& task, const memory::Item& lesson) {
    const auto found =
        std::find_if(task.trajectories.begin(), task.trajectories.end(),
                     [&](const std::string& one) { return lesson.provenance.run.ends_with(one); });
    return found != task.trajectories.end() ? *found : lesson.provenance.run;
  }

  Result<void> keep_in_order(const OpContext& op) {
    memory::MemoryRepository& bank = parts_.bank->repository();
    if (options_.consolidates) {
      HELVE_ASSIGN(const auto plan, learning::plan_consolidation(bank, {}, op));
      HELVE_TRY(learning::apply(bank, plan, op));
    }
    if (options_.forgets) {
      HELVE_ASSIGN(const auto plan,
                   learning::plan_eviction(bank, *options_.forgets, parts_.env.clock().wall(), op));
      HELVE_TRY(learning::apply(bank, plan, op));
    }
    return {};
  }

  // Whether lessons helped is what came of the task. It changes ranks alone, and may be lost.
  void count_uses(const TaskRecord& record, const OpContext& op) const {
    const learning::Verdict verdict = record.task.judgments[record.task.best].judgment.verdict;
    const bool helped = verdict == learning::Verdict::Correct;
    if (!helped && verdict != learning::Verdict::Incorrect) return;
    std::vector<memory::UsageNote> notes;
    for (const std::string& id : record.injected) {
      notes.push_back({id, helped ? memory::Usage::Helped : memory::Usage::Hurt, 1});
    }
    if (!notes.empty()) static_cast<void>(parts_.bank->repository().note_usage(notes, op));
  }

  void count_items(const TaskRecord& record) {
    for (const std::string& id : record.task.items) {
      report_.items_added +=
          static_cast<std::uint64_t>(std::count(record.fresh.begin(), record.fresh.end(), id));
    }
  }

  const TaskSet& tasks_;
  const LearnOptions& options_;
  const LearnParts& parts_;
  LearnJournal& journal_;
  const OpContext& context_;
  LearnReport report_;
};

// A bank that was made anew has nothing of what the journal takes for stored. What is forgotten may
// be gone.
Result<void> check_bank(const LearnOptions& options, const LearnParts& parts,
                        const LearnJournal& journal, const OpContext& context) {
  if (!options.stores || parts.bank == nullptr || options.forgets) return {};
  const std::vector<std::string> ids = journal.stored_items();
  for (const std::string& id : ids) {
    const auto known = parts.bank->repository().get({id}, context);
    if (known) return {};
    if (known.error().code != ErrorCode::NotFound) return known.error();
  }
  if (ids.empty()) return {};
  return Error{ErrorCode::InvalidInput,
               fmt::format("the bank has none of the {} that were stored by this folder's journal",
                           ids.size() == 1 ? "lessons" : fmt::format("{} lessons", ids.size())),
               "name the bank that has them, or begin again in another folder: --out DIR"};
}

// A limit on cost that nobody can keep is none.
Result<void> check_budget(const LearnOptions& options, const LearnParts& parts,
                          const OpContext& context) {
  if (!options.budget.cost_max) return {};
  HELVE_ASSIGN(const Rollout rollout, parts.rollouts.make(options.seed, context));
  if (rollout.model->tells_cost()) return {};
  return Error{ErrorCode::InvalidInput,
               fmt::format("no prices are known of {}, and a limit on cost is given",
                           rollout.model->model()),
               "give prices with --prices, or limit tokens"};
}

}  // namespace

Result<LearnReport> learn(const TaskSet& tasks, const LearnOptions& options,
                          const LearnParts& parts, const OpContext& context) {
  HELVE_TRY(check_budget(options, parts, context));
  HELVE_ASSIGN(const auto journal,
               LearnJournal::open(options.folder, loop_start(tasks, options), parts.env));
  HELVE_TRY(check_bank(options, parts, *journal, context));
  HELVE_TRY(parts.env.files().make_directories(options.folder / "trajectories"));
  return LearnLoop(tasks, options, parts, *journal, context).run();
}

}  // namespace helve::agent
