// Values of the binary protocol as terms: one Column for each column of a result, with the buffer
// that the client library fills row by row.
#pragma once

#include <mysql.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/row_sink.h"

namespace helve::sql::mysql {

// The name that a column's type has in SQL: "int unsigned", "decimal(10,2)".
std::string type_name(const MYSQL_FIELD& field);

// A date or a time: the text, and its datatype where XSD can hold it.
struct TimeText {
  std::string text;
  std::string_view datatype;  // empty: none
};
TimeText time_text(const MYSQL_TIME& time, enum_field_types type);
// The same over what `out` has; gives the datatype.
std::string_view write_time(std::string& out, const MYSQL_TIME& time, enum_field_types type);

// The shortest text that reads back, written as PostgreSQL writes it: 100000, 1e+15, NaN, INF.
std::string double_text(double value);
std::string float_text(float value);

// Reads rows of one result. The handles it is given must outlive it.
class RowReader {
 public:
  RowReader(const MYSQL_FIELD* fields, unsigned count);

  const std::vector<std::string>& names() const { return names_; }
  std::vector<std::string> type_names() const { return type_names_; }
  // Has the library fill the buffers of this reader.
  bool bind(MYSQL_STMT* statement);
  // The row that was fetched last; valid until the next. `bytes` is what its values have. False
  // where the library could not give a value whole.
  bool read(MYSQL_STMT* statement);
  Row row() const { return cells_; }
  std::size_t bytes() const { return bytes_; }
  bool has_bad_text() const { return has_bad_text_; }  // bytes that are no UTF-8 became hexBinary

 private:
  enum class Kind : std::uint8_t { Integer, Double, Float, Decimal, Time, Text, Json, Bytes, Bits };
  struct Column {
    Kind kind = Kind::Text;
    enum_field_types type = MYSQL_TYPE_STRING;
    bool is_unsigned = false;
    bool has_buffer = false;  // its values are bytes in `buffer`
    bool is_narrow = false;   // its values come in `narrow`
    std::int32_t narrow = 0;
    std::int64_t integer = 0;
    double real = 0;
    float single = 0;
    MYSQL_TIME time{};
    std::string buffer;
    std::array<char, 24> digits{};
    std::string large;       // for a value that is far longer than others
    std::string_view bytes;  // of the value, in one of them
    std::string text;        // made of the value
    unsigned long length = 0;
    my_bool is_null = 0;
    my_bool error = 0;
  };

  static Kind kind_of(const MYSQL_FIELD& field);
  void point(std::size_t i);
  bool read_long(MYSQL_STMT* statement, std::size_t i);
  void read_value(Column& column, rdf::TermView& cell);
  void read_text(Column& column, rdf::TermView& cell);
  static void read_made(Column& column, rdf::TermView& cell);

  std::vector<std::string> names_;
  std::vector<std::string> type_names_;
  std::vector<Column> columns_;
  std::vector<MYSQL_BIND> binds_;
  std::vector<std::optional<rdf::TermView>> cells_;
  std::size_t bytes_ = 0;
  bool has_bad_text_ = false;
  bool has_grown_ = false;
};

}  // namespace helve::sql::mysql
