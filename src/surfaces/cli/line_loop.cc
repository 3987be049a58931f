#include "surfaces/cli/line_loop.h"

#include <array>

#include "base/stdio.h"
#include "surfaces/cli/signals.h"

namespace helve::cli {

Result<void> take_typed_lines(LineEditor::Completer completer,
                              const std::function<std::string()>& prompt, const LineTaker& lines,
                              CommandContext& context) {
  LineEditor editor({}, std::move(completer));
  std::string line;
  while (!lines.is_over()) {
    switch (editor.read(prompt(), line)) {
      case LineEnd::Interrupted:
        continue;
      case LineEnd::Closed:
        return context.show("\n");
      case LineEnd::Line:
        break;
    }
    if (!line.empty()) editor.remember(line);
    context.op.cancel = CancelToken();
    cancel_on_interrupt(context.op.cancel);
    lines.take(line);
  }
  return {};
}

Result<void> take_piped_lines(const LineTaker& lines, CommandContext& context) {
  const auto source = stdin_source(context.op.cancel);
  std::array<char, 16 * kKiB> piece;
  std::string text;
  for (bool is_open = true; is_open && !lines.is_over();) {
    HELVE_ASSIGN(const std::size_t count, source->read(piece));
    is_open = count > 0;
    text.append(piece.data(), count);
    for (std::size_t end = text.find('\n'); end != std::string::npos && !lines.is_over();
         end = text.find('\n')) {
      lines.take(text.substr(0, end));
      text.erase(0, end + 1);
    }
    if (text.size() > context.op.limits.query_bytes_max) {
      return Error{ErrorCode::LimitExceeded, "a line of the input is too long"};
    }
  }
  if (!text.empty() && !lines.is_over()) lines.take(text);
  return {};
}

}  // namespace helve::cli
