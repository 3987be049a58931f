#include "agent/experiment/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "agent/experiment/chart.h"
#include "agent/experiment/report_style.h"
#include "agent/experiment/task_tables.h"
#include "base/digest.h"
#include "base/text.h"

namespace helve::agent {

namespace {

std::string base64_of_hex(std::string_view hex) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char digit : hex) {
    bits = bits << 4U | static_cast<std::uint32_t>(kHex.find(digit));
    count += 4;
    if (count < 6) continue;
    count -= 6;
    out += kDigits[bits >> static_cast<unsigned>(count) & 63U];
  }
  if (count > 0) out += kDigits[bits << static_cast<unsigned>(6 - count) & 63U];
  while (out.size() % 4 != 0) out += '=';
  return out;
}

// Nothing may be loaded or run, and no style but ours applies.
std::string head() {
  const std::string_view style = report_style();
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'sha256-{}'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<title>Helve experiment</title>\n<style>{}</style>\n</head>\n<body>\n",
      base64_of_hex(digest_hex(DigestKind::Sha256, style)), style);
}

std::string intro(const ExperimentResult& result, const ReportFacts& facts) {
  std::string out = "<header>\n<h1>Which context and which memory help</h1>\n";
  std::string sets;
  std::size_t runs = 0;
  for (const SetResult& set : result.sets) {
    sets += fmt::format("{}{} ({} tasks on {})", sets.empty() ? "" : ", ", html_text(set.name),
                        set.tasks.size(), html_text(set.source));
    for (const CellResult& cell : set.cells) runs += cell.runs.size();
  }
  out += fmt::format("<p>{} runs on {}.", format_count(runs), sets);
  if (const JsonValue* const model = result.config.find("model");
      model != nullptr && model->if_string() != nullptr) {
    out += fmt::format(" Model: {}.", html_text(*model->if_string()));
  }
  if (!facts.date.empty()) out += fmt::format(" Made {}.", html_text(facts.date));
  out += "</p>\n";
  if (!facts.command.empty()) {
    out += fmt::format("<pre>{}</pre>\n", html_text(facts.command));
  }
  if (!result.stopped.empty()) {
    out += fmt::format("<p class=\"n\">Not finished: {}.</p>\n", html_text(result.stopped));
  }
  out +=
      "<p class=\"faint\">Means with 95 % intervals, by drawing tasks anew 2,000 times: runs of "
      "one "
      "task count as one piece of evidence. A run succeeds where its query brings the rows of the "
      "reference, and converges where it submits an answer.</p>\n</header>\n";
  return out;
}

std::string criteria_table(const SetResult& set, std::uint64_t seed) {
  const auto criteria = criteria_of(set, seed);
  if (criteria.empty()) return {};
  std::string out =
      "<h3>What was to be shown</h3>\n<table class=\"criteria\"><thead><tr><th scope=\"col\">"
      "Cells</th><th scope=\"col\">Holds</th><th scope=\"col\" class=\"task\">Claim</th>"
      "<th scope=\"col\" class=\"task\">Figures</th></tr></thead><tbody>\n";
  for (const Criterion& one : criteria) {
    const char* const kind = one.outcome == Outcome::Yes  ? "y"
                             : one.outcome == Outcome::No ? "n"
                                                          : "o";
    out += fmt::format(
        "<tr><th scope=\"row\">{}</th><td class=\"{}\">{}</td><td class=\"l\">{}</td><td "
        "class=\"l\">{}</td></tr>\n",
        html_text(one.cells), kind, name_of(one.outcome), html_text(one.claim),
        html_text(one.figures));
  }
  return out + "</tbody></table>\n";
}

// Rows are cells, columns what is compared: the difference with its interval.
std::string layers_table(const SetResult& set, std::uint64_t seed) {
  const auto comparisons = compare_layers(set, seed);
  if (comparisons.empty()) return {};
  std::string head;
  std::string rows;
  std::string_view cell;
  for (const CellComparison& one : comparisons) {
    if (one.left == comparisons.front().left) {
      head += fmt::format("<th scope=\"col\">{}</th>", html_text(name_of(one.measure)));
    }
    if (one.left != cell) {
      rows += fmt::format("{}<tr><th scope=\"row\">{}</th>", cell.empty() ? "" : "</tr>\n",
                          html_text(one.left));
    }
    cell = one.left;
    rows += fmt::format("<td>{}</td>", html_text(estimate_words(one.difference)));
  }
  return fmt::format(
      "<h3>Layers against none</h3>\n<p class=\"faint\">How much more than E1, on the tasks that "
      "both have, with the interval of the difference.</p>\n<div class=\"wide\" tabindex=\"0\">"
      "<table><thead><tr><th scope=\"col\">Cell</th>{}</tr></thead><tbody>\n{}</tr>\n</tbody>"
      "</table></div>\n",
      head, rows);
}

std::string row_label(const ResultRow& row) {
  return row.cell->plan.passes > 1 ? row.name
                                   : fmt::format("{} {}", row.name, row.cell->plan.title);
}

std::string measure_chart(const SetResult& set, Measure measure, std::uint64_t seed) {
  std::vector<ChartRow> rows;
  for (const ResultRow& row : rows_of(set)) {
    rows.push_back({row_label(row), estimate_of(set, *row.cell, row.pass, measure, seed)});
  }
  return interval_chart(title_of(measure), rows, is_share(measure));
}

