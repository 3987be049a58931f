// Values of SQLite as terms and back: by storage class, and by the declared type of the column
// where the value has its shape.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sqlite.h"
#include "sources/rdf/term.h"
#include "sources/table_source.h"

namespace helve::sql {

// What the declared type of a column lets its values be.
struct ColumnShape {
  enum class Kind : std::uint8_t { Plain, Date, DateTime, Time, Boolean, Decimal, Json };
  Kind kind = Kind::Plain;
  std::uint32_t scale = 0;  // digits behind the point of a decimal that has them always
};
ColumnShape shape_of(std::string_view declared_type);

class TermMaker {
 public:
  explicit TermMaker(const std::vector<std::string>& declared_types);

  std::size_t columns() const { return columns_.size(); }
  // Valid until the next for the same column, as long as the value. nullopt: NULL.
  std::optional<rdf::TermView> term(std::size_t column, const sqlite::Value& value);
  rdf::TermView integer(std::size_t column, std::int64_t number);
  rdf::TermView real(std::size_t column, double number);
  rdf::TermView text(std::size_t column, std::string_view text);
  rdf::TermView bytes(std::size_t column, std::string_view bytes);
  // Texts that are no UTF-8 were given as their bytes.
  bool met_broken_text() const { return met_broken_text_; }
  // The first text of a column whose dates or times are stored otherwise than XSD writes them;
  // empty: none. A statement has to write them as they are stored.
  const std::string& stored_as(std::size_t column) const { return columns_[column].stored_as; }

 private:
  struct Column {
    ColumnShape shape;
    std::array<char, 32> digits;
    std::string text;
    std::string stored_as;
  };

  static rdf::TermView shaped_text(Column& column, std::string_view text);
  static rdf::TermView rewritten(Column& column, std::string_view stored, std::string_view type);

  std::vector<Column> columns_;
  bool met_broken_text_ = false;
};

// A parameter as SQLite stores such values. `kept` holds what the value points to.
sqlite::Value parameter_of(const SqlValue& value, std::string& kept);

}  // namespace helve::sql
