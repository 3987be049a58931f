#include "surfaces/cli/agent/task_set_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "surfaces/cli/json_output.h"

namespace helve::cli {

namespace {

using agent::TaskCase;
using agent::TaskSet;

std::array<std::size_t, 3> by_level(const TaskSet& set) {
  std::array<std::size_t, 3> counts{};
  for (const TaskCase& task : set.cases) ++counts.at(task.level - 1);
  return counts;
}

void write_head(JsonWriter& json, const TaskSet& set) {
  json.member("name", set.name);
  json.member("source", set.source);
  json.member("digest", set.digest);
  json.member("total", set.cases.size());
  json.key("by_level");
  json.begin_array();
  for (const std::size_t count : by_level(set)) json.value(count);
  json.end_array();
}

void write_task(JsonWriter& json, const TaskCase& task, bool is_whole) {
  json.member("id", task.id);
  json.member("level", task.level);
  json.member("question", task.question);
  if (is_whole) {
    json.member("language", learning::name_of(task.language));
    json.member("reference", task.reference);
    json.member("is_ordered", task.is_ordered);
    json.member("is_bag", task.is_bag);
  }
  write_texts(json, "keywords", task.keywords);
}

std::string head_text(const TaskSet& set, const Terminal& terminal) {
  const auto levels = by_level(set);
  return terminal.styled(Style::Accent, escape_for_terminal(set.name)) +
         terminal.styled(Style::Dim,
                         fmt::format("  {}: {} of level 1, {} of level 2, {} of level 3; about {}",
                                     count_of(set.cases.size(), "task"), format_count(levels[0]),
                                     format_count(levels[1]), format_count(levels[2]),
                                     set.source.empty() ? "a source of yours"
                                                        : escape_for_terminal(set.source))) +
         "\n";
}

// Texts of files may hold anything; lines of queries stay lines.
std::string indented_lines(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines += "    " + escape_for_terminal(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string task_text(const TaskCase& task, bool is_whole, const Terminal& terminal) {
  std::string text = fmt::format("{} {}  {}\n", task.level,
                                 terminal.styled(Style::Accent, escape_for_terminal(task.id)),
                                 escape_for_terminal(task.question));
  if (!is_whole) return text;
  std::vector<std::string> traits;
  if (task.is_ordered) traits.emplace_back("the order counts");
  if (task.is_bag) traits.emplace_back("that rows come twice counts");
  for (const std::string& word : task.keywords) traits.push_back(escape_for_terminal(word));
  if (!traits.empty()) {
    text += terminal.styled(Style::Dim, fmt::format("    {}", fmt::join(traits, ", "))) + "\n";
  }
  return text + (task.reference.empty() ? "    no reference\n" : indented_lines(task.reference));
}

Result<void> show_tasks(const TaskSetOptions& options, bool is_whole, CommandContext& context) {
  HELVE_ASSIGN(TaskSet set, read_chosen_tasks(options, context));
  const std::string head = head_text(set, context.out_terminal);
  const std::size_t shown = std::min(set.cases.size(), options.listed_max);
  const std::size_t left_out = set.cases.size() - shown;
  if (options.is_json) {
    return context.show(json_object([&](JsonWriter& json) {
      write_head(json, set);
      set.cases.resize(shown);
      write_objects(json, "tasks", set.cases,
                    [&](const TaskCase& task) { write_task(json, task, is_whole); });
      json.member("left_out", left_out);
    }));
  }
  std::string text = head;
  for (std::size_t i = 0; i < shown; ++i) {
    if (is_whole) text += "\n";
    text += task_text(set.cases[i], is_whole, context.out_terminal);
  }
  if (left_out > 0)
    text += fmt::format("... {} more; --limit shows them\n", format_count(left_out));
  return context.show(text);
}

Result<void> list_sets(bool is_json, CommandContext& context) {
  std::vector<TaskSet> sets;
  for (const std::string& name : agent::bundled_task_sets()) {
    HELVE_ASSIGN(TaskSet set, agent::read_task_set("bundled:" + name, context.env, context.op));
    set.name = "bundled:" + name;
    sets.push_back(std::move(set));
  }
  if (is_json) {
    return context.show(json_object([&](JsonWriter& json) {
      write_objects(json, "sets", sets, [&](const TaskSet& set) { write_head(json, set); });
    }));
  }
  std::string text;
  for (const TaskSet& set : sets) text += head_text(set, context.out_terminal);
  return context.show(text);
}

}  // namespace

Result<TaskSet> read_chosen_tasks(const TaskSetOptions& options, CommandContext& context) {
  HELVE_ASSIGN(TaskSet set, agent::read_task_set(options.set, context.env, context.op));
  return agent::choose_tasks(std::move(set), options.words, 0);
}

Result<void> run_tasks_list(const TaskSetOptions& options, CommandContext& context) {
  if (options.set.empty()) return list_sets(options.is_json, context);
  return show_tasks(options, false, context);
}

Result<void> run_tasks_show(const TaskSetOptions& options, CommandContext& context) {
  return show_tasks(options, true, context);
}

}  // namespace helve::cli
