#include "sources/sparql/algebra/source_span.h"

#include <algorithm>

#include "base/utf8.h"

namespace helve::sparql {

TextPosition position_at(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const std::string_view on_line = before.substr(line_start);
  const bool is_valid = utf8_valid_prefix(on_line) == on_line.size();
  return {static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n')) + 1,
          (is_valid ? utf8_length(on_line) : on_line.size()) + 1};
}

}  // namespace helve::sparql
