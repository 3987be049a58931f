#include "agent/experiment/replay_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "agent/ask/replay_run.h"
#include "agent/experiment/cell_env.h"
#include "agent/experiment/cell_files.h"
#include "agent/experiment/frozen_bank.h"
#include "agent/experiment/jobs.h"
#include "agent/loops/json_object.h"
#include "base/text.h"

namespace helve::agent {

namespace {

struct PassPlace {
  const ExperimentSet* set = nullptr;
  const CellPlan* plan = nullptr;
  std::size_t repeat = 1;
  std::size_t pass = 1;
  std::filesystem::path folder;  // of the cell
};

// What was judged, as one text to compare.
std::string judged_words(const RunFigures& run) {
  return fmt::format("{} {}, {}, precision {}, recall {}, f1 {}, query {}",
                     run.is_success ? "success" : "failure", run.verdict, run.stop_reason,
                     run.precision, run.recall, run.f1, run.query_hash);
}

// Where two texts begin to differ, with some of what is before; at the start of a character.
std::size_t first_apart(std::string_view left, std::string_view right) {
  constexpr std::size_t kBefore = 20;
  const auto [at, other] = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  const auto same = static_cast<std::size_t>(at - left.begin());
  std::size_t from = same > kBefore ? same - kBefore : 0;
  const auto is_inside_character = [&] {
    constexpr unsigned char kMask = 0xC0;
    constexpr unsigned char kContinuation = 0x80;
    return from < left.size() && (static_cast<unsigned char>(left[from]) & kMask) == kContinuation;
  };
  while (from > 0 && is_inside_character()) --from;
  return from;
}

std::string part_from(std::string_view text, std::size_t from) {
  constexpr std::size_t kChars = 80;
  return (from > 0 ? "…" : "") + elide_end(text.substr(from), kChars);
}

// Files of the experiment alone.
bool is_inside(const std::filesystem::path& path) {
  return path.is_relative() &&
         std::none_of(path.begin(), path.end(), [](const auto& part) { return part == ".."; });
}

class PassReplay {
 public:
  PassReplay(const PassPlace& place, const std::filesystem::path& folder, Env& env,
             const OpContext& context)
      : place_(place), folder_(folder), env_(env), cell_env_(env), context_(context) {
    cell_env_.clock().pass_hours(hours_before(place.pass, place.set->tasks));
  }

  Result<ExperimentReplay> run() {
    ExperimentReplay replay;
    const auto file = place_.folder / fmt::format("pass-{}.json", place_.pass);
    HELVE_ASSIGN(const auto json, read_json_file(file, env_));
    if (!json) {
      ++replay.missing_passes;
      return replay;
    }
    HELVE_ASSIGN(const PassRecord record, read_pass_record(*json));
    HELVE_ASSIGN(const auto bank, open_bank());
    HELVE_ASSIGN(const auto maker, place_.set->world.rollouts(*place_.plan, bank, context_));
    for (const RunFigures& run : record.runs) {
      if (run.trajectory.empty() || !run.error.empty()) {
        ++replay.unjudged;
        continue;
      }
      ++replay.runs;
      auto why = replay_one(run, *maker, replay);
      HELVE_TRY(context_.check());
      const std::string words = why ? *why : why.error().to_string();
      if (!words.empty()) replay.misses.push_back({run.trajectory, words});
    }
    return replay;
  }

 private:
  // Lessons of the context are in the record; only an agent that searches needs the bank.
  Result<std::shared_ptr<memory::MemoryBank>> open_bank() {
    if (place_.plan->memory != MemoryMode::Searched) return std::shared_ptr<memory::MemoryBank>();
    HELVE_ASSIGN(auto bank,
                 memory::MemoryBank::open(place_.folder / "bank-0.db", false, cell_env_, context_));
    return frozen(std::move(bank), cell_env_.clock());
  }

