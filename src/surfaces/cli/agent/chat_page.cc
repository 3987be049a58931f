#include "surfaces/cli/agent/chat_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "surfaces/cli/command.h"

namespace helve::cli {

namespace {

// Lines of code in a list: whatever stands in them ends neither.
std::string indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += fmt::format("      {}\n", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

std::string turn_markdown(const AskedTurn& turn) {
  const agent::RunResult& run = turn.run;
  std::string out = fmt::format("## {}\n\n{}\n\n", turn.question,
                                run.content.empty() ? "(no answer)" : run.content);
  if (!run.has_converged()) out += fmt::format("(partial: {})\n\n", agent::name_of(run.stop));
  for (const agent::Evidence& one : run.evidence) {
    out += fmt::format("- {} of {}, {}\n", one.handle, one.source, count_of(one.rows, "row"));
    if (!one.query.empty()) out += fmt::format("\n{}\n", indented(one.query));
  }
  return out;
}

}  // namespace helve::cli
