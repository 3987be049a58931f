// Values of PostgreSQL as terms, by the type of their column. array_text.h has the arrays.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "sources/rdf/term.h"

namespace helve::sql {

// What a value is, whatever its type is called.
enum class ValueKind : std::uint8_t {
  Text,
  Integer,
  Decimal,
  Double,
  Boolean,
  Date,
  Time,
  Timestamp,
  Bytes,
  Json,
  Array,
};

struct ValueType {
  ValueKind kind = ValueKind::Text;
  ValueKind element = ValueKind::Text;  // of an array
  char delimiter = ',';                 // of an array
  std::string name;                     // as PostgreSQL spells it; empty where it is not known
};

// Types beyond those that every PostgreSQL has, by OID.
using TypeTable = std::unordered_map<std::uint32_t, ValueType>;

// `modifier` is that of the column (-1: none): its name has it, "numeric(10,2)".
ValueType value_type(std::uint32_t oid, int modifier, const TypeTable& others);

// Reads values of one column. Text that is no UTF-8 is given as bytes: has_broken_text() tells.
class ValueReader {
 public:
  explicit ValueReader(ValueType type) : type_(std::move(type)) {}

  // Of a value as the server writes it. The view is valid until the next call, and as long as
  // `text`.
  rdf::TermView read(std::string_view text);
  bool has_broken_text() const { return has_broken_text_; }
  const ValueType& type() const { return type_; }

 private:
  ValueType type_;
  std::string buffer_;
  bool has_broken_text_ = false;
};

// For values within arrays, and for tests: the lexical form with its datatype (empty: plain text),
// in `buffer` where it is not `text` itself.
rdf::TermView read_value(ValueKind kind, std::string_view text, std::string& buffer);

}  // namespace helve::sql
