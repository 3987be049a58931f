#include "surfaces/cli/table.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"

namespace helve::cli {

namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kTableIndent = 2;
constexpr std::size_t kNameMin = 20;

}  // namespace

std::string render(const Table& table, const Terminal& terminal) {
  if (table.rows.empty()) return {};
  auto rows = table.rows;
  std::vector<std::size_t> widths(table.headers.size());
  for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = display_width(table.headers[i]);
  std::size_t names = display_width(table.title);
  for (auto& row : rows) {
    for (auto& cell : row) cell = escape_for_terminal(cell);
    names = std::max(names, display_width(row[0]) + kTableIndent);
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i + 1]));
    }
  }
  std::size_t numbers = 0;
  for (const std::size_t width : widths) numbers += width + kGap;
  const std::size_t room =
      terminal.width() > numbers + kNameMin ? terminal.width() - numbers : kNameMin;
  names = std::min(names, room);

  std::string out = terminal.styled(Style::Bold, pad_end(table.title, names));
  for (std::size_t i = 0; i < widths.size(); ++i) {
    out += std::string(kGap, ' ') +
           terminal.styled(Style::Dim, pad_start(table.headers[i], widths[i]));
  }
  out += '\n';
  for (const auto& row : rows) {
    out += std::string(kTableIndent, ' ') +
           pad_end(elide_middle(row[0], names - kTableIndent), names - kTableIndent);
    for (std::size_t i = 0; i < widths.size(); ++i) {
      out += std::string(kGap, ' ') + pad_start(row[i + 1], widths[i]);
    }
    out += '\n';
  }
  if (table.rows_left_out > 0) {
    out += terminal.styled(Style::Dim,
                           fmt::format("  … {} more\n", format_count(table.rows_left_out)));
  }
  return out;
}

}  // namespace helve::cli
