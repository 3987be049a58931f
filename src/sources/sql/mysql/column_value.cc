#include "sources/sql/mysql/column_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/ascii.h"
#include "base/utf8.h"
#include "sources/rdf/vocabulary.h"
#include "sources/sql/mysql/client_library.h"

namespace helve::sql::mysql {

namespace {

constexpr unsigned kBinaryCharset = 63;
constexpr std::size_t kBufferBytes = 512;           // to begin with
constexpr std::size_t kBufferBytesMax = 1UL << 20;  // of what is kept from row to row
constexpr std::string_view kRdfJson = "http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON";
constexpr std::string_view kXsdHexBinary = "http://www.w3.org/2001/XMLSchema#hexBinary";

std::string_view attribute(const MYSQL_FIELD& field, enum mariadb_field_attr_t which) {
  MARIADB_CONST_STRING text{};
  if (client().mariadb_field_attr(&text, &field, which) != 0 || text.str == nullptr) return {};
  return {text.str, text.length};
}

bool is_json(const MYSQL_FIELD& field) {
  return field.type == MYSQL_TYPE_JSON ||
         attribute(field, MARIADB_FIELD_ATTR_FORMAT_NAME) == "json";
}

std::string_view base_type_name(const MYSQL_FIELD& field) {
  const bool is_bytes = field.charsetnr == kBinaryCharset;
  switch (field.type) {
    case MYSQL_TYPE_TINY:
      return "tinyint";
    case MYSQL_TYPE_SHORT:
      return "smallint";
    case MYSQL_TYPE_INT24:
      return "mediumint";
    case MYSQL_TYPE_LONG:
      return "int";
    case MYSQL_TYPE_LONGLONG:
      return "bigint";
    case MYSQL_TYPE_YEAR:
      return "year";
    case MYSQL_TYPE_BIT:
      return "bit";
    case MYSQL_TYPE_FLOAT:
      return "float";
    case MYSQL_TYPE_DOUBLE:
      return "double";
    case MYSQL_TYPE_DECIMAL:
    case MYSQL_TYPE_NEWDECIMAL:
      return "decimal";
    case MYSQL_TYPE_DATE:
    case MYSQL_TYPE_NEWDATE:
      return "date";
    case MYSQL_TYPE_TIME:
      return "time";
    case MYSQL_TYPE_DATETIME:
      return "datetime";
    case MYSQL_TYPE_TIMESTAMP:
      return "timestamp";
    case MYSQL_TYPE_JSON:
      return "json";
    case MYSQL_TYPE_GEOMETRY:
      return "geometry";
    case MYSQL_TYPE_TINY_BLOB:
    case MYSQL_TYPE_MEDIUM_BLOB:
    case MYSQL_TYPE_LONG_BLOB:
    case MYSQL_TYPE_BLOB:
      return is_bytes ? "blob" : "text";
    case MYSQL_TYPE_STRING:
      return is_bytes ? "binary" : "char";
    case MYSQL_TYPE_VARCHAR:
    case MYSQL_TYPE_VAR_STRING:
      return is_bytes ? "varbinary" : "varchar";
    case MYSQL_TYPE_NULL:
      return "null";
    default:
      return "";
  }
}

// Digits and exponent of the shortest text, as PostgreSQL lays them out: plain from 1e-4 up to
// 1e15 (1e6 for single precision).
template <typename Number>
std::string number_text(Number value, int plain_max) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-INF" : "INF";
  std::array<char, 64> buffer{};
  const auto scientific = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                        std::chars_format::scientific);
  const std::string_view text(buffer.data(), scientific.ptr);
  int exponent = 0;
  std::size_t digits = text.find('e') + 1;
  if (text[digits] == '+') ++digits;
  std::from_chars(text.data() + digits, text.data() + text.size(), exponent);
  if (exponent < -4 || exponent >= plain_max) return std::string(text);
  std::array<char, 400> plain{};
  const auto fixed =
      std::to_chars(plain.data(), plain.data() + plain.size(), value, std::chars_format::fixed);
  return {plain.data(), fixed.ptr};
}

