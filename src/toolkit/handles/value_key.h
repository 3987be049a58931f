// ValueKey: what a term means, as texts that can be compared. Equal values have equal keys, however
// they are written; row_table.h has the terms.
#pragma once

#include <optional>
#include <string>

#include "sources/rdf/term.h"

namespace helve::toolkit {

struct ValueKey {
  // Numbers of all types by value, booleans, moments in UTC (those without a zone are taken for
  // such), durations; texts without their language. What is ill-typed is itself alone.
  std::string exact;
  std::string language;  // of a text, in small letters
  // Of a finite number, as near as a double is.
  std::optional<double> number;
  bool is_approximate = false;  // a double or float: it compares with are_close()
  bool is_single = false;       // a float
};

// Numbers beside each other that may be the same sum in another order, or the same quotient of
// another type: twelve digits, six where one is a float. Two whole numbers are close only where
// they are equal.
bool are_close(double left, double right, bool is_single);

// A text without a language that has the form of a date, or of a date and a time, is taken for one:
// SQLite gives dates of expressions so. The label of a blank node is its key. REQUIRES: valid
// UTF-8.
ValueKey value_key(const rdf::TermView& term);

}  // namespace helve::toolkit
