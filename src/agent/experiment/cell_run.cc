#include "agent/experiment/cell_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/experiment/cell_config.h"
#include "agent/experiment/cell_env.h"
#include "agent/experiment/cell_files.h"
#include "agent/experiment/frozen_bank.h"
#include "agent/experiment/stored_item.h"
#include "agent/loops/json_object.h"
#include "toolkit/learning/seeds.h"

namespace helve::agent {

namespace {

using memory::MemoryBank;

// Lessons of failure are worth keeping too, and so is none of its kind when the bank is full of
// others.
constexpr std::uint64_t kFloorShare = 8;

// Refuses further runs once the budget of all cells is used up.
class MeteredRollouts final : public RolloutMaker {
 public:
  MeteredRollouts(RolloutMaker& below, const BudgetMeter& meter) : below_(below), meter_(meter) {}

  Result<Rollout> make(std::uint64_t seed, const OpContext& context) override {
    if (const std::string why = meter_.exceeded(); !why.empty()) {
      return Error{ErrorCode::Cancelled, why};
    }
    return below_.make(seed, context);
  }

 private:
  RolloutMaker& below_;
  const BudgetMeter& meter_;
};

class CellRun {
 public:
  CellRun(const CellJob& job, const OpContext& context)
      : job_(job),
        context_(context),
        folder_(cell_folder(job.options.folder, job.set.tasks.name, job.plan.id, job.repeat)) {}

  Result<std::vector<PassRecord>> run() {
    HELVE_TRY(job_.env.files().make_directories(folder_));
    HELVE_TRY(settle_config(job_));
    std::vector<PassRecord> records;
    for (std::size_t pass = 1; pass <= job_.plan.passes; ++pass) {
      const auto file = folder_ / fmt::format("pass-{}.json", pass);
      HELVE_ASSIGN(auto known, read_json_file(file, job_.env));
      if (!known || is_to_retry(*known)) {
        HELVE_TRY(run_pass(pass, file));
        HELVE_ASSIGN(known, read_json_file(file, job_.env));
      }
      // Always from the file: a pass that was done before and one of now are the same then.
      if (!known) return Error{ErrorCode::Unavailable, file.string() + " is gone"};
      auto record = read_pass_record(*known);
      if (!record) return std::move(record.error().at(file.string(), {}));
      records.push_back(*std::move(record));
    }
    return records;
  }

 private:
  // Its journal knows which are done.
  bool is_to_retry(const JsonValue& known) const {
    if (!job_.options.retries_failed || job_.plan.learns) return false;
    const auto record = read_pass_record(known);
    return record && std::any_of(record->runs.begin(), record->runs.end(),
                                 [](const RunFigures& run) { return !run.error.empty(); });
  }

  std::filesystem::path bank_file(std::size_t pass) const {
    return folder_ / fmt::format("bank-{}.db", pass);
  }

  // The bank that the cell begins with, in a file of its own.
  Result<void> make_first_bank(CellEnv& env) {
    const auto file = bank_file(0);
    if (is_there(file, job_.env)) return {};
    if (job_.plan.bank == BankStart::Learnt) return copy_learnt(file);
    const auto made = folder_ / "new-bank";
    HELVE_TRY(remove_tree(made, job_.env));
    HELVE_TRY(job_.env.files().make_directories(made));
    if (job_.plan.bank == BankStart::Seeds && !job_.options.seed_bank.empty()) {
      // Another process may have it open: what it wrote last is not in the file yet.
      HELVE_ASSIGN(const auto given,
                   MemoryBank::open(job_.options.seed_bank, false, env, context_));
      HELVE_TRY(given->repository().back_up(made / "bank.db", context_));
    } else {
      HELVE_ASSIGN(const auto bank, MemoryBank::open(made / "bank.db", true, env, context_));
      if (job_.plan.bank == BankStart::Seeds) {
        HELVE_TRY(learning::add_seeds(bank->repository(), context_));
      }
    }
    HELVE_TRY(copy_file(made / "bank.db", file, job_.env));
    return remove_tree(made, job_.env);
  }

  Result<void> copy_learnt(const std::filesystem::path& file) {
    const auto learnt =
        cell_folder(job_.options.folder, job_.set.tasks.name, "E9", job_.repeat) / "bank-1.db";
    auto copied = copy_file(learnt, file, job_.env);
    if (copied) return {};
    return Error{copied.error().code,
                 fmt::format("E9 of this repeat left no bank ({})", copied.error().full_message())};
  }

