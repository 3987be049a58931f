#include "agent/experiment/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "agent/experiment/criteria.h"
#include "base/text.h"

namespace helve::agent {

namespace {

constexpr double kWidth = 640;
constexpr std::size_t kLabelColumns = 34;  // that fit beside a plot

// From 0 to a round number, in at most five steps.
struct Scale {
  double end = 1;
  double step = 0.25;

  double share(double value) const { return std::clamp(value / end, 0.0, 1.0); }
};

Scale scale_of(double largest, bool is_share) {
  if (is_share) return {};
  if (!(largest > 0) || !std::isfinite(largest)) return {1, 1};
  constexpr double kSteps = 5;
  const double rough = largest / kSteps;
  const double ten = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * ten;
  for (const double times : {1.0, 2.0, 2.5, 5.0}) {
    if (times * ten >= rough) {
      step = times * ten;
      break;
    }
  }
  return {step * std::ceil(largest / step), step};
}

std::string tick_words(double value) {
  if (value >= 10'000) return fmt::format("{:.0f}k", value / 1'000);
  if (value == std::floor(value)) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}", value);
}

std::string opening(std::string_view title, double height) {
  return fmt::format(
      "<figure><figcaption>{0}</figcaption>"
      "<svg viewBox=\"0 0 {1:.0f} {2:.0f}\" role=\"img\" aria-label=\"{0}\">",
      html_text(title), kWidth, height);
}

std::string line(std::string_view kind, double x1, double y1, double x2, double y2) {
  return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>",
                     kind, x1, y1, x2, y2);
}

std::string text(double x, double y, std::string_view anchor, std::string_view kind,
                 std::string_view words) {
  return fmt::format("<text{} x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>",
                     kind.empty() ? std::string() : fmt::format(" class=\"{}\"", kind), x, y,
                     anchor, html_text(words));
}

std::string dot(std::string_view kind, double x, double y) {
  return fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>", kind, x, y);
}

// Where intervals are drawn.
constexpr double kLeft = 244;
constexpr double kRight = 480;
constexpr double kRowHeight = 22;
constexpr double kTop = 8;

double x_of(const Scale& scale, double value) {
  return kLeft + scale.share(value) * (kRight - kLeft);
}

std::string interval_row(const ChartRow& row, const Scale& scale, double y) {
  constexpr double kCap = 5;
  constexpr double kBase = 4;  // from the middle of a line of text to its foot
  std::string out = text(kLeft - 10, y + kBase, "end", "", elide_end(row.label, kLabelColumns));
  if (row.estimate.values == 0) {
    return out + text(kLeft + 4, y + kBase, "start", "t", "not measured");
  }
  const double low = x_of(scale, row.estimate.low);
  const double high = x_of(scale, row.estimate.high);
  out += line("w", low, y, high, y);
  out += line("w", low, y - kCap, low, y + kCap);
  out += line("w", high, y - kCap, high, y + kCap);
  out += dot("d", x_of(scale, row.estimate.mean), y);
  return out + text(kWidth - 2, y + kBase, "end", "", estimate_words(row.estimate));
}

// Where lines are drawn.
constexpr double kLinesLeft = 56;
constexpr double kLinesRight = 404;
constexpr double kLinesTop = 14;
constexpr double kLinesBottom = 214;

double line_y(const Scale& scale, double value) {
  return kLinesBottom - scale.share(value) * (kLinesBottom - kLinesTop);
}

std::string horizontal_grid(const Scale& scale) {
  std::string out;
  for (double at = 0; at <= scale.end * 1.001; at += scale.step) {
    const double y = line_y(scale, at);
    out += line("g", kLinesLeft, y, kLinesRight, y);
    out += text(kLinesLeft - 8, y + 4, "end", "t", tick_words(at));
  }
  return out;
}

// Labels at the ends of lines, far enough from each other to be read.
std::vector<double> spread(std::vector<double> wanted) {
  constexpr double kApart = 16;
  std::vector<std::size_t> order(wanted.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    wanted[order[i]] = std::max(wanted[order[i]], wanted[order[i - 1]] + kApart);
  }
  return wanted;
}

