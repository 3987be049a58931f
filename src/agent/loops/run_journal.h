// RunJournal: what a run tells while it goes: events to its caller, lines to its trajectory.
#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>

#include "agent/loops/agent_run.h"

namespace helve::agent {

// Thread-safe.
class RunJournal {
 public:
  explicit RunJournal(const RunParts& parts) : parts_(parts) {}

  // Between two steps.
  void begin_iteration(std::uint64_t number) { iteration_ = number; }
  std::uint64_t iteration() const { return iteration_; }

  void tell(RunEvent event);
  void tell(RunEventKind kind, std::string_view text, std::string_view name = {});
  // The body is an object; the number of the iteration comes first.
  void record(EventKind kind, JsonValue body);
  // The same for run_start and run_end, which are of none.
  void record_whole(EventKind kind, JsonValue body);

 private:
  const RunParts& parts_;
  std::uint64_t iteration_ = 0;
  std::mutex mutex_;  // callers hear one event at a time
};

}  // namespace helve::agent
