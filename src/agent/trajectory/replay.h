// Replay: a recorded run once more without its model. The recorded answers come back in their
// place, the tools really run, and what comes of them is compared with what was recorded.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/llm/provider.h"
#include "agent/trajectory/recorded_run.h"
#include "agent/trajectory/trajectory.h"

namespace helve::agent {

// How the loops hash a request; with it, answers find their questions where several were asked at
// once. Empty: answers come in the order in which they were recorded.
using RequestHash = std::function<std::string(const llm::Request&)>;

// The answers of a recorded run. Unavailable when it has no further one. Thread-safe.
std::shared_ptr<llm::Provider> recorded_model(const std::vector<TrajectoryEvent>& events,
                                              RequestHash hash = {});

// The same answers under the name of the model that code asked; null where that was the same one.
std::shared_ptr<llm::Provider> recorded_sub_model(std::shared_ptr<llm::Provider> model,
                                                  const std::vector<TrajectoryEvent>& events);

// What the caller said between the steps, said again: step by step, for RunParts::steering.
struct RecordedWord {
  std::string message;
  bool is_stop = false;
};
using RecordedWords = std::map<std::uint64_t, RecordedWord>;  // by the step that they came before
RecordedWords recorded_words(const std::vector<TrajectoryEvent>& events);

// Collects events, without secrets as they would be written.
class MemoryTrajectory final : public TrajectorySink {
 public:
  MemoryTrajectory();
  ~MemoryTrajectory() override;
  void add(EventKind kind, JsonValue body) override;
  Result<void> finish() override { return {}; }
  std::vector<TrajectoryEvent> events() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct ReplayDifference {
  std::string where;  // "step 2, tool_result call_1: rows"
  std::string recorded;
  std::string now;
};

inline constexpr std::size_t kDifferencesMax = 100;

struct ReplayReport {
  std::uint64_t events = 0;  // that were compared
  std::vector<ReplayDifference> differences;
  std::uint64_t differences_left_out = 0;
  bool is_identical = false;  // the same bytes, times apart

  bool is_same() const { return differences.empty(); }
};

// Event by event, whatever the order of those of one step; times do not count, nor do judgments
// and what was written into a bank.
ReplayReport compare_events(const std::vector<TrajectoryEvent>& recorded,
                            const std::vector<TrajectoryEvent>& now);

std::string report_text(const ReplayReport& report);
JsonValue report_json(const ReplayReport& report);

}  // namespace helve::agent
