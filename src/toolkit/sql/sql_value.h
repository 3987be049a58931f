// Terms as values of SQL, and back. Companion columns (handle_table.h) tell what a value does not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/sqlite.h"
#include "sources/rdf/term.h"

namespace helve::toolkit {

// Decimals of more than 15 digits, and integers that do not fit 64 bits: two of them may have the
// same double.
enum class LongNumbers : std::uint8_t { AsReals, AsTexts };

// IRIs and blank nodes ("_:b0") are texts. Integers that fit 64 bits, doubles and decimals are
// numbers, so that they compare, sort and add up as such; results that hand them through get their
// own text back. Truths are 1 and 0. All else is its text. The views are those of the term; `blank`
// is for the text of a blank node and must live as long as the value.
sqlite::Value sql_value(const rdf::TermView& term, std::string& blank, LongNumbers long_numbers);
// Truths too.
bool is_number_term(const rdf::TermView& term);
bool is_long_number(const rdf::TermView& term);
// Equal for numbers of equal value: "1.50" and "+01.5" are "1.5".
std::string plain_digits(std::string_view number);

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
