// SourceSpan: where in the text of a query something was written.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace helve::sparql {

// Bytes [begin, end) of the query's text; empty for what was not written by anyone. All spans are
// equal: two trees are the same wherever their parts stood.
struct SourceSpan {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool empty() const { return begin == end; }
  friend constexpr bool operator==(const SourceSpan&, const SourceSpan&) { return true; }
};

// Line and column of a byte offset. REQUIRES: valid UTF-8 (any text otherwise counts bytes).
TextPosition position_at(std::string_view text, std::size_t offset);

}  // namespace helve::sparql
