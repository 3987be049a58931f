#include "sources/sql/sqlite/sqlite_values.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/ascii.h"
#include "base/json.h"
#include "base/utf8.h"
#include "sources/rdf/vocabulary.h"
#include "sources/rdf/xsd_type.h"

namespace helve::sql {

namespace {

using ShapeKind = ColumnShape::Kind;
using rdf::TermView;

constexpr std::string_view kRdfJson = "http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON";
constexpr std::string_view kXsdHexBinary = "http://www.w3.org/2001/XMLSchema#hexBinary";
constexpr std::uint32_t kScaleMax = 30;
constexpr std::size_t kDigitsMeant = 15;  // further digits of a double need not be meant
constexpr double kWholeMax = 1e15;

// The number of `size` digits at `at`, or -1.
int digits_at(std::string_view text, std::size_t at, std::size_t size) {
  if (text.size() < at + size) return -1;
  int number = 0;
  for (const char c : text.substr(at, size)) {
    if (!is_digit(c)) return -1;
    number = 10 * number + (c - '0');
  }
  return number;
}

// yyyy-mm-dd at the start, a day there is.
bool starts_with_date(std::string_view text) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const int year = digits_at(text, 0, 4);
  const int month = digits_at(text, 5, 2);
  const int day = digits_at(text, 8, 2);
  if (year < 1 || month < 1 || month > 12 || day < 1 || text[4] != '-' || text[7] != '-') {
    return false;
  }
  const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return day <= kDays[month - 1] + (month == 2 && is_leap ? 1 : 0);
}

// hh:mm[:ss[.f]] and perhaps a zone, with the seconds that XSD wants. nullopt: it is no time.
std::optional<std::string> time_of(std::string_view text) {
  const int hour = digits_at(text, 0, 2);
  const int minute = digits_at(text, 3, 2);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || text[2] != ':') return std::nullopt;
  std::string time(text.substr(0, 5));
  std::string_view rest = text.substr(5);
  if (rest.starts_with(':')) {
    const int second = digits_at(rest, 1, 2);
    if (second < 0 || second > 59) return std::nullopt;
    std::size_t end = 3;
    if (end < rest.size() && rest[end] == '.') {
      do ++end;
      while (end < rest.size() && is_digit(rest[end]));
      if (end == 4) return std::nullopt;
    }
    time += rest.substr(0, end);
    rest.remove_prefix(end);
  } else {
    time += ":00";
  }
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  if (rest.empty()) return time;
  if (rest == "Z" || rest == "z") return time + "Z";
  // +hh, +hhmm and +hh:mm
  const bool has_colon = rest.size() == 6 && rest[3] == ':';
  const int zone_hour = digits_at(rest, 1, 2);
  const int zone_minute = rest.size() == 3 ? 0 : digits_at(rest, has_colon ? 4 : 3, 2);
  const bool is_zone = (rest[0] == '+' || rest[0] == '-') &&
                       (has_colon || rest.size() == 3 || rest.size() == 5) && zone_hour >= 0 &&
                       zone_hour <= 14 && zone_minute >= 0 && zone_minute <= 59;
  if (!is_zone) return std::nullopt;
  return fmt::format("{}{}{:02}:{:02}", time, rest[0], zone_hour, zone_minute);
}

bool is_decimal(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const auto digits = std::count_if(text.begin(), text.end(), is_digit);
  const auto points = std::count(text.begin(), text.end(), '.');
  return digits > 0 && points <= 1 && static_cast<std::size_t>(digits + points) == text.size();
}

