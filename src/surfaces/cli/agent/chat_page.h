// A turn of a conversation as /save writes it.
#pragma once

#include <string>

#include "agent/loops/agent_run.h"

namespace helve::cli {

struct AskedTurn {
  std::string question;
  agent::RunResult run;
};

// Markdown: the question as a heading, the answer, what ended it where it is partial, and the
// evidence with its queries.
std::string turn_markdown(const AskedTurn& turn);

}  // namespace helve::cli
