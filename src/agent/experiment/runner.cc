#include "agent/experiment/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "agent/experiment/cell_config.h"
#include "agent/experiment/cell_files.h"
#include "agent/experiment/cell_run.h"
#include "agent/experiment/jobs.h"
#include "agent/loops/json_object.h"
#include "base/text.h"

namespace helve::agent {

namespace {

constexpr Duration kProgressEvery = std::chrono::seconds(10);

struct Job {
  std::size_t set = 0;
  std::size_t cell = 0;
  std::size_t repeat = 1;
  std::vector<PassRecord> records;
  std::size_t passes_kept = 0;  // that were done where a cancellation cut the cell
  std::optional<Error> error;
};

Result<void> check_options(const std::vector<ExperimentSet>& sets,
                           const ExperimentOptions& options) {
  if (sets.empty() || options.cells.empty()) {
    return Error{ErrorCode::InvalidInput, "an experiment needs tasks and cells"};
  }
  if (options.repeats == 0 || options.repeats > kRepeatsMax || options.parallel > kParallelMax) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("there are 1 to {} repeats, and {} cells at once at most", kRepeatsMax,
                             kParallelMax)};
  }
  std::set<std::string> names;
  for (const ExperimentSet& set : sets) {
    if (set.tasks.cases.empty()) {
      return Error{ErrorCode::InvalidInput, fmt::format("{} has no tasks", set.tasks.name)};
    }
    if (!names.insert(folder_name(set.tasks.name)).second) {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("two task sets have the name {}", set.tasks.name)};
    }
  }
  return {};
}

// What takes longest first: otherwise it runs alone at the end.
std::uint64_t weight_of(const CellPlan& plan, const TaskSet& tasks) {
  return std::uint64_t{plan.passes} * plan.rollouts * tasks.cases.size();
}

class Experiment {
 public:
  Experiment(const std::vector<ExperimentSet>& sets, const ExperimentOptions& options, Env& env,
             const std::function<void(std::string_view)>& on_progress, const OpContext& context)
      : sets_(sets),
        options_(options),
        env_(env),
        on_progress_(on_progress),
        context_(context),
        meter_(options.budget, options.folder / "spent.jsonl", env),
        told_(env.clock().now()) {}

  Result<ExperimentResult> run() {
    HELVE_TRY(check_options(sets_, options_));
    HELVE_TRY(env_.files().make_directories(options_.folder));
    HELVE_ASSIGN(const auto lock, lock_folder());
    HELVE_ASSIGN(seed_bank_digest_, bank_digest(options_.seed_bank, env_, context_));
    plan_jobs();
    for (const Job& job : jobs_) HELVE_TRY(check_config(cell_job(job)));
    if (!options_.words.is_null()) {
      HELVE_TRY(write_json_file(options_.folder / "experiment.json", options_.words, env_));
    }
    HELVE_TRY(meter_.load());
    // What E8 begins with is there after the first wave.
    auto done = run_wave(false);
    if (done) done = run_wave(true);
    if (done) done = context_.check();
    if (!done && done.error().code != ErrorCode::Cancelled) return std::move(done).error();
    if (!done) take_done_jobs();
    return result();
  }

 private:
  const CellPlan& plan_of(const Job& job) const { return options_.cells[job.cell]; }

  void plan_jobs() {
    for (std::size_t set = 0; set < sets_.size(); ++set) {
      for (std::size_t cell = 0; cell < options_.cells.size(); ++cell) {
        for (std::size_t repeat = 1; repeat <= options_.repeats; ++repeat) {
          Job job;
          job.set = set;
          job.cell = cell;
          job.repeat = repeat;
          jobs_.push_back(std::move(job));
        }
      }
    }
  }

  Result<std::unique_ptr<FileLock>> lock_folder() {
    auto lock = env_.files().lock(options_.folder / "lock");
    if (lock || lock.error().code != ErrorCode::Unavailable) return lock;
    return Error{ErrorCode::Unavailable,
                 fmt::format("another process runs an experiment in {}", options_.folder.string()),
                 "wait for its end, or choose another folder"};
  }

