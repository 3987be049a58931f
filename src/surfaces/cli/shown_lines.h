// Texts of several lines on a terminal.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.h"

namespace helve::cli {

// Lines stay lines, and nothing in them speaks to the terminal.
inline std::string shown_lines(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines += escape_for_terminal(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace helve::cli