  const TaskCase* find_task(const std::string& id) const {
    const auto& cases = place_.set->tasks.cases;
    const auto found = std::find_if(cases.begin(), cases.end(),
                                    [&id](const TaskCase& one) { return one.id == id; });
    return found == cases.end() ? nullptr : &*found;
  }

  // What is other than it was; empty: nothing.
  Result<std::string> replay_one(const RunFigures& recorded, RolloutMaker& maker,
                                 ExperimentReplay& replay) {
    const TaskCase* const task = find_task(recorded.task);
    if (task == nullptr) return fmt::format("the set has no task {}", recorded.task);
    if (!is_inside(recorded.trajectory)) return std::string("its path leads out of the folder");
    HELVE_ASSIGN(TrajectoryFile file, read_trajectory_file(folder_ / recorded.trajectory, env_));
    const auto runs = runs_of(std::move(file));
    if (runs.empty()) return std::string("the file has no run");
    HELVE_ASSIGN(const Rollout rollout, maker.make(0, context_));
    toolkit::Toolkit& toolkit = rollout.toolkit ? *rollout.toolkit : *rollout.shared;
    HELVE_ASSIGN(const ReplayedRun now, replay_run(runs.back(), toolkit, rollout.caller, context_));
    if (now.report.is_same()) ++replay.identical;
    if (task->reference.empty()) return held_by_events(now, replay);
    HELVE_ASSIGN(const TaskJudgment judgment,
                 place_.set->world.judge().judge(*task, judged_answer(now.result), context_));
    const std::string before = judged_words(recorded);
    const std::string after = judged_words(figures_of(judgment, now.result));
    if (before == after) {
      ++replay.reproduced;
      if (!now.report.is_same()) {
        replay.changes.push_back({recorded.trajectory, first_difference(now)});
      }
      return std::string();
    }
    std::string why = fmt::format("was {}; is {}", before, after);
    if (!now.report.is_same()) why += "; " + first_difference(now);
    return why;
  }

  static std::string first_difference(const ReplayedRun& now) {
    const ReplayDifference& first = now.report.differences.front();
    const std::size_t at = first_apart(first.recorded, first.now);
    return fmt::format("first difference: {}: {} is now {}", first.where,
                       part_from(first.recorded, at), part_from(first.now, at));
  }

  // A model judged it, and none is asked: the same run has the judgment that it had.
  static std::string held_by_events(const ReplayedRun& now, ExperimentReplay& replay) {
    if (!now.report.is_same()) {
      return "a model judged it, and the run is another; " + first_difference(now);
    }
    ++replay.reproduced;
    ++replay.by_recorded_judgment;
    return {};
  }

