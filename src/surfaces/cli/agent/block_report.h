// What came of a block of code, for a person and for a program. Neighbour of sandbox_run.cc.
#pragma once

#include <string>
#include <string_view>

#include "agent/sandbox/sandbox.h"
#include "surfaces/cli/command.h"

namespace helve::cli {

// Shows what code prints, as it comes. On a terminal it is made harmless first.
class LiveOutput {
 public:
  // Cancels what runs when nobody reads any more.
  explicit LiveOutput(CommandContext& context) : context_(context) {}

  void take(std::string_view text);
  // Ends the line that the code left open.
  void end_line();
  const Result<void>& state() const { return state_; }

 private:
  void show(std::string_view text);

  CommandContext& context_;
  Result<void> state_;
  bool is_line_open_ = false;
};

// The value and what was submitted go to standard output, everything else to standard error.
Result<void> show_block(const sandbox::BlockResult& result, LiveOutput& output,
                        CommandContext& context);

std::string block_json(const sandbox::BlockResult& result, const sandbox::Sandbox& session);

// How a command ends whose code ended so.
Result<void> ending_of(const sandbox::BlockResult& result, const CommandContext& context);

}  // namespace helve::cli
