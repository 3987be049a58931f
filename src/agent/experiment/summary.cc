// The results for a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "agent/experiment/results.h"
#include "base/text.h"

namespace helve::agent {

namespace {

constexpr std::size_t kGap = 2;

struct Column {
  const char* title;
  Measure measure;
  bool has_interval = false;
};

constexpr std::array kColumns = {Column{"success", Measure::Success, true},
                                 Column{"conv", Measure::Converged},
                                 Column{"F1", Measure::F1},
                                 Column{"steps", Measure::Steps},
                                 Column{"calls", Measure::ToolCalls},
                                 Column{"refused", Measure::RefusedCalls},
                                 Column{"tokens", Measure::Tokens},
                                 Column{"cost", Measure::Cost},
                                 Column{"large", Measure::LargeReplies},
                                 Column{"leak/step", Measure::LeakagePerStep},
                                 Column{"ctx/step", Measure::ContextPerStep}};

std::string cell_words(const Column& column, const Estimate& estimate) {
  if (estimate.values == 0) return "-";
  return column.has_interval ? estimate_words(estimate) : number_words(estimate.mean);
}

using Lines = std::vector<std::vector<std::string>>;

std::vector<std::size_t> widths_of(const Lines& lines) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(line[i]));
    }
  }
  return widths;
}

// The name of the row, and columns `from` to `end`.
std::string block_of(const Lines& lines, const std::vector<std::size_t>& widths, std::size_t from,
                     std::size_t end) {
  std::string out;
  for (const auto& line : lines) {
    std::string text = pad_end(line[0], widths[0]);
    for (std::size_t i = from; i < end; ++i) {
      text.append(kGap, ' ');
      text += i == 1 ? pad_end(line[i], widths[i]) : pad_start(line[i], widths[i]);
    }
    text.resize(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  return out;
}

// Columns that do not fit beside the others come below, behind the names once more.
std::string laid_out(const Lines& lines, std::size_t width) {
  const auto widths = widths_of(lines);
  std::string out;
  std::size_t from = 1;
  while (from < widths.size()) {
    std::size_t used = widths[0];
    std::size_t end = from;
    while (end < widths.size() && (end == from || used + kGap + widths[end] <= width)) {
      used += kGap + widths[end++];
    }
    out += block_of(lines, widths, from, end);
    from = end;
  }
  return out;
}

std::string table_of(const SetResult& set, std::uint64_t seed, std::size_t width) {
  constexpr std::size_t kTitleChars = 30;
  Lines lines;
  std::vector<std::string> head = {"cell", "condition"};
  std::vector<Column> columns(kColumns.begin(), kColumns.end());
  if (!has_costs(set)) {
    std::erase_if(columns, [](const Column& one) { return one.measure == Measure::Cost; });
  }
  for (const Column& column : columns) head.emplace_back(column.title);
  lines.push_back(std::move(head));
  for (const ResultRow& row : rows_of(set)) {
    std::vector<std::string> line = {
        row.name, elide_end(escape_for_terminal(row.cell->plan.title), kTitleChars)};
    for (const Column& column : columns) {
      line.push_back(
          cell_words(column, estimate_of(set, *row.cell, row.pass, column.measure, seed)));
    }
    lines.push_back(std::move(line));
  }
  return laid_out(lines, width);
}

std::string layer_lines(const SetResult& set, std::uint64_t seed) {
  std::string out;
  for (const CellComparison& one : compare_layers(set, seed)) {
    if (one.measure != Measure::Success) continue;
    out += fmt::format("{} against {}: {}\n", one.left, one.right, comparison_words(one));
  }
  return out;
}

std::string failures_of(const SetResult& set) {
  std::string out;
  for (const CellResult& cell : set.cells) {
    for (const CellFailure& one : cell.failures) {
      out += fmt::format("{} repeat {} failed: {}\n", cell.plan.id, one.repeat,
                         escape_for_terminal(one.error));
    }
    const auto unjudged = std::count_if(cell.runs.begin(), cell.runs.end(),
                                        [](const RunFigures& run) { return !run.error.empty(); });
    if (unjudged > 0) {
      out += fmt::format("{}: {} tasks could not be judged and do not count\n", cell.plan.id,
                         unjudged);
    }
  }
  return out;
}

}  // namespace

std::string summary_text(const ExperimentResult& result, std::size_t width) {
  std::string out;
  for (const SetResult& set : result.sets) {
    out += fmt::format("{}{} on {}: {} tasks\n", out.empty() ? "" : "\n",
                       escape_for_terminal(set.name), escape_for_terminal(set.source),
                       set.tasks.size());
    out += table_of(set, result.seed, width);
    out += layer_lines(set, result.seed);
    for (const Criterion& one : criteria_of(set, result.seed)) {
      out +=
          fmt::format("{}: {}: {} ({})\n", one.cells, one.claim, name_of(one.outcome), one.figures);
    }
    out += failures_of(set);
  }
  if (!result.stopped.empty()) {
    out += fmt::format("\nnot finished: {}; the same command goes on\n",
                       escape_for_terminal(result.stopped));
  }
  return out;
}

}  // namespace helve::agent
