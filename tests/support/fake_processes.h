// FakeProcesses: children that follow a script.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/env.h"

namespace helve {

// What one child does. Its outputs come in the given pieces, one of each per read_output.
struct ProcessScript {
  std::optional<Error> start_error;
  std::vector<std::string> out;
  std::vector<std::string> err;
  ExitStatus exit;
  bool hangs = false;  // after its output it neither closes its pipes nor ends, until killed
  // When set: called at close_stdin() with all of stdin; gives one more piece of output.
  std::function<std::string(const std::string& input)> answer;
};

// What a child was given and how it went.
struct ProcessRecord {
  ProcessOptions options;
  std::string input;
  bool is_stdin_closed = false;
  bool was_killed = false;
  bool was_destroyed = false;
};

class FakeProcesses final : public Processes {
 public:
  // NotFound when no script is left. A child that would wait forever lets the deadline or the
  // cancellation decide: without one it fails with Internal instead of hanging the test.
  Result<std::unique_ptr<WorkerProcess>> start(const ProcessOptions& options) override;

  void script(ProcessScript script);
  // In the order of starting; filled as the children go on.
  std::vector<std::shared_ptr<const ProcessRecord>> records() const;

 private:
  mutable std::mutex mutex_;
  std::deque<ProcessScript> scripts_;
  std::vector<std::shared_ptr<const ProcessRecord>> records_;
};

}  // namespace helve
