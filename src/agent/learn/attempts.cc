#include "agent/learn/attempts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "agent/loops/prompt_words.h"
#include "agent/trajectory/json_members.h"
#include "base/ascii.h"
#include "base/digest.h"
#include "base/executor.h"

namespace helve::agent {

namespace {

constexpr std::size_t kFailuresMax = 20;
constexpr std::size_t kMessageChars = 1'000;
constexpr std::size_t kAttemptQueryChars = 20'000;
constexpr std::size_t kIdChars = 48;

// The query of a call, that of call_tool inside of it.
std::string query_of(const JsonValue& arguments) {
  for (const char* const key : {"query", "sql"}) {
    std::string text = text_member(arguments, key);
    if (!text.empty()) return text;
  }
  const JsonValue inner = member(arguments, "arguments");
  return inner.if_object() != nullptr ? query_of(inner) : std::string();
}

// Passes events on, and keeps what calls failed.
class WatchedTrajectory final : public TrajectorySink {
 public:
  WatchedTrajectory(TrajectorySink& sink, Attempt& attempt) : sink_(sink), attempt_(attempt) {}

  void add(EventKind kind, JsonValue body) override {
    if (kind == EventKind::ToolCall || kind == EventKind::ToolResult) watch(kind, body);
    sink_.add(kind, std::move(body));
  }
  Result<void> finish() override { return sink_.finish(); }

 private:
  void watch(EventKind kind, const JsonValue& body) {
    const std::lock_guard lock(mutex_);
    const std::string id = text_member(body, "id");
    if (kind == EventKind::ToolCall) {
      queries_[id] = head_of(query_of(member(body, "arguments")), kAttemptQueryChars);
      return;
    }
    const std::string code = text_member(body, "code");
    if (code.empty()) return;
    ++attempt_.failed_calls;
    if (attempt_.failures.size() == kFailuresMax) return;
    attempt_.failures.push_back({code, head_of(text_member(body, "error"), kMessageChars), ""});
    attempt_.failed_queries.push_back(queries_[id]);
  }

  TrajectorySink& sink_;
  Attempt& attempt_;
  std::mutex mutex_;
  std::map<std::string, std::string> queries_;  // by id: the last call that had it
};

// Ids come from files of others: no way out of the folder.
std::string file_name(const std::string& id, std::size_t number, std::size_t rollout) {
  std::string safe = id.substr(0, kIdChars);
  for (char& c : safe) {
    const bool is_safe = is_letter_or_digit(c) || c == '-' || c == '_';
    if (!is_safe) c = '_';
  }
  return fmt::format("trajectories/{:04}-{}-{}.jsonl", number, safe, rollout + 1);
}

AskRequest request_of(const TaskCase& task, const Rollout& rollout, const LearnOptions& options) {
  AskRequest request = options.request;
  request.question = task.question;
  request.context.task = task.question;
  request.source = rollout.source;
  if (rollout.lessons != nullptr) request.lessons.emplace(*rollout.lessons);
  return request;
}

Result<std::unique_ptr<TrajectorySink>> open_at(const std::filesystem::path& path,
                                                const LearnOptions& options, Env& env) {
  TrajectoryOptions trajectory;
  trajectory.path = path;
  trajectory.continues = true;
  trajectory.has_times = options.has_times;
  return open_trajectory(trajectory, env);
}

Result<void> run_one(const TaskCase& task, std::uint64_t seed, const LearnOptions& options,
                     const LearnParts& parts, Attempt& attempt, const OpContext& context) {
  const std::filesystem::path path = options.folder / attempt.trajectory;
  const auto removed = parts.env.files().remove(path);
  if (!removed && removed.error().code != ErrorCode::NotFound) return removed.error();
  HELVE_ASSIGN(const Rollout rollout, parts.rollouts.make(seed, context));
  HELVE_ASSIGN(const auto sink, open_at(path, options, parts.env));
  WatchedTrajectory watched(*sink, attempt);
  toolkit::Toolkit& toolkit = rollout.toolkit != nullptr ? *rollout.toolkit : *rollout.shared;
  const RunParts run{toolkit, rollout.caller, *rollout.model, nullptr, watched, {}, {}};
  AskResult result = ask(request_of(task, rollout, options), run, context);
  attempt.run = std::move(result.run);
  attempt.injected = std::move(result.context.injected);
  if (options.stores && rollout.lessons != nullptr) {
    for (const std::string& id : attempt.injected) {
      rollout.lessons->note_use(id, memory::Usage::Retrieved);
    }
  }
  HELVE_TRY(sink->finish());
  if (attempt.run.stop == StopReason::Cancelled) return Error{ErrorCode::Cancelled, "cancelled"};
  if (attempt.run.stop == StopReason::Failed) {
    return attempt.run.error.value_or(Error{ErrorCode::Unavailable, "the run failed"});
  }
  return {};
}

}  // namespace

std::uint64_t seed_of(std::uint64_t seed, const std::string& task, std::size_t rollout) {
  const std::string digest =
      digest_hex(DigestKind::Sha256, fmt::format("{}\n{}\n{}", seed, rollout, task));
  constexpr int kBase = 16;
  constexpr std::size_t kDigits = 15;
  return std::stoull(digest.substr(0, kDigits), nullptr, kBase);
}

std::vector<Attempt> run_attempts(const TaskCase& task, std::size_t number,
                                  const LearnOptions& options, const LearnParts& parts,
                                  const OpContext& context) {
  const std::size_t count = std::max<std::size_t>(options.rollouts, 1);
  std::vector<Attempt> attempts(count);
  const auto attempt_one = [&](std::size_t i) {
    attempts[i].trajectory = file_name(task.id, number, i);
    const std::uint64_t seed = seed_of(options.seed, task.id, i);
    const auto done = run_one(task, seed, options, parts, attempts[i], context);
    if (!done) attempts[i].error = done.error();
    return Result<void>();
  };
  const std::size_t at_once = std::min(std::max<std::size_t>(options.parallel, 1), count);
  if (at_once == 1) {
    for (std::size_t i = 0; i < count; ++i) static_cast<void>(attempt_one(i));
    return attempts;
  }
  Executor threads(at_once - 1);
  // Each looks at its own context, and says so.
  static_cast<void>(threads.parallel_for(count, OpContext{}, attempt_one));
  return attempts;
}

Result<void> add_to_trajectory(const std::filesystem::path& path, EventKind kind,
                               const JsonValue& body, std::string_view key,
                               const LearnOptions& options, Env& env) {
  if (!key.empty()) {
    HELVE_ASSIGN(const auto events, read_trajectory(path, env));
    const bool is_there =
        std::any_of(events.begin(), events.end(), [&](const TrajectoryEvent& event) {
          return event.kind == kind && text_member(event.body, key) == text_member(body, key);
        });
    if (is_there) return {};
  }
  HELVE_ASSIGN(const auto sink, open_at(path, options, env));
  sink->add(kind, body);
  return sink->finish();
}

}  // namespace helve::agent
