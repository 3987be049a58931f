#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "surfaces/cli/json_output.h"
#include "surfaces/cli/knowledge_command.h"
#include "surfaces/cli/table.h"
#include "toolkit/tasks/task.h"

namespace helve::cli {

namespace {

using toolkit::Task;
using toolkit::TaskStats;

constexpr std::size_t kListed = 20;  // of endpoints and of keywords

void write_task_counts(JsonWriter& json, std::string_view name, std::string_view what,
                       const toolkit::CountedTexts& counts) {
  write_objects(json, name, counts, [&](const auto& one) {
    json.member(what, one.first);
    json.member("tasks", one.second);
  });
}

void write_stats(JsonWriter& json, const TaskStats& stats, const toolkit::ExampleFolder& folder) {
  json.member("name", folder.name);
  json.member("files", folder.files);
  json.member("total", stats.total);
  json.key("by_complexity");
  json.begin_object();
  for (std::size_t i = 0; i < toolkit::kTaskComplexities; ++i) {
    json.member(toolkit::name_of(static_cast<toolkit::TaskComplexity>(i)), stats.by_complexity[i]);
  }
  json.end_object();
  json.member("federated", stats.federated);
  json.member("without_endpoint", stats.without_endpoint);
  write_task_counts(json, "by_endpoint", "endpoint", stats.by_endpoint);
  write_task_counts(json, "top_keywords", "keyword", stats.keywords);
  json.member("broken_files", folder.broken_files);
  json.member("unparsed_queries", folder.unparsed);
  write_objects(json, "problems", folder.problems, [&](const toolkit::FileProblem& one) {
    json.member("file", one.file);
    json.member("message", one.message);
  });
  json.member("incomplete", folder.incomplete);
}

void write_task(JsonWriter& json, const Task& task) {
  json.member("id", task.id);
  json.member("query", task.query);
  json.member("expected_sparql", task.expected_sparql);
  json.member("endpoint", task.endpoint);
  write_texts(json, "also_for", task.also_for);
  write_texts(json, "keywords", task.keywords);
  write_texts(json, "federated", task.federated);
  json.member("complexity", toolkit::name_of(task.complexity));
  json.member("form", toolkit::name_of(task.form));
  json.member("iri", task.iri);
}

std::string counts_table(std::string title, const toolkit::CountedTexts& counts,
                         const Terminal& terminal) {
  Table table{std::move(title), {"tasks"}, {}, 0};
  for (std::size_t i = 0; i < std::min(counts.size(), kListed); ++i) {
    table.rows.push_back({counts[i].first, format_count(counts[i].second)});
  }
  table.rows_left_out = counts.size() - table.rows.size();
  const std::string text = render(table, terminal);
  return text.empty() ? text : "\n" + text;
}

std::string stats_text(const TaskStats& stats, const toolkit::ExampleFolder& folder,
                       const Terminal& terminal) {
  std::string text =
      fmt::format("{} in {}: {} simple, {} moderate, {} complex; {} federated\n",
                  count_of(stats.total, "task"), count_of(folder.files, "file"),
                  format_count(stats.by_complexity[0]), format_count(stats.by_complexity[1]),
                  format_count(stats.by_complexity[2]), format_count(stats.federated));
  text += counts_table("endpoint", stats.by_endpoint, terminal);
  text += counts_table("keyword", stats.keywords, terminal);
  return text;
}

// Texts of files may hold anything; lines of queries stay lines.
std::string lines_of(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines += "  " + escape_for_terminal(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string task_text(const Task& task, const Terminal& terminal) {
  std::string text = terminal.styled(Style::Accent, escape_for_terminal(task.id)) +
                     terminal.styled(Style::Dim, fmt::format("  {}  {}", name_of(task.complexity),
                                                             escape_for_terminal(task.endpoint))) +
                     "\n";
  text += escape_for_terminal(task.query) + "\n";
  return text + lines_of(task.expected_sparql);
}

void warn_of_gaps(const toolkit::ExampleFolder& folder, const CommandContext& context) {
  for (const toolkit::FileProblem& one : folder.problems) {
    context.warn(fmt::format("{}: {}", escape_for_terminal(one.file), one.message));
  }
  const std::uint64_t told = folder.problems.size();
  if (folder.broken_files + folder.unparsed > told) {
    context.warn(fmt::format("... {} more", folder.broken_files + folder.unparsed - told));
  }
  if (!folder.incomplete.empty()) context.warn("not complete: " + folder.incomplete);
}

}  // namespace

Result<void> run_tasks(const TasksOptions& options, CommandContext& context) {
  const bool is_set = options.path.starts_with("bundled:") || options.path.ends_with(".json") ||
                      options.path.ends_with(".jsonl");
  if (options.path.empty() || is_set) {
    return Error{ErrorCode::InvalidInput,
                 is_set ? "that is a set of tasks, no folder of examples" : "no folder was named",
                 "name a folder of SHACL SPARQL examples; helve tasks list shows sets of tasks"};
  }
  HELVE_ASSIGN(const auto folder,
               toolkit::read_examples(options.path, {}, context.env, context.op));
  HELVE_ASSIGN(auto tasks, toolkit::tasks_of(folder, context.op));
  if (const auto wanted = toolkit::find_complexity(options.complexity)) {
    std::erase_if(tasks, [&](const Task& task) { return task.complexity != *wanted; });
  }
  warn_of_gaps(folder, context);
  std::vector<Task> sample;
  if (options.sample) {
    for (const std::size_t place : sample_of(tasks, *options.sample, {}, options.seed)) {
      sample.push_back(tasks[place]);
    }
  }
  if (options.is_json) {
    return context.show(json_object([&](JsonWriter& json) {
      write_stats(json, stats_of(tasks), folder);
      if (!options.sample) return;
      json.member("seed", options.seed);
      write_objects(json, "tasks", sample, [&](const Task& task) { write_task(json, task); });
    }));
  }
  if (!options.sample) {
    return context.show(stats_text(stats_of(tasks), folder, context.out_terminal));
  }
  std::string text;
  for (const Task& task : sample) {
    text += (text.empty() ? "" : "\n") + task_text(task, context.out_terminal);
  }
  return context.show(text);
}

}  // namespace helve::cli
