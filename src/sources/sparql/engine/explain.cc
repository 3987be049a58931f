#include "sources/sparql/engine/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/utf8.h"
#include "sources/rdf/prefix_map.h"
#include "sources/sparql/algebra/lexer.h"

namespace helve::sparql {

namespace {

constexpr double kWorthTelling = 10;  // a q-error above it is shown

// Estimates multiply: beyond this nothing is known.
double finite(double number) {
  constexpr double kMost = 1e18;
  return std::isnan(number) ? kMost : std::clamp(number, 0.0, kMost);
}

// How many times the step did what was estimated.
double runs_of(const PlanNode& node) {
  if (!node.is_per_row) return 1;
  const std::uint64_t seeds = node.seed != nullptr ? node.seed->rows : 0;
  return static_cast<double>(std::max<std::uint64_t>(seeds > 0 ? seeds : node.starts, 1));
}

double rows_of(const PlanNode& node) { return static_cast<double>(node.rows) / runs_of(node); }

bool is_cut_short(const PlanNode& node) { return node.ends < node.starts; }

std::string show_rows(double rows) {
  rows = finite(rows);
  constexpr double kCountMax = 1e15;
  if (rows >= kCountMax) return fmt::format("{:.1e}", rows);
  if (rows > 0 && rows < 0.05) return "<0.1";
  if (rows < 10 && std::abs(rows - std::round(rows)) >= 0.05) return fmt::format("{:.1f}", rows);
  return format_count(static_cast<std::uint64_t>(std::llround(std::max(rows, 0.0))));
}

std::string show_time(double nanoseconds) {
  return format_duration(Duration(static_cast<std::int64_t>(finite(nanoseconds))));
}

rdf::PrefixMap map_of(const PlanView& view) {
  rdf::PrefixMap map(view.prefixes.size());
  for (const auto& [name, iri] : view.prefixes) map.add(name, iri);
  return map;
}

// The text with its IRIs as prefixed names. By tokens: what looks like an IRI inside a string
// stays.
std::string shortened(const std::string& text, const rdf::PrefixMap& prefixes) {
  if (utf8_valid_prefix(text) != text.size()) return text;
  std::string out;
  std::size_t copied = 0;
  Lexer lexer(text, Version::Sparql12);
  for (Token token = lexer.next(); token.kind != TokenKind::End && token.kind != TokenKind::Bad;
       token = lexer.next()) {
    if (token.kind != TokenKind::IriRef || token.has_escapes) continue;
    const auto name = prefixes.shorten(token.text);
    if (!name) continue;
    out.append(text, copied, token.span.begin - copied);
    out.append(name->prefix->name).append(":").append(name->local);
    copied = token.span.end;
  }
  return out.append(text, copied);
}

// What a step took without the steps below it.
Duration own_time(const PlanNode& node) {
  Duration own = node.time;
  for (const PlanNode* input : node.inputs) own -= input->time;
  return std::max(own, Duration::zero());
}

std::string show_error(const PlanNode& node) {
  const double error = q_error(node);
  if (error <= kWorthTelling) return "";
  const bool is_more = rows_of(node) > node.estimated_rows;
  return fmt::format("{} x {}", show_rows(error), is_more ? "more" : "fewer");
}

class PlanText {
 public:
  explicit PlanText(const PlanView& view) : view_(view), prefixes_(map_of(view)) {
    if (view.is_measured) {
      headers_ = {"rows",     "expected", "off by",  "starts", "time",
                  "own time", "memory",   "on disk", "step"};
    } else {
      headers_ = {"expected rows", "cost", "step"};
    }
  }

  std::string render(const PlanNode& root) {
    add(root, 0);
    std::vector<std::size_t> widths;
    for (std::size_t column = 0; column + 1 < headers_.size(); ++column) {
      std::size_t width = 0;
      for (const Line& line : lines_) width = std::max(width, line[column].size());
      widths.push_back(width == 0 ? 0 : std::max(width, headers_[column].size()));
    }
    std::string out = render_line(headers_, widths);
    for (const Line& line : lines_) out += render_line(line, widths);
    return out;
  }

 private:
  using Line = std::vector<std::string>;

