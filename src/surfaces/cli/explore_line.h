// A line of `helve explore`, understood: which tool it calls, and with what. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve::cli {

struct ExploreSource {
  std::string name;
  bool is_database = false;
};

// What a line may speak of.
struct ExploreScope {
  std::vector<std::string> tools;
  std::vector<ExploreSource> sources;
  std::string chosen;  // by `use`; empty: none, and the first that fits a line is asked

  bool has_graphs() const;
  bool has_databases() const;
  // Whether words that could be of either kind are of databases: where the source is one, or there
  // are no graphs. `name`: a source that the line itself names; empty: none.
  bool is_of_databases(std::string_view name = {}) const;
};

struct ExploreLine {
  std::string tool;                // empty: nothing to do
  std::vector<std::string> words;  // its arguments, as `helve call` takes them
  std::string use;                 // the source to be asked from now on; empty: the same as before
  bool lists_sources = false;
  bool is_help = false;
  bool is_end = false;
};

// Words of a line as a shell splits them: blanks between them, quotes around what has blanks.
// InvalidInput where a quote is left open.
Result<std::vector<std::string>> split_words(std::string_view line);

// A tool by its name or its short one, a query of SPARQL or SQL, a word of the prompt's own
// ("help"), or words to look for. NotFound where `use` names no source.
Result<ExploreLine> read_explore_line(std::string_view line, const ExploreScope& scope);

}  // namespace helve::cli