// A double as the decimal that was meant: its shortest digits, with as many behind the point as the
// column has and a double can tell. nullopt: it has an exponent.
std::optional<std::string> decimal_of(double number, std::uint32_t scale) {
  if (!std::isfinite(number) || std::abs(number) >= kWholeMax) return std::nullopt;
  std::string text = fmt::format("{}", number);
  if (text.find('e') != std::string::npos) return std::nullopt;
  if (scale == 0) return text;
  const std::size_t point = text.find('.');
  const std::size_t fraction = point == std::string::npos ? 0 : text.size() - point - 1;
  if (fraction > scale) return text;
  const std::size_t whole = point == std::string::npos ? text.size() : point;
  if (whole + scale > kDigitsMeant) return text;
  if (point == std::string::npos) text += '.';
  text.append(scale - fraction, '0');
  return text;
}

bool is_xsd(const rdf::Term& term, std::string_view name) {
  return std::string_view(term.datatype).starts_with(rdf::kXsd) &&
         std::string_view(term.datatype).substr(rdf::kXsd.size()) == name;
}

bool is_whole_number(const rdf::Term& term) {
  const auto type = rdf::xsd_type_of_iri(term.datatype);
  return type && rdf::is_integer_type(*type);
}

template <typename T>
std::optional<T> number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  T number{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::string> bytes_of(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = hex_value(digits[i]);
    const int low = hex_value(digits[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(16 * high + low);
  }
  return bytes;
}

}  // namespace

ColumnShape shape_of(std::string_view declared_type) {
  const std::string type = ascii_lower(declared_type);
  const std::size_t open = std::min(type.find('('), type.size());
  std::string_view name = std::string_view(type).substr(0, open);
  while (name.ends_with(' ')) name.remove_suffix(1);
  ColumnShape shape;
  if (name == "date") shape.kind = ShapeKind::Date;
  if (name.starts_with("datetime") || name.starts_with("timestamp"))
    shape.kind = ShapeKind::DateTime;
  if (name == "time") shape.kind = ShapeKind::Time;
  if (name == "boolean" || name == "bool") shape.kind = ShapeKind::Boolean;
  if (name == "json") shape.kind = ShapeKind::Json;
  if (name == "decimal" || (name == "numeric" && open < type.size())) {
    shape.kind = ShapeKind::Decimal;
    const std::size_t comma = type.find(',', open);
    if (comma != std::string::npos) {
      std::string_view digits = std::string_view(type).substr(comma + 1);
      while (digits.starts_with(' ')) digits.remove_prefix(1);
      std::from_chars(digits.data(), digits.data() + digits.size(), shape.scale);
      shape.scale = std::min(shape.scale, kScaleMax);
    }
  }
  return shape;
}

TermMaker::TermMaker(const std::vector<std::string>& declared_types)
    : columns_(declared_types.size()) {
  for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].shape = shape_of(declared_types[i]);
}

std::optional<TermView> TermMaker::term(std::size_t column, const sqlite::Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return integer(column, *whole);
  if (const auto* given = std::get_if<std::string_view>(&value)) return text(column, *given);
  if (const auto* number = std::get_if<double>(&value)) return real(column, *number);
  if (const auto* blob = std::get_if<sqlite::Blob>(&value)) return bytes(column, blob->bytes);
  return std::nullopt;
}

TermView TermMaker::integer(std::size_t place, std::int64_t number) {
  Column& column = columns_[place];
  if (column.shape.kind == ShapeKind::Boolean && (number == 0 || number == 1)) {
    return TermView::literal(number == 1 ? "true" : "false", rdf::kXsdBoolean);
  }
  const auto end = std::to_chars(column.digits.data(), column.digits.data() + 24, number).ptr;
  const std::string_view digits(column.digits.data(),
                                static_cast<std::size_t>(end - column.digits.data()));
  if (column.shape.kind != ShapeKind::Decimal) return TermView::literal(digits, rdf::kXsdInteger);
  column.text = digits;
  if (column.shape.scale > 0) column.text.append(1, '.').append(column.shape.scale, '0');
  return TermView::literal(column.text, rdf::kXsdDecimal);
}