double largest_of(const Estimate& estimate) {
  return estimate.values == 0 ? 0 : std::max(estimate.high, estimate.mean);
}

class LineDrawing {
 public:
  LineDrawing(const Scale& scale, std::size_t places) : scale_(scale), places_(places) {}

  double x(std::size_t place) const {
    constexpr double kInside = 24;
    if (places_ < 2) return (kLinesLeft + kLinesRight) / 2;
    return kLinesLeft + kInside +
           (kLinesRight - kLinesLeft - 2 * kInside) * static_cast<double>(place) /
               static_cast<double>(places_ - 1);
  }

  // Intervals lie beside each other, or they would hide one another.
  std::string series(const ChartSeries& one, std::size_t number) const {
    constexpr double kBeside = 5;
    const double shift = (static_cast<double>(number) - 1.5) * kBeside;
    std::string points;
    std::string marks;
    for (std::size_t i = 0; i < std::min(one.points.size(), places_); ++i) {
      const Estimate& at = one.points[i];
      if (at.values == 0) continue;
      const double px = x(i) + shift;
      const double py = line_y(scale_, at.mean);
      points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", px, py);
      marks +=
          line(fmt::format("e{}", number), px, line_y(scale_, at.low), px, line_y(scale_, at.high));
      marks += dot(fmt::format("f{}", number), px, py);
    }
    if (points.empty()) return {};
    return fmt::format("<polyline class=\"s{}\" points=\"{}\"/>", number, points) + marks;
  }

 private:
  const Scale& scale_;
  const std::size_t places_;
};

}  // namespace

std::string html_text(std::string_view words) {
  std::string out;
  for (const char character : escape_for_terminal(words)) {
    switch (character) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += character;
    }
  }
  return out;
}

std::string interval_chart(std::string_view title, const std::vector<ChartRow>& rows,
                           bool is_share) {
  constexpr double kFoot = 24;
  double largest = 0;
  for (const ChartRow& row : rows) largest = std::max(largest, largest_of(row.estimate));
  const Scale scale = scale_of(largest, is_share);
  const double bottom = kTop + kRowHeight * static_cast<double>(rows.size());
  std::string out = opening(title, bottom + kFoot);
  for (double at = 0; at <= scale.end * 1.001; at += scale.step) {
    const double x = x_of(scale, at);
    out += line("g", x, kTop, x, bottom);
    out += text(x, bottom + 16, "middle", "t", tick_words(at));
  }
  double y = kTop + kRowHeight / 2;
  for (const ChartRow& row : rows) {
    out += interval_row(row, scale, y);
    y += kRowHeight;
  }
  return out + "</svg></figure>\n";
}

std::string line_chart(std::string_view title, const std::vector<std::string>& places,
                       const std::vector<ChartSeries>& series, bool is_share) {
  constexpr double kFoot = 30;
  double largest = 0;
  for (const ChartSeries& one : series) {
    for (const Estimate& at : one.points) largest = std::max(largest, largest_of(at));
  }
  const Scale scale = scale_of(largest, is_share);
  const LineDrawing drawing(scale, places.size());
  std::string out = opening(title, kLinesBottom + kFoot) + horizontal_grid(scale);
  for (std::size_t i = 0; i < places.size(); ++i) {
    out += text(drawing.x(i), kLinesBottom + 20, "middle", "t", places[i]);
  }
  std::vector<double> ends;
  const std::size_t count = std::min(series.size(), kSeriesMax);
  for (std::size_t i = 0; i < count; ++i) {
    out += drawing.series(series[i], i);
    const auto last = std::find_if(series[i].points.rbegin(), series[i].points.rend(),
                                   [](const Estimate& at) { return at.values != 0; });
    ends.push_back(line_y(scale, last == series[i].points.rend() ? 0 : last->mean));
  }
  ends = spread(std::move(ends));
  for (std::size_t i = 0; i < count; ++i) {
    const std::string sample = fmt::format("s{}", i);
    out += line(sample, kLinesRight + 6, ends[i], kLinesRight + 30, ends[i]);
    out += text(kLinesRight + 36, ends[i] + 4, "start", "", elide_end(series[i].label, 26));
  }
  return out + "</svg></figure>\n";
}

}  // namespace helve::agent