  const PassPlace& place_;
  const std::filesystem::path& folder_;
  Env& env_;
  CellEnv cell_env_;
  const OpContext& context_;
};

std::vector<PassPlace> places_of(const std::vector<ExperimentSet>& sets,
                                 const ExperimentOptions& options) {
  std::vector<PassPlace> places;
  for (const ExperimentSet& set : sets) {
    for (const CellPlan& plan : options.cells) {
      for (std::size_t repeat = 1; repeat <= options.repeats; ++repeat) {
        for (std::size_t pass = 1; pass <= plan.passes; ++pass) {
          places.push_back({&set, &plan, repeat, pass,
                            cell_folder(options.folder, set.tasks.name, plan.id, repeat)});
        }
      }
    }
  }
  return places;
}

void move_some(std::vector<ReplayMiss>& from, std::size_t most, std::vector<ReplayMiss>& to,
               std::uint64_t& left_out) {
  for (ReplayMiss& miss : from) {
    if (to.size() < most) {
      to.push_back(std::move(miss));
    } else {
      ++left_out;
    }
  }
}

void add(ExperimentReplay& all, ExperimentReplay one) {
  all.runs += one.runs;
  all.identical += one.identical;
  all.reproduced += one.reproduced;
  all.by_recorded_judgment += one.by_recorded_judgment;
  all.unjudged += one.unjudged;
  all.missing_passes += one.missing_passes;
  move_some(one.misses, kReplayMissesMax, all.misses, all.misses_left_out);
  move_some(one.changes, kReplayChangesMax, all.changes, all.changes_left_out);
}

void tell_all(const std::vector<ReplayMiss>& misses, std::uint64_t left_out, std::string& out) {
  for (const ReplayMiss& miss : misses) {
    out += fmt::format("{}: {}\n", escape_for_terminal(miss.trajectory),
                       escape_for_terminal(miss.why));
  }
  if (left_out > 0) out += fmt::format("and {} more\n", format_count(left_out));
}

JsonValue misses_json(const std::vector<ReplayMiss>& misses) {
  JsonValue::Array all;
  for (const ReplayMiss& miss : misses) {
    all.push_back(
        object_of({{"trajectory", JsonValue(miss.trajectory)}, {"why", JsonValue(miss.why)}}));
  }
  return JsonValue(std::move(all));
}

}  // namespace

Result<ExperimentReplay> replay_experiment(
    const std::vector<ExperimentSet>& sets, const ExperimentOptions& options, Env& env,
    const std::function<void(std::string_view line)>& on_progress, const OpContext& context) {
  const auto places = places_of(sets, options);
  std::vector<ExperimentReplay> replays(places.size());
  std::mutex mutex;
  const auto replay = [&](std::size_t i) -> Result<void> {
    HELVE_TRY(context.check());
    HELVE_ASSIGN(replays[i], PassReplay(places[i], options.folder, env, context).run());
    const std::lock_guard lock(mutex);
    if (!on_progress || replays[i].runs == 0) return {};
    on_progress(fmt::format("{} {} repeat {} pass {}: {} of {} reproduced",
                            places[i].set->tasks.name, places[i].plan->id, places[i].repeat,
                            places[i].pass, replays[i].reproduced, replays[i].runs));
    return {};
  };
  HELVE_TRY(run_jobs(places.size(), options.parallel, context, replay));
  ExperimentReplay all;
  for (ExperimentReplay& one : replays) add(all, std::move(one));
  if (all.runs == 0) {
    return Error{ErrorCode::NotFound,
                 fmt::format("{} has no runs to replay", options.folder.string()),
                 "name the folder that helve experiment --out wrote"};
  }
  return all;
}

std::string replay_text(const ExperimentReplay& replay) {
  std::string out = fmt::format(
      "{} runs replayed without a model: {} judged results are reproduced, {} runs event by "
      "event\n",
      format_count(replay.runs), format_count(replay.reproduced), format_count(replay.identical));
  const auto tell = [&out](std::uint64_t count, std::string_view what) {
    if (count > 0) out += fmt::format("{} {}\n", format_count(count), what);
  };
  tell(replay.by_recorded_judgment, "of them were judged by a model, which is not asked again");
  tell(replay.unjudged, "more could not be judged then, and were left out");
  tell(replay.missing_passes, "passes are not done, and were left out");
  tell_all(replay.misses, replay.misses_left_out, out);
  tell(replay.changes.size() + replay.changes_left_out, "came to the same result by other events:");
  tell_all(replay.changes, replay.changes_left_out, out);
  return out;
}

JsonValue to_json(const ExperimentReplay& replay) {
  return object_of({{"runs", JsonValue(replay.runs)},
                    {"reproduced", JsonValue(replay.reproduced)},
                    {"identical", JsonValue(replay.identical)},
                    {"by_recorded_judgment", JsonValue(replay.by_recorded_judgment)},
                    {"unjudged", JsonValue(replay.unjudged)},
                    {"missing_passes", JsonValue(replay.missing_passes)},
                    {"misses", misses_json(replay.misses)},
                    {"misses_left_out", JsonValue(replay.misses_left_out)},
                    {"changes", misses_json(replay.changes)},
                    {"changes_left_out", JsonValue(replay.changes_left_out)}});
}

}  // namespace helve::agent