void write_hex(std::string& out, std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  out.clear();
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    out += kDigits[static_cast<unsigned char>(c) >> 4U];
    out += kDigits[static_cast<unsigned char>(c) & 0xFU];
  }
}

// Most texts are, and then they need no closer look.

// With zeros before it up to `width` digits: dates are made for every row, and without formats.
void add_number(std::string& out, unsigned long number, std::size_t width) {
  std::array<char, 24> digits{};
  const auto done = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  const auto size = static_cast<std::size_t>(done.ptr - digits.data());
  if (size < width) out.append(width - size, '0');
  out.append(digits.data(), size);
}

// ".25", without zeros at its end.
void add_fraction(std::string& out, unsigned long microseconds) {
  if (microseconds == 0) return;
  out += '.';
  add_number(out, microseconds, 6);
  out.resize(out.find_last_not_of('0') + 1);
}

void add_clock(std::string& out, unsigned long hours, const MYSQL_TIME& time) {
  add_number(out, hours, 2);
  out += ':';
  add_number(out, time.minute, 2);
  out += ':';
  add_number(out, time.second, 2);
  add_fraction(out, time.second_part);
}

}  // namespace

std::string type_name(const MYSQL_FIELD& field) {
  if (is_json(field)) return "json";
  const std::string_view special = attribute(field, MARIADB_FIELD_ATTR_DATA_TYPE_NAME);
  if (!special.empty()) return std::string(special);
  if ((field.flags & ENUM_FLAG) != 0) return "enum";
  if ((field.flags & SET_FLAG) != 0) return "set";
  std::string name(base_type_name(field));
  const bool is_unsigned = (field.flags & UNSIGNED_FLAG) != 0;
  const unsigned long characters =
      field.charsetnr == kBinaryCharset ? field.length : field.length / 4;  // utf8mb4
  if (name == "decimal") {
    const unsigned long marks = (is_unsigned ? 0U : 1U) + (field.decimals > 0 ? 1U : 0U);
    const unsigned long digits = field.length > marks ? field.length - marks : 0;
    name += fmt::format("({},{})", digits, field.decimals);
  } else if (name.ends_with("char") || name.ends_with("binary")) {
    name += fmt::format("({})", characters);
  } else if (name == "bit") {
    name += fmt::format("({})", field.length);
  }
  const bool is_number =
      name.ends_with("int") || name.starts_with("decimal") || name == "float" || name == "double";
  if (is_number && is_unsigned) name += " unsigned";
  return name;
}

std::string double_text(double value) { return number_text(value, 15); }
std::string float_text(float value) { return number_text(value, 6); }

std::string_view write_time(std::string& out, const MYSQL_TIME& time, enum_field_types type) {
  out.clear();
  if (type == MYSQL_TYPE_TIME) {
    const unsigned long hours = time.hour + 24UL * time.day;
    if (time.neg != 0) out += '-';
    add_clock(out, hours, time);
    const bool is_of_day = time.neg == 0 && hours < 24;
    return is_of_day ? rdf::kXsdTime : std::string_view();
  }
  const bool is_day = time.month != 0 && time.day != 0;
  add_number(out, time.year, 4);
  out += '-';
  add_number(out, time.month, 2);
  out += '-';
  add_number(out, time.day, 2);
  if (type == MYSQL_TYPE_DATE || type == MYSQL_TYPE_NEWDATE) {
    return is_day ? rdf::kXsdDate : std::string_view();
  }
  out += is_day ? 'T' : ' ';
  add_clock(out, time.hour, time);
  if (!is_day) return {};
  // A moment, which the session shows in UTC.
  if (type == MYSQL_TYPE_TIMESTAMP) out += 'Z';
  return rdf::kXsdDateTime;
}

