#include "agent/experiment/task_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "agent/experiment/chart.h"
#include "agent/experiment/results.h"
#include "base/percent.h"
#include "base/text.h"

namespace helve::agent {

namespace {

constexpr std::size_t kQuestionColumns = 200;

struct Mark {
  const char* sign;
  const char* kind;
  const char* words;
};

Mark mark_of(const RunFigures& run) {
  if (!run.error.empty()) return {"?", "o", "not judged"};
  if (run.is_success) return {"●", "y", "right"};
  if (!run.has_converged) return {"×", "n", "no answer"};
  if (run.f1 > 0) return {"◐", "o", "in part"};
  return {"○", "n", "wrong"};
}

// Of a path, so that nothing in it is anything but names.
std::string address_of(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    out += percent_encoded(path.substr(0, end));
    if (end < path.size()) out += '/';
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return out;
}

std::string mark_html(const RunFigures& run, bool has_links) {
  const Mark mark = mark_of(run);
  if (!has_links || run.trajectory.empty()) {
    return fmt::format("<span class=\"{}\">{}</span>", mark.kind, mark.sign);
  }
  return fmt::format("<a class=\"{}\" href=\"{}\" title=\"repeat {}{}: {}, {} steps\">{}</a>",
                     mark.kind, address_of(run.trajectory), run.repeat,
                     run.rollout > 1 ? fmt::format(", rollout {}", run.rollout) : std::string(),
                     mark.words, run.steps, mark.sign);
}

// A report stays readable, and small, however often cells were repeated.
constexpr std::size_t kMarksMax = 12;

std::string marks_html(const std::vector<const RunFigures*>& runs, bool has_links) {
  std::string out;
  for (std::size_t i = 0; i < std::min(runs.size(), kMarksMax); ++i) {
    out += mark_html(*runs[i], has_links);
  }
  if (runs.size() <= kMarksMax) return out;
  const auto right = std::count_if(runs.begin(), runs.end(),
                                   [](const RunFigures* run) { return run->is_success; });
  return out + fmt::format(" … {} of {} right", right, runs.size());
}

using RunIndex = std::map<std::tuple<std::string, std::size_t, std::string>,
                          std::vector<const RunFigures*>>;  // by cell, pass and task

RunIndex index_of(const SetResult& set) {
  RunIndex index;
  for (const CellResult& cell : set.cells) {
    for (const RunFigures& run : cell.runs) {
      index[{cell.plan.id, run.pass, run.task}].push_back(&run);
    }
  }
  return index;
}

std::string level_table(const SetResult& set, unsigned level, const RunIndex& index,
                        bool has_links) {
  const auto rows = rows_of(set);
  std::string out = fmt::format(
      "<div class=\"wide\" tabindex=\"0\"><table><caption>Level {}</caption><thead><tr><th "
      "scope=\"col\" class=\"task\">Task</th>",
      level);
  for (const ResultRow& row : rows) {
    out += fmt::format("<th scope=\"col\">{}</th>", html_text(row.name));
  }
  out += "</tr></thead><tbody>\n";
  for (const TaskCase& task : set.tasks) {
    if (task.level != level) continue;
    out += fmt::format("<tr><th scope=\"row\" class=\"task\"><b>{}</b>{}</th>", html_text(task.id),
                       html_text(elide_end(escape_for_terminal(task.question), kQuestionColumns)));
    for (const ResultRow& row : rows) {
      out += "<td class=\"m\">";
      const auto runs = index.find({row.cell->plan.id, row.pass, task.id});
      if (runs != index.end()) out += marks_html(runs->second, has_links);
      out += "</td>";
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace

std::string task_tables(const SetResult& set, bool has_links) {
  std::string out = fmt::format(
      "<h3>Tasks</h3>\n<p class=\"faint\">A mark for each run, repeat after repeat: "
      "<span class=\"y\">●</span> right, ◐ some rows right, <span class=\"n\">○</span> wrong, "
      "<span class=\"n\">×</span> no answer, ? not judged; of more than {} the "
      "first.{}</p>\n",
      kMarksMax,
      has_links ? " Each leads to the trajectory; <code>helve trajectory show FILE</code> tells it "
                  "step by step."
                : "");
  const RunIndex index = index_of(set);
  std::set<unsigned> levels;
  for (const TaskCase& task : set.tasks) levels.insert(task.level);
  for (const unsigned level : levels) out += level_table(set, level, index, has_links);
  return out;
}

}  // namespace helve::agent
