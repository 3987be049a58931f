// What people see of a run: its steps as they come, the answer, what it rests on and what it took.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "agent/ask/ask.h"
#include "surfaces/cli/agent/ask_session.h"
#include "surfaces/cli/agent/waiting_line.h"
#include "surfaces/cli/command.h"

namespace helve::cli {

class PauseKeys;

struct AskViewOptions {
  bool is_live = false;       // steps as they come, on standard error
  bool is_streaming = false;  // the text of the model too
  bool has_times = true;
};

// The line of an event, harmless on a terminal and at most `width` columns; empty: it has none.
std::string event_line(const agent::RunEvent& event, std::size_t width, bool has_times);

// Shows events. Thread-safe.
class AskView {
 public:
  // `model`: who is waited for, "qwen3 at localhost".
  AskView(AskViewOptions options, std::string model, CommandContext& context)
      : options_(options), model_(std::move(model)), context_(context) {}

  void take(const agent::RunEvent& event);
  // Before the next step: what is on the screen is ended.
  void begin_step();
  // A model is asked, or has answered: a line says so on a terminal as long as nothing else comes.
  void wait(bool is_waiting);
  // Ends a line of streamed text, and tells what was printed last.
  void end();

 private:
  // What code printed comes in any number of pieces, and is one line in the end.
  struct Printed {
    std::string first;        // line
    std::uint64_t lines = 0;  // that were ended
    bool is_inside_line = false;
    bool is_empty = true;  // nothing but blanks so far
  };

  void end_all();
  void end_line();
  void print(std::string_view piece);
  void end_printed();
  void stream(agent::RunEventKind kind, std::string_view piece);

  AskViewOptions options_;
  const std::string model_;
  CommandContext& context_;
  std::mutex mutex_;
  std::unique_ptr<WaitingLine> waiting_;
  std::uint64_t iteration_ = 0;
  std::uint64_t step_ = 0;  // that was begun last
  bool is_inside_line_ = false;
  agent::RunEventKind streamed_ = agent::RunEventKind::Text;  // the kind of that line
  Printed printed_;
};

// A run that is shown, and held by Ctrl-C. Both outlive the run.
AskHooks hooks_of(AskView& view, PauseKeys& keys);

// The answer on standard output, all else on standard error. On a terminal the first rows of the
// evidence too.
Result<void> show_answer(const agent::AskResult& result, AskSession& session, bool has_times,
                         CommandContext& context);

// "react: 3 steps, 2 tool calls, 1,200 tokens in, 40 out, cost 0.0123, 2.1 s"
std::string cost_line(const agent::RunResult& run, bool has_times);

}  // namespace helve::cli
