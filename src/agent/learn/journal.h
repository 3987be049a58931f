// The journal of a closed loop: a line of JSON for each step, durable before the step counts. What
// it says on opening is what a restart goes on from.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/learn/task_record.h"
#include "base/env.h"

namespace helve::agent {

inline constexpr std::uint64_t kJournalBytesMax = std::uint64_t{1} << 30;

// What was used so far, by this process or by those before it.
struct LoopUsage {
  llm::Usage usage;
  double ms = 0;

  void add(const llm::Usage& more, double more_ms);
};

class LearnJournal {
 public:
  // `start` tells one loop from another; it is an object of objects. InvalidInput where the journal
  // is of another one (says what differs) or damaged; Unavailable where another process has it. A
  // last line that was cut is dropped. It grows to `bytes_max`: what can be written can be read.
  static Result<std::unique_ptr<LearnJournal>> open(const std::filesystem::path& folder,
                                                    const JsonValue& start, Env& env,
                                                    std::uint64_t bytes_max = kJournalBytesMax);

  // As it was on opening; null: nothing is known of it.
  const TaskRecord* find(const std::string& task) const;
  const LoopUsage& used() const { return used_; }
  std::vector<std::string> stored_items() const;  // ids; likewise

  // All are durable when they return. A failure is of the loop: nothing may be done that the
  // journal does not know.
  Result<void> ran(const std::string& task, const llm::Usage& usage, double ms);
  // With what judging and extracting took beside the runs.
  Result<void> judged(const TaskRecord& record, const llm::Usage& usage, double ms);
  Result<void> stored(const LearnedTask& task);
  Result<void> counted(const std::string& task);
  Result<void> done(const std::string& task);
  Result<void> failed(const LearnedTask& task, const llm::Usage& usage, double ms);

 private:
  LearnJournal() = default;
  Result<void> load(std::string_view text, const JsonValue& start);
  Result<void> take(const JsonValue& line);
  Result<void> append(std::string_view kind, JsonValue::Object members);
  Result<void> append_step(std::string_view kind, const std::string& task);

  std::filesystem::path path_;
  std::unique_ptr<FileLock> lock_;
  std::unique_ptr<WritableFile> file_;
  std::map<std::string, TaskRecord> tasks_;
  LoopUsage used_;
  std::uint64_t bytes_ = 0;
  std::uint64_t bytes_max_ = kJournalBytesMax;
};

}  // namespace helve::agent