TimeText time_text(const MYSQL_TIME& time, enum_field_types type) {
  TimeText made;
  made.datatype = write_time(made.text, time, type);
  return made;
}

RowReader::Kind RowReader::kind_of(const MYSQL_FIELD& field) {
  switch (field.type) {
    case MYSQL_TYPE_TINY:
    case MYSQL_TYPE_SHORT:
    case MYSQL_TYPE_INT24:
    case MYSQL_TYPE_LONG:
    case MYSQL_TYPE_LONGLONG:
    case MYSQL_TYPE_YEAR:
      return Kind::Integer;
    case MYSQL_TYPE_DOUBLE:
      return Kind::Double;
    case MYSQL_TYPE_FLOAT:
      return Kind::Float;
    case MYSQL_TYPE_DECIMAL:
    case MYSQL_TYPE_NEWDECIMAL:
      return Kind::Decimal;
    case MYSQL_TYPE_DATE:
    case MYSQL_TYPE_NEWDATE:
    case MYSQL_TYPE_TIME:
    case MYSQL_TYPE_DATETIME:
    case MYSQL_TYPE_TIMESTAMP:
      return Kind::Time;
    case MYSQL_TYPE_BIT:
      return Kind::Bits;
    default:
      break;
  }
  if (is_json(field)) return Kind::Json;
  return field.charsetnr == kBinaryCharset && field.type != MYSQL_TYPE_NULL ? Kind::Bytes
                                                                            : Kind::Text;
}

RowReader::RowReader(const MYSQL_FIELD* fields, unsigned count)
    : columns_(count), binds_(count), cells_(count) {
  names_.reserve(count);
  type_names_.reserve(count);
  for (unsigned i = 0; i < count; ++i) {
    const MYSQL_FIELD& field = fields[i];
    names_.emplace_back(field.name, field.name_length);
    type_names_.push_back(type_name(field));
    columns_[i].kind = kind_of(field);
    columns_[i].type = field.type;
    columns_[i].is_unsigned = (field.flags & UNSIGNED_FLAG) != 0;
    point(i);
  }
}

void RowReader::point(std::size_t i) {
  Column& column = columns_[i];
  MYSQL_BIND& bind = binds_[i];
  bind = {};
  bind.length = &column.length;
  bind.is_null = &column.is_null;
  bind.error = &column.error;
  switch (column.kind) {
    case Kind::Integer:
      // As it comes, for that is the shortest way through the library; others are widened there.
      column.is_narrow = column.type == MYSQL_TYPE_LONG;
      bind.buffer_type = column.is_narrow ? MYSQL_TYPE_LONG : MYSQL_TYPE_LONGLONG;
      bind.is_unsigned = column.is_unsigned ? 1 : 0;
      bind.buffer = column.is_narrow ? static_cast<void*>(&column.narrow) : &column.integer;
      return;
    case Kind::Double:
      bind.buffer_type = MYSQL_TYPE_DOUBLE;
      bind.buffer = &column.real;
      return;
    case Kind::Float:
      bind.buffer_type = MYSQL_TYPE_FLOAT;
      bind.buffer = &column.single;
      return;
    case Kind::Time:
      bind.buffer_type = column.type;
      bind.buffer = &column.time;
      bind.buffer_length = sizeof(column.time);
      return;
    default:
      column.has_buffer = true;
      if (column.buffer.empty()) column.buffer.resize(kBufferBytes);
      bind.buffer_type = column.kind == Kind::Decimal || column.kind == Kind::Text
                             ? MYSQL_TYPE_STRING
                             : MYSQL_TYPE_BLOB;
      bind.buffer = column.buffer.data();
      bind.buffer_length = column.buffer.size();
      return;
  }
}

bool RowReader::bind(MYSQL_STMT* statement) {
  return client().stmt_bind_result(statement, binds_.data()) == 0;
}

