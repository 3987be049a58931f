#include "sources/rdf/xsd_datetime.h"

#include <charconv>

#include "base/ascii.h"
#include "sources/rdf/xsd_duration.h"
#include "sources/rdf/xsd_timeline.h"

namespace helve::rdf {

namespace {

// Reads a text from the left; the first mismatch makes ok() false for good.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }
  bool next_is(char c) const { return rest_.starts_with(c); }

  void expect(std::string_view text) {
    if (!rest_.starts_with(text)) return fail();
    rest_.remove_prefix(text.size());
  }

  // Exactly two digits from `low` to `high`.
  std::uint8_t two_digits(int low, int high) {
    if (rest_.size() < 2 || !is_digit(rest_[0]) || !is_digit(rest_[1])) return fail(), 0;
    const int value = (rest_[0] - '0') * 10 + (rest_[1] - '0');
    if (value < low || value > high) return fail(), 0;
    rest_.remove_prefix(2);
    return static_cast<std::uint8_t>(value);
  }

  // -?([1-9][0-9]{3,}|0[0-9]{3})
  std::int64_t year() {
    const bool negative = next_is('-');
    std::size_t end = negative ? 1 : 0;
    const std::size_t begin = end;
    while (end < rest_.size() && is_digit(rest_[end])) ++end;
    if (end - begin < 4 || (end - begin > 4 && rest_[begin] == '0')) return fail(), 0;
    std::int64_t value = 0;
    if (std::from_chars(rest_.data(), rest_.data() + end, value).ec != std::errc{}) fail();
    rest_.remove_prefix(end);
    return value;
  }

  // (\.[0-9]+)?
  std::int64_t fraction() {
    if (!next_is('.')) return 0;
    std::size_t end = 1;
    while (end < rest_.size() && is_digit(rest_[end])) ++end;
    if (end == 1) return fail(), 0;
    const std::int64_t value = attoseconds_of_digits(rest_.substr(1, end - 1));
    rest_.remove_prefix(end);
    return value;
  }

  // (Z|[+-]hh:mm)?
  std::optional<std::int16_t> timezone() {
    if (at_end()) return std::nullopt;
    if (next_is('Z')) {
      expect("Z");
      return std::int16_t{0};
    }
    const bool west = next_is('-');
    expect(west ? "-" : "+");
    const int hours = two_digits(0, 14);
    expect(":");
    const int minutes = hours * 60 + two_digits(0, 59);
    if (minutes > kTimezoneMax) fail();
    return static_cast<std::int16_t>(west ? -minutes : minutes);
  }

 private:
  void fail() { ok_ = false; }

  std::string_view rest_;
  bool ok_ = true;
};

void read_date(Scanner& in, const TemporalParts& parts, XsdDateTime& value) {
  if (parts.year) {
    value.year = in.year();
    value.month = 1;
    value.day = 1;
  } else if (parts.month || parts.day) {
    in.expect("-");
    value.day = 1;
  }
  if (parts.month) {
    in.expect("-");
    value.month = in.two_digits(1, 12);
  } else if (!parts.year && parts.day) {
    in.expect("-");
  }
  if (parts.day) {
    in.expect("-");
    value.day = in.two_digits(1, 31);
  }
}

// True when the time was 24:00:00.
bool read_time(Scanner& in, XsdDateTime& value) {
  value.hour = in.two_digits(0, 24);
  in.expect(":");
  value.minute = in.two_digits(0, 59);
  in.expect(":");
  value.second = in.two_digits(0, 59);
  value.attoseconds = in.fraction();
  return value.hour == 24;
}

void append_two_digits(std::string& out, unsigned value) {
  out += static_cast<char>('0' + value / 10);
  out += static_cast<char>('0' + value % 10);
}

void append_year(std::string& out, std::int64_t year) {
  std::string digits = std::to_string(year);
  const std::size_t sign = year < 0 ? 1 : 0;
  if (digits.size() - sign < 4) digits.insert(sign, 4 - (digits.size() - sign), '0');
  out += digits;
}

void append_timezone(std::string& out, std::int16_t minutes) {
  if (minutes == 0) {
    out += 'Z';
    return;
  }
  const auto size = static_cast<unsigned>(minutes < 0 ? -minutes : minutes);
  out += minutes < 0 ? '-' : '+';
  append_two_digits(out, size / 60);
  out += ':';
  append_two_digits(out, size % 60);
}

}  // namespace

TemporalParts parts_of(XsdType type) {
  switch (type) {
    case XsdType::Date:
      return {true, true, true, false};
    case XsdType::Time:
      return {false, false, false, true};
    case XsdType::GYearMonth:
      return {true, true, false, false};
    case XsdType::GYear:
      return {true, false, false, false};
    case XsdType::GMonthDay:
      return {false, true, true, false};
    case XsdType::GMonth:
      return {false, true, false, false};
    case XsdType::GDay:
      return {false, false, true, false};
    default:
      return {true, true, true, true};
  }
}

bool is_leap_year(std::int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

std::uint8_t days_in_month(std::int64_t year, std::uint8_t month) {
  if (month == 2) return is_leap_year(year) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

std::optional<XsdDateTime> parse_datetime(std::string_view text, XsdType type) {
  const TemporalParts parts = parts_of(type);
  Scanner in(text);
  XsdDateTime value;
  bool at_midnight = false;
  read_date(in, parts, value);
  if (parts.time) {
    if (parts.day) in.expect("T");
    at_midnight = read_time(in, value);
  }
  value.timezone = in.timezone();
  if (!in.ok() || !in.at_end()) return std::nullopt;
  if (parts.day && value.day > days_in_month(value.year, value.month)) return std::nullopt;
  if (type == XsdType::DateTimeStamp && !value.timezone) return std::nullopt;
  if (!at_midnight) return value;
  if (value.minute != 0 || value.second != 0 || value.attoseconds != 0) return std::nullopt;
  value.hour = 0;
  if (!parts.day) return value;
  return add_duration(value, XsdDuration{0, 86'400, 0}, type);
}

std::string canonical_datetime(const XsdDateTime& value, XsdType type) {
  const TemporalParts parts = parts_of(type);
  std::string out;
  if (parts.year) {
    append_year(out, value.year);
  } else if (!parts.time) {
    out += '-';
  }
  if (parts.month) {
    out += '-';
    append_two_digits(out, value.month);
  } else if (!parts.year && parts.day) {
    out += '-';
  }
  if (parts.day) {
    out += '-';
    append_two_digits(out, value.day);
  }
  if (parts.time) {
    if (parts.day) out += 'T';
    append_two_digits(out, value.hour);
    out += ':';
    append_two_digits(out, value.minute);
    out += ':';
    append_two_digits(out, value.second);
    append_fraction(out, value.attoseconds);
  }
  if (value.timezone) append_timezone(out, *value.timezone);
  return out;
}

XsdDateTime reduced_to(const XsdDateTime& value, XsdType type) {
  const TemporalParts parts = parts_of(type);
  XsdDateTime reduced = value;
  const XsdDateTime fixed;
  if (!parts.year) reduced.year = fixed.year;
  if (!parts.month) reduced.month = parts.year ? std::uint8_t{1} : fixed.month;
  if (!parts.day) reduced.day = parts.year || parts.month ? std::uint8_t{1} : fixed.day;
  if (!parts.time) {
    reduced.hour = reduced.minute = reduced.second = 0;
    reduced.attoseconds = 0;
  }
  return reduced;
}

}  // namespace helve::rdf