  // Columns of which no step has anything have no width, and are left out.
  static std::string render_line(const Line& line, const std::vector<std::size_t>& widths) {
    std::string out;
    for (std::size_t column = 0; column < widths.size(); ++column) {
      if (widths[column] > 0) out += pad_start(line[column], widths[column]) + "  ";
    }
    return out + line.back() + "\n";
  }

  // Recursion: operators themselves nest as deep.
  void add(const PlanNode& node, std::size_t depth) {
    Line line;
    if (view_.is_measured) {
      add_measured(line, node);
    } else {
      line = {show_rows(node.estimated_rows), show_time(node.cost)};
    }
    line.push_back(step_of(node, depth));
    lines_.push_back(std::move(line));
    for (const PlanNode* input : node.inputs) add(*input, depth + 1);
  }

  static void add_measured(Line& line, const PlanNode& node) {
    const bool has_run = node.starts > 0;
    line = {has_run ? show_rows(rows_of(node)) + (is_cut_short(node) ? "+" : "") : "never run",
            show_rows(node.estimated_rows),
            show_error(node),
            node.starts > 1 ? format_count(node.starts) : "",
            has_run ? format_duration(node.time) : "",
            has_run ? format_duration(own_time(node)) : "",
            node.peak_bytes > 0 ? format_bytes(static_cast<std::uint64_t>(node.peak_bytes)) : "",
            node.spilled_bytes > 0 ? format_bytes(node.spilled_bytes) : ""};
  }

  std::string step_of(const PlanNode& node, std::size_t depth) const {
    // A chain of thousands of joins would otherwise be mostly spaces.
    constexpr std::size_t kIndentMax = 40;
    std::string out(2 * std::min(depth, kIndentMax), ' ');
    if (depth > kIndentMax) out += fmt::format("[{}] ", depth);
    out += escape_for_terminal(node.name);
    if (!node.detail.empty()) {
      out += "  " + escape_for_terminal(shortened(node.detail, prefixes_));
    }
    if (!node.order.empty()) out += "  (" + node.order + ")";
    if (node.is_per_row) out += "  for each row";
    return out;
  }

  const PlanView& view_;
  rdf::PrefixMap prefixes_;
  Line headers_;
  std::vector<Line> lines_;
};

class PlanJson {
 public:
  PlanJson(JsonWriter& json, const PlanView& view)
      : json_(json), view_(view), prefixes_(map_of(view)) {}

  void write(const PlanNode& node) {
    json_.begin_object();
    json_.member("operator", node.name);
    if (!node.detail.empty()) json_.member("pattern", shortened(node.detail, prefixes_));
    if (!node.order.empty()) json_.member("order", node.order);
    if (node.is_per_row) json_.member("is_per_row", true);
    json_.member("estimated_rows", finite(node.estimated_rows));
    json_.member("cost", finite(node.cost));
    if (view_.is_measured) write_measured(node);
    json_.key("inputs");
    json_.begin_array();
    for (const PlanNode* input : node.inputs) write(*input);
    json_.end_array();
    json_.end_object();
  }

 private:
  void write_measured(const PlanNode& node) {
    if (node.is_per_row) {
      json_.member("rows", rows_of(node));
    } else {
      json_.member("rows", node.rows);
    }
    json_.member("starts", node.starts);
    json_.member("seconds", std::chrono::duration<double>(node.time).count());
    json_.member("peak_bytes", node.peak_bytes);
    if (node.spilled_bytes > 0) json_.member("spilled_bytes", node.spilled_bytes);
    if (const double error = q_error(node); error > 0) json_.member("q_error", error);
    if (node.starts == 0 || is_cut_short(node)) json_.member("is_cut_short", true);
  }

  JsonWriter& json_;
  const PlanView& view_;
  rdf::PrefixMap prefixes_;
};

}  // namespace

double q_error(const PlanNode& node) {
  if (node.starts == 0 || is_cut_short(node) || is_seed(node)) return 0;
  const double estimate = std::max(finite(finite(node.estimated_rows) * runs_of(node)), 1.0);
  const double rows = std::max(static_cast<double>(node.rows), 1.0);
  return std::max(estimate / rows, rows / estimate);
}

std::string plan_to_text(const PlanNode& root, const PlanView& view) {
  return PlanText(view).render(root);
}

void write_plan(JsonWriter& json, const PlanNode& root, const PlanView& view) {
  PlanJson(json, view).write(root);
}

}  // namespace helve::sparql
