// What people see of a run: its steps as they come, the answer, what it rests on and what it took.
#pragma once

#include <string>
#include <string_view>

#include "agent/ask/ask.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/tool_session.h"

namespace helve::cli {

struct AskViewOptions {
  bool is_live = false;       // steps as they come, on standard error
  bool is_streaming = false;  // the text of the model too
  bool has_times = true;
};

// The line of an event, harmless on a terminal and at most `width` columns; empty: it has none.
std::string event_line(const agent::RunEvent& event, std::size_t width, bool has_times);

// Shows events; for one thread at a time.
class AskView {
 public:
  AskView(AskViewOptions options, CommandContext& context) : options_(options), context_(context) {}
  void take(const agent::RunEvent& event);
  // Ends a line of streamed text.
  void end();

 private:
  void stream(std::string_view piece);

  AskViewOptions options_;
  CommandContext& context_;
  std::uint64_t iteration_ = 0;
  bool is_inside_line_ = false;
};

// The answer on standard output, all else on standard error. On a terminal the first rows of the
// evidence too.
Result<void> show_answer(const agent::AskResult& result, ToolSession& tools, bool has_times,
                         CommandContext& context);

// "react: 3 steps, 2 tool calls, 1,200 tokens in, 40 out, cost 0.0123, 2.1 s"
std::string cost_line(const agent::RunResult& run, bool has_times);

}  // namespace helve::cli
