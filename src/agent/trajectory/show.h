// A recorded run as a text for people: step by step, results folded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "agent/trajectory/recorded_run.h"

namespace helve::agent {

struct ShowOptions {
  std::optional<std::uint64_t> step;  // this one alone
  bool is_full = false;               // texts whole instead of one line each
};

// NotFound for a step that there is not.
Result<std::string> show_run(const RecordedRun& run, const ShowOptions& options);

}  // namespace helve::agent
