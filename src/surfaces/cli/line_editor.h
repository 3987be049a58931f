// LineEditor: a line from a terminal, with editing, history and completion. The one adapter of
// libedit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "surfaces/cli/shell_completion.h"

namespace helve::cli {

enum class LineEnd : std::uint8_t {
  Line,         // a line was entered
  Interrupted,  // Ctrl-C: it was dropped
  Closed,       // Ctrl-D on an empty line, or the terminal has gone
};

// For one thread; one at a time. Standard input and output are a terminal.
class LineEditor {
 public:
  using Completer = std::function<Completion(std::string_view text_to_cursor)>;

  // `history_file`: read now and written by remember(), readable for its owner alone; empty: the
  // history ends with the process.
  LineEditor(std::string history_file, Completer completer);
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;
  ~LineEditor();

  // Without its end.
  LineEnd read(const std::string& prompt, std::string& line);
  // True when more was typed, or pasted, than has been read.
  bool has_more() const;
  // Into the history, unless it is the same as the one before.
  void remember(const std::string& entry);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace helve::cli