  // Tells of nothing by itself.
  CellJob cell_job(const Job& job) {
    return {sets_[job.set], plan_of(job), job.repeat, options_, seed_bank_digest_,
            meter_,         env_,         {},         {},       {}};
  }

  Result<void> run_wave(bool is_second) {
    std::vector<Job*> wave;
    for (Job& job : jobs_) {
      if ((plan_of(job).bank == BankStart::Learnt) == is_second) wave.push_back(&job);
    }
    std::stable_sort(wave.begin(), wave.end(), [this](const Job* left, const Job* right) {
      return weight_of(plan_of(*left), sets_[left->set].tasks) >
             weight_of(plan_of(*right), sets_[right->set].tasks);
    });
    return run_jobs(wave.size(), options_.parallel, context_,
                    [this, &wave](std::size_t i) { return run_job(*wave[i]); });
  }

  // Fails only where nothing more can be done: others go on otherwise.
  Result<void> run_job(Job& job) {
    HELVE_TRY(context_.check());
    const ExperimentSet& set = sets_[job.set];
    CellJob cell = cell_job(job);
    cell.on_measured = [this, &job](std::size_t pass, const PassRecord& record, Duration time) {
      note_time(job, pass, record, time);
    };
    cell.on_pass = [this, &job](std::size_t pass, const PassRecord& record, Duration time) {
      tell_pass(job, pass, record, time);
    };
    cell.on_task = [this, &job](std::size_t pass, std::size_t tasks) {
      tell_tasks(job, pass, tasks);
    };
    auto records = run_cell(cell, context_);
    if (records) {
      job.records = *std::move(records);
      return {};
    }
    HELVE_TRY(context_.check());
    job.error = std::move(records).error();
    // Where another start had no word of what it spends, none may go on.
    if (const auto failure = meter_.failure()) return *failure;
    tell(fmt::format("{} {} repeat {}: failed: {}", set.tasks.name, plan_of(job).id, job.repeat,
                     job.error->to_string()));
    return {};
  }

  // Cells that were not reached may have been done by another start.
  void take_done_jobs() {
    for (Job& job : jobs_) {
      if (!job.records.empty() || job.error) continue;
      auto records = read_done_passes(cell_job(job));
      job.passes_kept = records.size();
      if (records.size() == plan_of(job).passes) {
        job.records = std::move(records);
      } else {
        job.error = Error{ErrorCode::Cancelled, "cancelled before it was done"};
      }
    }
  }

  // Empty where all was done before it came.
  std::string cancellation() const {
    std::size_t done = 0;
    std::size_t all = 0;
    bool is_cut = false;
    for (const Job& job : jobs_) {
      done += job.records.empty() ? job.passes_kept : job.records.size();
      all += plan_of(job).passes;
      is_cut = is_cut || (job.error && job.error->code == ErrorCode::Cancelled);
    }
    if (!is_cut) return {};
    return fmt::format("cancelled: {} of {} passes are done", done, all);
  }

  void tell(const std::string& line) {
    const std::lock_guard lock(mutex_);
    tell_locked(line);
  }

  void tell_locked(const std::string& line) {
    told_ = env_.clock().now();
    if (on_progress_) on_progress_(line);
  }

  std::string words_of(const Job& job, std::size_t pass) const {
    const CellPlan& plan = plan_of(job);
    const std::string which = plan.passes > 1 ? fmt::format(" pass {}", pass) : std::string();
    return fmt::format("{} {} repeat {}{}", sets_[job.set].tasks.name, plan.id, job.repeat, which);
  }

  // Only where nothing else was told for a while. The last task is told of with its pass.
  void tell_tasks(const Job& job, std::size_t pass, std::size_t tasks) {
    const std::size_t all = sets_[job.set].tasks.cases.size();
    const std::lock_guard lock(mutex_);
    if (tasks >= all || env_.clock().now() - told_ < kProgressEvery) return;
    tell_locked(fmt::format("{}: {} of {} tasks done", words_of(job, pass), tasks, all));
  }

