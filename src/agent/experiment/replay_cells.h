// The runs of an experiment once more, without its model: every trajectory is replayed and judged
// again.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/experiment/runner.h"

namespace helve::agent {

struct ReplayMiss {
  std::string trajectory;
  std::string why;
};
inline constexpr std::size_t kReplayMissesMax = 100;
inline constexpr std::size_t kReplayChangesMax = 10;

struct ExperimentReplay {
  std::uint64_t runs = 0;        // that have a trajectory
  std::uint64_t identical = 0;   // whose every event came again
  std::uint64_t reproduced = 0;  // whose judged result did
  // Of these, judged by a model, which is not asked again: its recorded judgment holds where every
  // event came again.
  std::uint64_t by_recorded_judgment = 0;
  std::uint64_t unjudged = 0;  // runs that are no measurement, or have no trajectory: left out
  std::uint64_t missing_passes = 0;  // that were asked for and are not done
  std::vector<ReplayMiss> misses;
  std::uint64_t misses_left_out = 0;
  // Whose judged result came again, by other events.
  std::vector<ReplayMiss> changes;
  std::uint64_t changes_left_out = 0;

  bool is_reproduced() const { return reproduced == runs; }
};

// Of passes that are done. The world needs no model: none is asked. Options: folder, cells,
// repeats, parallel.
Result<ExperimentReplay> replay_experiment(
    const std::vector<ExperimentSet>& sets, const ExperimentOptions& options, Env& env,
    const std::function<void(std::string_view line)>& on_progress, const OpContext& context);

std::string replay_text(const ExperimentReplay& replay);
JsonValue to_json(const ExperimentReplay& replay);

}  // namespace helve::agent
