// What an item changes: the same task without it and with it, side by side.
#pragma once

#include <optional>
#include <string>

#include "agent/judge/judge.h"
#include "agent/loops/agent_run.h"

namespace helve::agent {

struct Rerun {
  RunResult run;
  std::optional<TaskJudgment> judgment;
  bool had_item = false;  // in its context
};

// A table of what differs: end, verdict, steps, calls, tokens; then both answers and queries where
// they do. Safe on a terminal.
std::string rerun_text(const Rerun& without, const Rerun& with);

}  // namespace helve::agent