  void tell_pass(const Job& job, std::size_t pass, const PassRecord& record, Duration time) {
    const auto right = std::count_if(record.runs.begin(), record.runs.end(),
                                     [](const RunFigures& run) { return run.is_success; });
    tell(fmt::format("{}: {} of {} runs right in {}", words_of(job, pass), right,
                     record.runs.size(), format_duration(time)));
  }

  // Times are nobody's result: where they cannot be written, nothing is lost.
  void note_time(const Job& job, std::size_t pass, const PassRecord& record, Duration time) {
    const std::string line =
        helve::to_json(object_of(
            {{"set", JsonValue(sets_[job.set].tasks.name)},
             {"cell", JsonValue(plan_of(job).id)},
             {"repeat", JsonValue(std::uint64_t{job.repeat})},
             {"pass", JsonValue(std::uint64_t{pass})},
             {"runs", JsonValue(std::uint64_t{record.runs.size()})},
             {"input_tokens", JsonValue(record.usage.input_tokens)},
             {"output_tokens", JsonValue(record.usage.output_tokens)},
             {"cost", record.usage.cost ? JsonValue(*record.usage.cost) : JsonValue()},
             {"ms", JsonValue(std::chrono::duration<double, std::milli>(time).count())}})) +
        "\n";
    const std::lock_guard lock(mutex_);
    auto file = env_.files().open_write(options_.folder / "times.jsonl", WriteMode::Append);
    if (!file) return;
    if ((*file)->write(line)) static_cast<void>((*file)->close());
  }

  ExperimentResult result() {
    ExperimentResult result;
    result.config = options_.config;
    result.repeats = options_.repeats;
    result.loop = name_of(options_.request.loop);
    result.limits = limits_json(options_.request.limits);
    result.seed = options_.seed;
    // A budget that is used up with the last run ended nothing.
    for (const Job& job : jobs_) {
      const bool is_cut = job.error && job.error->code == ErrorCode::LimitExceeded;
      if (is_cut && result.stopped.empty()) result.stopped = meter_.exceeded();
    }
    if (std::string why = cancellation(); !why.empty()) {
      result.stopped = std::move(why);
      result.is_cancelled = true;
    }
    for (const ExperimentSet& set : sets_) {
      SetResult one;
      one.name = set.tasks.name;
      one.source = set.tasks.source;
      one.digest = set.tasks.digest;
      one.tasks = set.tasks.cases;
      for (const CellPlan& plan : options_.cells) {
        one.cells.emplace_back();
        one.cells.back().plan = plan;
      }
      result.sets.push_back(std::move(one));
    }
    for (Job& job : jobs_) take(job, result.sets[job.set].cells[job.cell]);
    return result;
  }

  static void take(Job& job, CellResult& cell) {
    if (job.error) cell.failures.push_back({job.repeat, job.error->to_string()});
    for (PassRecord& record : job.records) {
      std::move(record.runs.begin(), record.runs.end(), std::back_inserter(cell.runs));
      if (record.bank) cell.banks.push_back(*record.bank);
      cell.items_added += record.items_added;
      cell.drafts_rejected += record.drafts_rejected;
    }
  }

  const std::vector<ExperimentSet>& sets_;
  const ExperimentOptions& options_;
  Env& env_;
  const std::function<void(std::string_view)>& on_progress_;
  const OpContext& context_;
  BudgetMeter meter_;
  std::string seed_bank_digest_;
  std::vector<Job> jobs_;
  std::mutex mutex_;
  MonotonicTime told_;  // when the last line was
};

}  // namespace

std::filesystem::path cell_folder(const std::filesystem::path& folder, std::string_view set,
                                  std::string_view cell, std::size_t repeat) {
  return folder / folder_name(set) / cell / std::to_string(repeat);
}

Result<ExperimentResult> run_experiment(
    const std::vector<ExperimentSet>& sets, const ExperimentOptions& options, Env& env,
    const std::function<void(std::string_view line)>& on_progress, const OpContext& context) {
  return Experiment(sets, options, env, on_progress, context).run();
}

}  // namespace helve::agent