  // A pass that learns begins anew: half a pass of lessons is in no bank that is kept. Others go on
  // in their journal.
  Result<void> run_pass(std::size_t pass, const std::filesystem::path& file) {
    const MonotonicTime started = real_clock().now();
    const auto work = folder_ / fmt::format("pass-{}", pass);
    CellEnv env(job_.env);
    env.clock().pass_hours(hours_before(pass, job_.set.tasks));
    if (job_.plan.learns) HELVE_TRY(remove_tree(work, job_.env));
    HELVE_TRY(job_.env.files().make_directories(work));
    PassRecord record;
    HELVE_TRY(learn_pass(pass, work, env, record));
    if (job_.plan.learns) {
      HELVE_TRY(job_.env.files().rename(work / "bank.db", bank_file(pass)));
    }
    const Duration time = real_clock().now() - started;
    if (job_.on_measured) job_.on_measured(pass, record, time);
    HELVE_TRY(write_json_file(file, to_json(record), job_.env));
    if (job_.on_pass) job_.on_pass(pass, record, time);
    return {};
  }

  Result<std::shared_ptr<MemoryBank>> open_bank(std::size_t pass, const std::filesystem::path& work,
                                                CellEnv& env) {
    if (job_.plan.bank == BankStart::None) return std::shared_ptr<MemoryBank>();
    HELVE_TRY(make_first_bank(env));
    if (!job_.plan.learns) {
      HELVE_ASSIGN(auto bank, MemoryBank::open(bank_file(0), false, env, context_));
      return frozen(std::move(bank), env.clock());
    }
    HELVE_TRY(copy_file(bank_file(pass - 1), work / "bank.db", job_.env));
    return MemoryBank::open(work / "bank.db", false, env, context_);
  }

  LearnOptions learn_options(const std::filesystem::path& work) const {
    LearnOptions options;
    options.folder = work;
    options.request = job_.options.request;
    options.request.context.layers = job_.plan.layers;
    options.request.reply_form = job_.plan.replies;
    // Which of two calls at once stores its result first is not the same each time.
    options.request.limits.parallel_calls_max = 1;
    if (job_.plan.memory == MemoryMode::Searched) {
      options.request.more_tools = {"mem_search", "mem_get"};
    }
    options.rollouts = job_.plan.rollouts;
    options.parallel = job_.plan.rollouts;
    options.seed = seed_of(job_.options.seed, job_.repeat);
    options.stores = job_.plan.learns;
    options.consolidates = job_.plan.consolidates;
    if (job_.plan.bank_max) {
      learning::ForgetOptions forgets;
      forgets.items_max = *job_.plan.bank_max;
      forgets.floor = *job_.plan.bank_max / kFloorShare;
      options.forgets = forgets;
    }
    options.has_times = false;
    return options;
  }

  Result<void> learn_pass(std::size_t pass, const std::filesystem::path& work, CellEnv& env,
                          PassRecord& record) {
    HELVE_ASSIGN(const auto bank, open_bank(pass, work, env));
    HELVE_ASSIGN(const auto maker, job_.set.world.rollouts(job_.plan, bank, context_));
    HELVE_ASSIGN(const auto extractor, job_.set.world.extractor(context_));
    MeteredRollouts metered(*maker, job_.meter);
    const std::string name = fmt::format("{}/{}/{}/{}", folder_name(job_.set.tasks.name),
                                         job_.plan.id, job_.repeat, pass);
    // A journal that goes on knows what was told before too.
    llm::Usage told = job_.plan.learns ? llm::Usage() : job_.meter.used_by(name);
    std::size_t tasks_done = 0;
    const auto on_task = [&](const LearnedTask& task) {
      if (job_.on_task) job_.on_task(pass, ++tasks_done);
      job_.meter.add(name, task.usage);
      told += task.usage;
      // Lessons of later tasks are younger, by as much each time.
      if (job_.plan.learns) env.clock().pass_hours(1);
    };
    const LearnParts parts{metered,
                           job_.set.world.judge(),
                           *extractor,
                           job_.plan.learns ? bank.get() : nullptr,
                           job_.set.world.origin(),
                           env,
                           on_task};
    auto report = job_.options.loop(job_.set.tasks, learn_options(work), parts, context_);
    // Runs that were cut short are of no task.
    if (report) job_.meter.add(name, untold(report->usage, told));
    if (const auto failure = job_.meter.failure()) return *failure;
    HELVE_TRY(context_.check());
    // Runs that the budget refused are failures of no task.
    const bool is_whole = report && has_only(*report, TaskState::Done);
    if (const std::string why = job_.meter.exceeded(); !is_whole && !why.empty()) {
      return Error{ErrorCode::LimitExceeded, why};
    }
    if (!report) return std::move(report).error();
    HELVE_TRY(check_reached(*report));
    return take(*report, pass, bank.get(), record);
  }

  static llm::Usage untold(const llm::Usage& all, const llm::Usage& told) {
    const auto rest = [](std::uint64_t of, std::uint64_t less) {
      return of > less ? of - less : 0;
    };
    llm::Usage usage;
    usage.input_tokens = rest(all.input_tokens, told.input_tokens);
    usage.output_tokens = rest(all.output_tokens, told.output_tokens);
    // Sums of prices in another order differ in their last bits.
    constexpr double kSame = 1e-9;
    const double cost = all.cost.value_or(0) - told.cost.value_or(0);
    if (cost > kSame) usage.cost = cost;
    return usage;
  }

