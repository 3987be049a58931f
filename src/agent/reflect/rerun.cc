#include "agent/reflect/rerun.h"

#include <fmt/format.h>

#include "base/text.h"

namespace helve::agent {

namespace {

constexpr std::size_t kTextColumns = 300;

void add_line(std::string& out, std::string_view what, const std::string& without,
              const std::string& with) {
  out += fmt::format("{:<10} {:>16} {:>16}\n", what, without, with);
}

std::string verdict_of(const Rerun& rerun) {
  if (!rerun.judgment) return "";
  return std::string(learning::name_of(rerun.judgment->judgment.verdict));
}

std::string shown(const std::string& text) {
  return text.empty() ? "(none)" : elide_end(escape_for_terminal(text), kTextColumns);
}

void add_texts(std::string& out, std::string_view what, const std::string& without,
               const std::string& with) {
  if (without == with) {
    out += fmt::format("the {} is the same: {}\n", what, shown(with));
    return;
  }
  out += fmt::format("{} without: {}\n{} with: {}\n", what, shown(without), what, shown(with));
}

}  // namespace

std::string rerun_text(const Rerun& without, const Rerun& with) {
  std::string out;
  add_line(out, "", "without", "with the item");
  add_line(out, "end", std::string(name_of(without.run.stop)), std::string(name_of(with.run.stop)));
  if (without.judgment || with.judgment) {
    add_line(out, "verdict", verdict_of(without), verdict_of(with));
  }
  add_line(out, "steps", format_count(without.run.iterations), format_count(with.run.iterations));
  add_line(out, "tool calls", format_count(without.run.tool_calls),
           format_count(with.run.tool_calls));
  const auto tokens = [](const RunResult& run) {
    return format_count(run.usage.input_tokens + run.usage.output_tokens);
  };
  add_line(out, "tokens", tokens(without.run), tokens(with.run));
  if (!with.had_item) {
    out += "the item was not in the context: it is quarantined, or others fit the task better\n";
  }
  add_texts(out, "answer", without.run.content, with.run.content);
  add_texts(out, "query", without.run.query, with.run.query);
  return out;
}

}  // namespace helve::agent
