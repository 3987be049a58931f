#include "sources/sql/mysql/parameters.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <string_view>

#include "base/ascii.h"
#include "sources/rdf/vocabulary.h"
#include "sources/rdf/xsd_type.h"
#include "sources/sql/mysql/client_library.h"

namespace helve::sql::mysql {

namespace {

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end;
}

bool read_hex(std::string_view text, std::string& bytes) {
  if (text.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_value(text[i]);
    const int low = hex_value(text[i + 1]);
    if (high < 0 || low < 0) return false;
    bytes += static_cast<char>(high * 16 + low);
  }
  return true;
}

bool read_digits(std::string_view text, std::size_t at, std::size_t count, int& number) {
  return text.size() >= at + count && read_number(text.substr(at, count), number);
}

bool is_whole_number(std::string_view datatype) {
  const auto type = rdf::xsd_type_of_iri(datatype);
  return type && rdf::is_integer_type(*type);
}

}  // namespace

std::string date_time_text(std::string_view lexical) {
  constexpr std::size_t kDate = 10;
  constexpr std::size_t kSeconds = 19;
  const bool has_shape = lexical.size() >= kSeconds && lexical[4] == '-' && lexical[kDate] == 'T';
  if (!has_shape) return std::string(lexical);
  std::size_t end = kSeconds;
  while (end < lexical.size() && (lexical[end] == '.' || is_digit(lexical[end]))) ++end;
  const std::string_view fraction = lexical.substr(kSeconds, end - kSeconds);
  const std::string_view zone = lexical.substr(end);
  std::string local(lexical.substr(0, end));
  local[kDate] = ' ';
  if (zone.empty() || zone == "Z") return local;
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, zone_hour = 0,
      zone_minute = 0;
  const bool is_read = read_digits(lexical, 0, 4, year) && read_digits(lexical, 5, 2, month) &&
                       read_digits(lexical, 8, 2, day) && read_digits(lexical, 11, 2, hour) &&
                       read_digits(lexical, 14, 2, minute) && read_digits(lexical, 17, 2, second) &&
                       zone.size() == 6 && zone[3] == ':' && read_digits(zone, 1, 2, zone_hour) &&
                       read_digits(zone, 4, 2, zone_minute);
  if (!is_read) return std::string(lexical);
  using namespace std::chrono;
  const int offset = (zone_hour * 60 + zone_minute) * (zone.front() == '-' ? -1 : 1);
  const sys_days date =
      year_month_day{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                     std::chrono::day(static_cast<unsigned>(day))};
  const auto moment = date + hours(hour) + minutes(minute - offset) + seconds(second);
  const auto utc_day = floor<days>(moment);
  const year_month_day utc(utc_day);
  const hh_mm_ss time(moment - utc_day);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}{}", static_cast<int>(utc.year()),
                     static_cast<unsigned>(utc.month()), static_cast<unsigned>(utc.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count(),
                     fraction);
}

Parameters::Parameters(const std::vector<SqlValue>& values)
    : values_(values.size()), binds_(values.size()) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    binds_[i] = {};
    if (values[i]) {
      set(*values[i], values_[i], binds_[i]);
    } else {
      binds_[i].buffer_type = MYSQL_TYPE_NULL;
    }
  }
}

void Parameters::set(const rdf::Term& term, Value& value, MYSQL_BIND& bind) {
  const auto set_integer = [&](bool is_unsigned) {
    bind.buffer_type = MYSQL_TYPE_LONGLONG;
    bind.is_unsigned = is_unsigned ? 1 : 0;
    bind.buffer = &value.integer;
  };
  bind.buffer_type = MYSQL_TYPE_STRING;
  value.text = term.value;
  const std::string_view datatype = term.datatype;
  if (is_whole_number(datatype)) {
    std::uint64_t large = 0;
    if (read_number(term.value, value.integer)) return set_integer(false);
    if (read_number(term.value, large)) {
      value.integer = static_cast<std::int64_t>(large);
      return set_integer(true);
    }
    bind.buffer_type = MYSQL_TYPE_NEWDECIMAL;
  } else if (datatype == rdf::kXsdBoolean) {
    value.integer = term.value == "true" || term.value == "1" ? 1 : 0;
    return set_integer(false);
  } else if (datatype == rdf::kXsdDecimal) {
    bind.buffer_type = MYSQL_TYPE_NEWDECIMAL;
  } else if (datatype == rdf::kXsdDouble || datatype == rdf::kXsdFloat) {
    if (read_number(term.value, value.real)) {
      bind.buffer_type = MYSQL_TYPE_DOUBLE;
      bind.buffer = &value.real;
      return;
    }
  } else if (datatype == rdf::kXsdDateTime) {
    value.text = date_time_text(term.value);
  } else if (datatype.ends_with("#hexBinary")) {
    std::string bytes;
    if (read_hex(term.value, bytes)) {
      value.text = std::move(bytes);
      bind.buffer_type = MYSQL_TYPE_BLOB;
    }
  }
  value.length = value.text.size();
  bind.buffer = value.text.data();
  bind.buffer_length = value.text.size();
  bind.length = &value.length;
}

bool Parameters::bind(MYSQL_STMT* statement) {
  return binds_.empty() || client().stmt_bind_param(statement, binds_.data()) == 0;
}

}  // namespace helve::sql::mysql
