// Commands that take line after line: from a person at a prompt, or from standard input.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "surfaces/cli/command.h"
#include "surfaces/cli/line_editor.h"

namespace helve::cli {

struct LineTaker {
  std::function<void(const std::string& line)> take;
  std::function<bool()> is_over;  // after a line: no other is wanted
};

// Ctrl-C stops what a line began, not the loop; Ctrl-D ends it.
Result<void> take_typed_lines(LineEditor::Completer completer,
                              const std::function<std::string()>& prompt, const LineTaker& lines,
                              CommandContext& context);
// All of standard input. LimitExceeded where a line is longer than a query may be.
Result<void> take_piped_lines(const LineTaker& lines, CommandContext& context);

}  // namespace helve::cli
