// ValueKey: what a term means, as texts that can be compared. Equal values have equal keys, however
// they are written; row_table.h has the terms.
#pragma once

#include <string>

#include "sources/rdf/term.h"

namespace helve::toolkit {

struct ValueKey {
  // Numbers of all types by value, booleans, moments in UTC (those without a zone are taken for
  // such), durations; texts without their language. What is ill-typed is itself alone.
  std::string exact;
  // Of a number: at kRoughDigits significant digits, so that sums in another order and quotients of
  // another type are the same. Otherwise the same as `exact`.
  std::string rough;
  std::string language;         // of a text, in small letters
  bool is_approximate = false;  // a double or float: it compares by `rough`
};
inline constexpr std::size_t kRoughDigits = 15;

// A text without a language that has the form of a date, or of a date and a time, is taken for one:
// SQLite gives dates of expressions so. The label of a blank node is its key. REQUIRES: valid
// UTF-8.
ValueKey value_key(const rdf::TermView& term);

}  // namespace helve::toolkit
