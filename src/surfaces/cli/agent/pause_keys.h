// PauseKeys: Ctrl-C while a model works at a terminal. The first holds the run before its next step
// and asks for a word to the model; the second ends the run.
#pragma once

#include <csignal>
#include <string>

#include "agent/loops/agent_run.h"
#include "surfaces/cli/command.h"

namespace helve::cli {

// Has Ctrl-C as long as it lives, where a person can be asked; elsewhere it does nothing, and
// Ctrl-C cancels as always. One at a time.
class PauseKeys {
 public:
  explicit PauseKeys(CommandContext& context);
  ~PauseKeys();
  PauseKeys(const PauseKeys&) = delete;
  PauseKeys& operator=(const PauseKeys&) = delete;

  // Between two steps: goes on at once where nobody pressed it.
  agent::Steering ask() const;

 private:
  CommandContext& context_;
  bool has_keys_ = false;
  struct sigaction before_ {};
};

// What a person typed at the pause: an empty line goes on, /stop ends, anything else is told to the
// model.
agent::Steering read_pause_word(std::string line);

}  // namespace helve::cli