std::string charts(const SetResult& set, std::uint64_t seed) {
  std::string out = "<h3>Cells compared</h3>\n<div class=\"charts\">\n";
  std::vector<Measure> measures = {Measure::Success,
                                   Measure::Converged,
                                   Measure::F1,
                                   Measure::Steps,
                                   has_costs(set) ? Measure::Cost : Measure::Tokens,
                                   Measure::LeakagePerStep,
                                   Measure::LargeReplies,
                                   Measure::ContextPerStep};
  for (const Measure measure : measures) out += measure_chart(set, measure, seed);
  return out + "</div>\n";
}

// Mean, least and most over the repeats.
Estimate bank_estimate(const CellResult& cell, std::size_t pass) {
  Estimate estimate;
  double sum = 0;
  for (const BankFigures& bank : cell.banks) {
    if (bank.pass != pass) continue;
    const auto size = static_cast<double>(bank.active);
    estimate.low = estimate.values == 0 ? size : std::min(estimate.low, size);
    estimate.high = std::max(estimate.high, size);
    sum += size;
    ++estimate.values;
  }
  if (estimate.values > 0) estimate.mean = sum / static_cast<double>(estimate.values);
  return estimate;
}

std::string learning_charts(const SetResult& set, std::uint64_t seed) {
  std::vector<ChartSeries> success;
  std::vector<ChartSeries> sizes;
  std::vector<std::string> places;
  for (const CellResult& cell : set.cells) {
    if (!cell.plan.learns) continue;
    ChartSeries by_pass{fmt::format("{} {}", cell.plan.id, cell.plan.title), {}};
    ChartSeries by_size = by_pass;
    for (std::size_t pass = 1; pass <= cell.plan.passes; ++pass) {
      if (places.size() < pass) places.push_back(fmt::format("pass {}", pass));
      by_pass.points.push_back(estimate_of(set, cell, pass, Measure::Success, seed));
      by_size.points.push_back(bank_estimate(cell, pass));
    }
    success.push_back(std::move(by_pass));
    sizes.push_back(std::move(by_size));
  }
  if (success.empty()) return {};
  return "<h3>Learning</h3>\n<p class=\"faint\">A second pass meets the same tasks again: what it "
         "gains is memory of tasks that were seen, and says nothing of others.</p>\n<div "
         "class=\"charts\">\n" +
         line_chart("Success by pass", places, success, true) +
         line_chart("Active items of the bank behind each pass (least and most of the repeats)",
                    places, sizes, false) +
         "</div>\n";
}

std::string figures_table(const SetResult& set, std::uint64_t seed) {
  std::string out =
      "<h3>Figures</h3>\n<div class=\"wide\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">"
      "Cell</th><th scope=\"col\" class=\"task\">Condition</th>";
  std::vector<Measure> measures(kMeasures.begin(), kMeasures.end());
  if (!has_costs(set)) std::erase(measures, Measure::Cost);
  for (const Measure measure : measures) {
    out += fmt::format("<th scope=\"col\">{}</th>", html_text(name_of(measure)));
  }
  out += "</tr></thead><tbody>\n";
  for (const ResultRow& row : rows_of(set)) {
    out += fmt::format("<tr><th scope=\"row\">{}</th><td class=\"l\">{}</td>", html_text(row.name),
                       html_text(row.cell->plan.title));
    for (const Measure measure : measures) {
      const Estimate estimate = estimate_of(set, *row.cell, row.pass, measure, seed);
      out += fmt::format("<td>{}</td>", html_text(is_share(measure) || estimate.values == 0
                                                      ? estimate_words(estimate)
                                                      : number_words(estimate.mean)));
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string cells_text(const SetResult& set) {
  std::string out = "<h3>Cells</h3>\n<ul>\n";
  for (const CellResult& cell : set.cells) {
    out += fmt::format("<li><b>{}</b> {}. {}</li>\n", html_text(cell.plan.id),
                       html_text(cell.plan.title), html_text(cell.plan.asks));
  }
  out += "</ul>\n";
  for (const CellResult& cell : set.cells) {
    for (const CellFailure& one : cell.failures) {
      out += fmt::format("<p class=\"n\">{} repeat {} failed: {}</p>\n", html_text(cell.plan.id),
                         one.repeat, html_text(one.error));
    }
    const auto unjudged = std::count_if(cell.runs.begin(), cell.runs.end(),
                                        [](const RunFigures& run) { return !run.error.empty(); });
    if (unjudged > 0) {
      out += fmt::format("<p class=\"n\">{}: {} could not be judged, and count nowhere</p>\n",
                         html_text(cell.plan.id),
                         unjudged == 1 ? "1 run" : fmt::format("{} runs", unjudged));
    }
  }
  return out;
}

}  // namespace

std::string report_html(const ExperimentResult& result, const ReportFacts& facts) {
  std::string out = head() + intro(result, facts) + "<main>\n";
  for (const SetResult& set : result.sets) {
    out += fmt::format(
        "<section>\n<h2>{}</h2>\n<p class=\"faint\">{} tasks on {}; digest "
        "{}</p>\n",
        html_text(set.name), set.tasks.size(), html_text(set.source),
        html_text(set.digest.substr(0, 16)));
    out += criteria_table(set, result.seed);
    out += layers_table(set, result.seed);
    out += charts(set, result.seed);
    out += learning_charts(set, result.seed);
    out += figures_table(set, result.seed);
    out += cells_text(set);
    out += task_tables(set, facts.has_links);
    out += "</section>\n";
  }
  out += "<section>\n<h2>Configuration</h2>\n<pre>";
  const std::string config = helve::to_json(result.config, JsonStyle::Indented);
  for (std::size_t at = 0; at < config.size();) {
    const std::size_t end = std::min(config.find('\n', at), config.size());
    out += html_text(std::string_view(config).substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return out + "</pre>\n</section>\n</main>\n</body>\n</html>\n";
}

}  // namespace helve::agent