  static bool has_only(const LearnReport& report, TaskState state) {
    return std::all_of(report.tasks.begin(), report.tasks.end(),
                       [state](const LearnedTask& task) { return task.state == state; });
  }

  // Where no task could be judged, the model or the source was away: that is no result.
  static Result<void> check_reached(const LearnReport& report) {
    if (!report.stopped.empty()) return Error{ErrorCode::Unavailable, "it was " + report.stopped};
    if (!has_only(report, TaskState::Failed)) return {};
    return Error{ErrorCode::Unavailable, "no task could be judged: " + report.tasks.front().error};
  }

  Result<void> take(const LearnReport& report, std::size_t pass, MemoryBank* bank,
                    PassRecord& record) const {
    for (const LearnedTask& task : report.tasks) {
      add_runs(task, pass, record);
      record.drafts_rejected += task.rejected.size();
    }
    record.items_added = report.items_added;
    record.usage = report.usage;
    if (bank == nullptr) return {};
    HELVE_ASSIGN(record.bank, figures_of_bank(*bank, pass));
    return {};
  }

  void add_runs(const LearnedTask& task, std::size_t pass, PassRecord& record) const {
    const std::size_t count = std::min(task.runs.size(), task.judgments.size());
    const auto base = std::filesystem::path(folder_name(job_.set.tasks.name)) / job_.plan.id /
                      std::to_string(job_.repeat) / fmt::format("pass-{}", pass);
    const auto place = [&](RunFigures figures, std::size_t rollout) {
      figures.task = task.id;
      figures.repeat = job_.repeat;
      figures.pass = pass;
      figures.rollout = rollout + 1;
      if (rollout < task.trajectories.size() && !task.trajectories[rollout].empty()) {
        figures.trajectory = (base / task.trajectories[rollout]).generic_string();
      }
      record.runs.push_back(std::move(figures));
    };
    if (task.state == TaskState::Failed) {
      RunFigures failed;
      failed.error = task.error.empty() ? "it could not be judged" : task.error;
      return place(std::move(failed), 0);
    }
    for (std::size_t i = 0; i < count; ++i) {
      RunFigures figures = figures_of(task.judgments[i], task.runs[i]);
      if (i < task.failed_calls.size()) figures.failed_calls = task.failed_calls[i];
      if (task.judgments[i].judgment.verdict == learning::Verdict::None) {
        figures.error =
            task.judgments[i].says.empty() ? "it was not judged" : task.judgments[i].says;
      }
      if (lacks_context(task.runs[i])) figures.error = "its context could not be built";
      place(std::move(figures), i);
    }
  }

  // An agent goes on without a context that was late; a cell that is about it does not: it would be
  // E1 by another name. Of a source there is always something to say in L0 and L1.
  bool lacks_context(const RunResult& run) const {
    const context::LayerSet& layers = job_.plan.layers;
    const bool has_source_layers =
        layers.test(static_cast<std::size_t>(context::Layer::SenseCard)) ||
        layers.test(static_cast<std::size_t>(context::Layer::SchemaConstraints));
    return has_source_layers && run.leakage.model_calls > 0 && run.leakage.context_chars == 0;
  }

  Result<BankFigures> figures_of_bank(MemoryBank& bank, std::size_t pass) const {
    BankFigures figures;
    figures.repeat = job_.repeat;
    figures.pass = job_.plan.learns ? pass : 0;
    const LessonOrigin origin = job_.set.world.origin();
    memory::ItemFilter filter = memory::whole_bank();
    filter.with_retracted = false;
    HELVE_TRY(bank.repository().visit(
        filter,
        [&](const memory::Item& item) -> Result<void> {
          ++figures.items;
          if (item.is_active()) ++figures.active;
          if (!check_stored_item(item, job_.set.tasks, origin)) ++figures.invalid;
          return {};
        },
        context_));
    return figures;
  }

  const CellJob& job_;
  const OpContext& context_;
  const std::filesystem::path folder_;
};

}  // namespace

Result<std::vector<PassRecord>> run_cell(const CellJob& job, const OpContext& context) {
  return CellRun(job, context).run();
}

std::vector<PassRecord> read_done_passes(const CellJob& job) {
  const auto folder = cell_folder(job.options.folder, job.set.tasks.name, job.plan.id, job.repeat);
  std::vector<PassRecord> records;
  for (std::size_t pass = 1; pass <= job.plan.passes; ++pass) {
    const auto known = read_json_file(folder / fmt::format("pass-{}.json", pass), job.env);
    if (!known || !*known) break;
    auto record = read_pass_record(**known);
    if (!record) break;
    records.push_back(*std::move(record));
  }
  return records;
}

}  // namespace helve::agent
