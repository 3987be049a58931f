// Reading SQL just far enough to know which handles it names. SQLite reads the rest.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve::toolkit {

struct SqlText {
  std::string text;                // with feeds written out
  std::vector<std::string> names;  // that may be tables: identifiers and texts, each once
};

// A feed, `@results_0.protein` alone in parentheses (`IN (@results_0.protein)`), stands for the
// values of that column. InvalidInput where it stands elsewhere, or a text or comment has no end.
Result<SqlText> read_sql(std::string_view sql);

}  // namespace helve::toolkit