TermView TermMaker::real(std::size_t place, double number) {
  Column& column = columns_[place];
  if (column.shape.kind == ShapeKind::Decimal) {
    if (auto decimal = decimal_of(number, column.shape.scale)) {
      column.text = *std::move(decimal);
      return TermView::literal(column.text, rdf::kXsdDecimal);
    }
  }
  if (std::isinf(number)) return TermView::literal(number < 0 ? "-INF" : "INF", rdf::kXsdDouble);
  char* const end = fmt::format_to(column.digits.data(), FMT_COMPILE("{}"), number);
  return TermView::literal(
      {column.digits.data(), static_cast<std::size_t>(end - column.digits.data())},
      rdf::kXsdDouble);
}

TermView TermMaker::text(std::size_t place, std::string_view text) {
  if (!is_ascii(text) && utf8_valid_prefix(text) != text.size()) {
    met_broken_text_ = true;
    return bytes(place, text);
  }
  Column& column = columns_[place];
  if (column.shape.kind == ShapeKind::Plain) [[likely]]
    return TermView::literal(text);
  return shaped_text(column, text);
}

// column.text says in XSD what is stored.
TermView TermMaker::rewritten(Column& column, std::string_view stored, std::string_view type) {
  if (column.stored_as.empty() && column.text != stored) column.stored_as = stored;
  return TermView::literal(column.text, type);
}

TermView TermMaker::shaped_text(Column& column, std::string_view text) {
  switch (column.shape.kind) {
    case ShapeKind::Plain:
      break;
    case ShapeKind::Date:
    case ShapeKind::DateTime:
      if (!starts_with_date(text)) break;
      if (text.size() == 10) return TermView::literal(text, rdf::kXsdDate);
      if (text[10] != ' ' && text[10] != 'T') break;
      if (const auto time = time_of(text.substr(11))) {
        column.text = fmt::format("{}T{}", text.substr(0, 10), *time);
        return rewritten(column, text, rdf::kXsdDateTime);
      }
      break;
    case ShapeKind::Time:
      if (auto time = time_of(text)) {
        column.text = *std::move(time);
        return rewritten(column, text, rdf::kXsdTime);
      }
      break;
    case ShapeKind::Boolean:  // TRUE in a statement is 1, and not a text
      break;
    case ShapeKind::Decimal:
      if (is_decimal(text)) return TermView::literal(text, rdf::kXsdDecimal);
      break;
    case ShapeKind::Json:
      if (parse_json(text)) return TermView::literal(text, kRdfJson);
      break;
  }
  return TermView::literal(text);
}

TermView TermMaker::bytes(std::size_t place, std::string_view bytes) {
  Column& column = columns_[place];
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  column.text.clear();
  column.text.reserve(2 * bytes.size());
  for (const char byte : bytes) {
    column.text += kDigits[static_cast<unsigned char>(byte) >> 4];
    column.text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return TermView::literal(column.text, kXsdHexBinary);
}

sqlite::Value parameter_of(const SqlValue& value, std::string& kept) {
  if (!value) return std::monostate();
  if (is_whole_number(*value)) {
    if (const auto number = number_of<std::int64_t>(value->value)) return *number;
    // A longer one stays a text: columns of numbers read it as one, columns of texts have it so.
  }
  if (is_xsd(*value, "boolean")) {
    return std::int64_t{value->value == "true" || value->value == "1" ? 1 : 0};
  }
  if (is_xsd(*value, "decimal") || is_xsd(*value, "double") || is_xsd(*value, "float")) {
    if (value->value == "INF") return HUGE_VAL;
    if (value->value == "-INF") return -HUGE_VAL;
    if (const auto number = number_of<double>(value->value)) return *number;
  }
  if (is_xsd(*value, "hexBinary")) {
    if (auto bytes = bytes_of(value->value)) {
      kept = *std::move(bytes);
      return sqlite::Blob{kept};
    }
  }
  kept = value->value;
  // As SQLite's own functions write it.
  if (is_xsd(*value, "dateTime") && kept.size() > 10 && kept[10] == 'T') kept[10] = ' ';
  return std::string_view(kept);
}

}  // namespace helve::sql
