// What a recorded run took: steps, calls by tool, tokens, cost, and what reached the prompt.
#pragma once

#include <cstdint>
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
  // System text, context, earlier turns, question, and what came back into the conversation: the
  // replies of tools, or in an RLM run what its code printed.
  std::uint64_t prompt_chars = 0;
  std::uint64_t reply_chars = 0;   // of tools, wherever they went
  std::string largest_reply_tool;  // empty: no reply
  std::uint64_t largest_reply_chars = 0;
  std::vector<ToolStats> tools;  // most calls first, then by name
};

RunStats stats_of(const RecordedRun& run);

std::string stats_text(const RecordedRun& run);
JsonValue stats_json(const RecordedRun& run);

}  // namespace helve::agent
