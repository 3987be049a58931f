// Aligned tables for people.
#pragma once

#include <string>
#include <vector>

#include "surfaces/cli/terminal.h"

namespace helve::cli {

// A title, a header for each numeric column and rows of a name and numbers. The name column is
// elided in the middle where the terminal is too narrow.
struct Table {
  std::string title;
  std::vector<std::string> headers;  // of the columns behind the first
  std::vector<std::vector<std::string>> rows;
  std::size_t rows_left_out = 0;
};

// Ends with a line end; empty when there are no rows. Cells are made harmless for a terminal.
std::string render(const Table& table, const Terminal& terminal);

}  // namespace helve::cli
