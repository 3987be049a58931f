// The closed loop: run, judge, extract, store; task after task. What is done is in a journal before
// it counts as done: a loop that is killed goes on where it was, and nothing is learnt twice.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/ask/ask.h"
#include "agent/judge/judge.h"
#include "agent/learn/extraction.h"
#include "agent/tasks/task_set.h"
#include "base/env.h"
#include "toolkit/learning/consolidate.h"
#include "toolkit/learning/forget.h"
#include "toolkit/memory/bank.h"

namespace helve::agent {

// All that one rollout needs for itself. Rollouts run at once on their own.
struct Rollout {
  std::unique_ptr<toolkit::Toolkit> toolkit;  // null: that of `shared`
  toolkit::Toolkit* shared = nullptr;
  toolkit::Caller caller;
  std::shared_ptr<llm::Provider> model;
  std::string source;
  // That lessons of the context come from (AskRequest::lessons): the toolkit need not have it, and
  // has no tools of the memory then. Null: the toolkit's own, where the caller may search it.
  std::shared_ptr<memory::MemoryBank> lessons;
};

// Makes rollouts: a fresh session (so that handles are numbered alike), the bank, a model for the
// seed.
class RolloutMaker {
 public:
  virtual ~RolloutMaker() = default;
  virtual Result<Rollout> make(std::uint64_t seed, const OpContext& context) = 0;  // thread-safe
};

// Looked at before each task: what was begun is finished within the limits of its runs.
struct LearnBudget {
  std::optional<std::uint64_t> tokens_max;
  std::optional<double> cost_max;
  std::optional<Duration> time_max;
};

struct LearnOptions {
  std::filesystem::path folder;  // journal and trajectories; made where it is not there
  AskRequest request;            // of each run, but for the question; its limits hold for one run
  std::size_t rollouts = 1;      // of each task; the best by verdict, then f1, then the first
  std::size_t parallel = 1;      // at once
  std::uint64_t seed = 1;
  bool stores = true;  // false: run and judge alone
  bool consolidates = false;
  std::optional<learning::ForgetOptions> forgets;  // after each task
  LearnBudget budget;  // of the whole; what is used before a restart counts
  bool has_times = true;
  // What else makes one loop another, by name: source, model, versions. In the journal; the budget,
  // `parallel` and `has_times` are not: a loop may go on with others.
  std::vector<std::pair<std::string, std::string>> config;
};

enum class TaskState : std::uint8_t { Done, Failed, NotReached };

// Failed: nothing could be judged, or no lesson drawn; it is tried again by the next start.
struct LearnedTask {
  std::string id;
  TaskState state = TaskState::NotReached;
  std::vector<TaskJudgment> judgments;      // of each rollout
  std::vector<RunResult> runs;              // likewise; texts bounded
  std::vector<std::string> trajectories;    // likewise: files of one run, relative to the folder
  std::vector<std::uint64_t> failed_calls;  // likewise
  std::size_t best = 0;
  std::vector<std::string> items;  // ids that were stored, or were there already
  std::vector<std::string> rejected;
  std::string error;             // where nothing could be judged
  llm::Usage usage;              // of runs, judging and extraction; zero from the journal
  bool is_from_journal = false;  // done before a restart
};

struct LearnReport {
  std::vector<LearnedTask> tasks;
  std::uint64_t successes = 0;
  std::uint64_t items_added = 0;
  llm::Usage usage;
  // Why it ended before all tasks were reached: "tokens", "cost", "time", "cancelled"; else empty.
  std::string stopped;
};

struct LearnParts {
  RolloutMaker& rollouts;
  Judge& judge;
  Extractor& extractor;
  memory::MemoryBank* bank;  // null: nothing is stored
  LessonOrigin origin;
  Env& env;
  std::function<void(const LearnedTask&)> on_task;  // as it is done; may be empty
};

// The journal names tasks, options and seed; one of another set is InvalidInput, unless the folder
// is empty. Fails where the journal cannot be written: then nothing was stored that it does not
// know of.
Result<LearnReport> learn(const TaskSet& tasks, const LearnOptions& options,
                          const LearnParts& parts, const OpContext& context);

}  // namespace helve::agent
