// Terms as values of SQL, and back. Companion columns (handle_table.h) tell what a value does not.
#pragma once

#include <string>
#include <string_view>

#include "base/sqlite.h"
#include "sources/rdf/term.h"

namespace helve::toolkit {

// IRIs and blank nodes ("_:b0") are texts. Integers that fit 64 bits and doubles are numbers.
// Decimals of up to 15 digits are numbers too, so that they compare, sort and add up as such: each
// is another double, and results that hand them through get their own text back. All else, longer
// numbers included, is its text. The views are those of the term; `blank` is for the text of a
// blank node and must live as long as the value.
sqlite::Value sql_value(const rdf::TermView& term, std::string& blank);
bool is_number_term(const rdf::TermView& term);

// What two values have in common that SQLite may find equal, after whatever conversion: a number,
// or else a text.
struct SqlKey {
  enum class Kind : std::uint8_t { Integer, Real, Text, Other };
  Kind kind = Kind::Other;
  std::uint64_t number = 0;  // the bits
  std::string_view text;

  friend bool operator==(const SqlKey&, const SqlKey&) = default;
};
SqlKey comparison_key(const sqlite::Value& value);
// The value as it is: another type is another key.
SqlKey exact_key(const sqlite::Value& value);

struct SqlKeyHash {
  std::size_t operator()(const SqlKey& key) const;
};

}  // namespace helve::toolkit
