// A line of `helve explore`, understood: which tool it calls, and with what. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve::cli {

struct ExploreLine {
  std::string tool;                // empty: nothing to do
  std::vector<std::string> words;  // its arguments, as `helve call` takes them
  bool is_help = false;
  bool is_end = false;
};

// Words of a line as a shell splits them: blanks between them, quotes around what has blanks.
// InvalidInput where a quote is left open.
Result<std::vector<std::string>> split_words(std::string_view line);

// A tool by its name or its short one, a SPARQL query, "help", "quit", or words to look for.
Result<ExploreLine> read_explore_line(std::string_view line, const std::vector<std::string>& tools);

}  // namespace helve::cli
