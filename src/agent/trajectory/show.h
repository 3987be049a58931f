// A recorded run step by step: as a text for people, results folded, or as JSON.
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
// All of it, whole; of one step, that step alone.
Result<JsonValue> show_json(const RecordedRun& run, const ShowOptions& options);

// The runs of a file, a line each.
std::string list_text(const std::vector<RecordedRun>& runs);
JsonValue list_json(const std::vector<RecordedRun>& runs);

}  // namespace helve::agent
