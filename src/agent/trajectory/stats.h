// What a recorded run took: steps, calls by tool, tokens, cost, and what reached the prompt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/trajectory/recorded_run.h"

namespace helve::agent {

struct ToolStats {
  std::string name;
  std::uint64_t calls = 0;
  std::uint64_t errors = 0;
  std::uint64_t chars = 0;  // of its replies
  std::uint64_t chars_max = 0;
};

struct RunStats {
  std::uint64_t steps = 0;
  std::uint64_t model_calls = 0;
  std::uint64_t sub_calls = 0;  // of model_calls
  std::uint64_t tool_calls = 0;
  std::uint64_t errors = 0;  // of tools, code and models
  std::uint64_t retries = 0;
  RecordedUsage usage;
  // Of all that was sent to models, and of the largest request: system text and messages, without
  // marks of data. nullopt: the run did not write it down.
  std::optional<std::uint64_t> prompt_chars;
  std::optional<std::uint64_t> prompt_chars_max;
  std::uint64_t reply_chars = 0;   // of tools, wherever they went
  std::string largest_reply_tool;  // empty: no reply
  std::uint64_t largest_reply_chars = 0;
  std::vector<ToolStats> tools;  // most calls first, then by name
};

RunStats stats_of(const RecordedRun& run);

// "12,000 characters in all, 7,000 in the largest"; "not recorded".
std::string prompt_words(const RunStats& stats);
std::string stats_text(const RecordedRun& run);
JsonValue stats_json(const RecordedRun& run);

}  // namespace helve::agent