// A value longer than its buffer is asked for again. The buffer stays larger from then on, unless
// that is very large.
bool RowReader::read_long(MYSQL_STMT* statement, std::size_t i) {
  Column& column = columns_[i];
  const auto index = static_cast<unsigned>(i);
  if (column.length > kBufferBytesMax) {
    column.large.resize(column.length);
    MYSQL_BIND bind = binds_[i];
    bind.buffer = column.large.data();
    bind.buffer_length = column.large.size();
    column.bytes = column.large;
    return client().stmt_fetch_column(statement, &bind, index, 0) == 0;
  }
  has_grown_ = true;
  column.buffer.resize(column.length + column.length / 2);
  point(i);
  column.bytes = {column.buffer.data(), column.length};
  return client().stmt_fetch_column(statement, &binds_[i], index, 0) == 0;
}

bool RowReader::read(MYSQL_STMT* statement) {
  bytes_ = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    if (column.is_null != 0) {
      cells_[i].reset();
      continue;
    }
    if (column.has_buffer) {
      column.bytes = {column.buffer.data(), column.length};
      const bool is_long = column.length > column.buffer.size();
      if (is_long && !read_long(statement, i)) return false;
    }
    if (!cells_[i]) cells_[i].emplace(rdf::TermView::literal({}));
    read_value(column, *cells_[i]);
    bytes_ += cells_[i]->value.size();
  }
  if (!has_grown_) return true;
  has_grown_ = false;
  return bind(statement);
}

void RowReader::read_value(Column& column, rdf::TermView& cell) {
  switch (column.kind) {
    case Kind::Integer: {
      if (column.is_narrow) {
        column.integer = column.is_unsigned
                             ? std::int64_t{static_cast<std::uint32_t>(column.narrow)}
                             : std::int64_t{column.narrow};
      }
      char* const end = column.digits.data() + column.digits.size();
      const auto done =
          column.is_unsigned
              ? std::to_chars(column.digits.data(), end, static_cast<std::uint64_t>(column.integer))
              : std::to_chars(column.digits.data(), end, column.integer);
      cell.value = {column.digits.data(), done.ptr};
      cell.datatype = rdf::kXsdInteger;
      return;
    }
    case Kind::Text:
    case Kind::Json:
      return read_text(column, cell);
    case Kind::Decimal:
      cell.value = column.bytes;
      cell.datatype = rdf::kXsdDecimal;
      return;
    default:
      return read_made(column, cell);
  }
}

void RowReader::read_text(Column& column, rdf::TermView& cell) {
  if (is_ascii(column.bytes) || utf8_valid_prefix(column.bytes) == column.bytes.size()) {
    cell.value = column.bytes;
    cell.datatype = column.kind == Kind::Json ? kRdfJson : std::string_view();
    return;
  }
  has_bad_text_ = true;
  write_hex(column.text, column.bytes);
  cell.value = column.text;
  cell.datatype = kXsdHexBinary;
}

// Values whose text is made here.
void RowReader::read_made(Column& column, rdf::TermView& cell) {
  cell.datatype = rdf::kXsdDouble;
  if (column.kind == Kind::Double) {
    column.text = double_text(column.real);
  } else if (column.kind == Kind::Float) {
    column.text = float_text(column.single);
  } else if (column.kind == Kind::Time) {
    cell.datatype = write_time(column.text, column.time, column.type);
  } else if (column.kind == Kind::Bits) {
    std::uint64_t bits = 0;
    for (const char byte : column.bytes.substr(0, 8)) {
      bits = (bits << 8U) | static_cast<unsigned char>(byte);
    }
    column.text = std::to_string(bits);
    cell.datatype = rdf::kXsdInteger;
  } else {
    write_hex(column.text, column.bytes);
    cell.datatype = kXsdHexBinary;
  }
  cell.value = column.text;
}

}  // namespace helve::sql::mysql
