// Plots as SVG inside of HTML: drawn by classes of report.css, without any style of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/experiment/statistics.h"

namespace helve::agent {

// Any text as HTML: markup is escaped, what could deceive a reader is made visible. Valid UTF-8, on
// one line; for texts and for attributes in double quotes.
std::string html_text(std::string_view text);

struct ChartRow {
  std::string label;
  Estimate estimate;  // without values: the row says so
};

// A dot with its interval for each row. `is_share`: from 0 to 1, whatever the values.
std::string interval_chart(std::string_view title, const std::vector<ChartRow>& rows,
                           bool is_share);

// A line with intervals for each series, over places 0, 1, 2 ... with these names.
struct ChartSeries {
  std::string label;
  std::vector<Estimate> points;  // one for each place; without values: left out
};
inline constexpr std::size_t kSeriesMax = 4;  // that can be told apart
std::string line_chart(std::string_view title, const std::vector<std::string>& places,
                       const std::vector<ChartSeries>& series, bool is_share);

}  // namespace helve::agent
