// Encoding of small values. Every encoder reads a spelling strictly, so that decoding gives back
// exactly the characters that were read.
#include "sources/rdf/inline_value.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>

#include "base/ascii.h"
#include "sources/rdf/vocabulary.h"

namespace helve::rdf {

namespace {

constexpr std::int64_t kHalf = std::int64_t{1} << 59;  // signed payloads are shifted by this
constexpr std::int64_t kDecimalUnit = 100'000'000;     // 10^kDecimalScale
constexpr std::int64_t kMinutesPerDay = 1'440;
constexpr std::int64_t kZoneShift = 1'024;  // zones are +-840 minutes, stored above zero

Id signed_id(Tag tag, std::int64_t value) {
  return {tag, static_cast<std::uint64_t>(value + kHalf)};
}
std::int64_t signed_value(Id id) { return static_cast<std::int64_t>(id.payload()) - kHalf; }

// Digits without sign and without needless zeros; at most 18 of them.
std::optional<std::int64_t> read_digits(std::string_view text) {
  if (text.empty() || text.size() > 18 || (text[0] == '0' && text.size() > 1)) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (!is_digit(c)) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

std::optional<Id> encode_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  const auto magnitude = read_digits(text.substr(negative ? 1 : 0));
  if (!magnitude || *magnitude >= kHalf || (negative && *magnitude == 0)) return std::nullopt;
  return signed_id(Tag::Integer, negative ? -*magnitude : *magnitude);
}

std::optional<Id> encode_decimal(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return std::nullopt;
  const std::string_view fraction = text.substr(point + 1);
  const auto whole = read_digits(text.substr(0, point));
  if (!whole || *whole >= kHalf / kDecimalUnit || fraction.empty() ||
      fraction.size() > kDecimalScale || (fraction.size() > 1 && fraction.back() == '0')) {
    return std::nullopt;
  }
  std::int64_t scaled = 0;
  for (std::size_t i = 0; i < kDecimalScale; ++i) {
    const char digit = i < fraction.size() ? fraction[i] : '0';
    if (!is_digit(digit)) return std::nullopt;
    scaled = scaled * 10 + (digit - '0');
  }
  scaled += *whole * kDecimalUnit;
  if (negative && scaled == 0) return std::nullopt;
  return signed_id(Tag::Decimal, negative ? -scaled : scaled);
}

void append_decimal(std::string& out, std::int64_t scaled) {
  if (scaled < 0) out += '-';
  const std::int64_t magnitude = scaled < 0 ? -scaled : scaled;
  fmt::format_to(std::back_inserter(out), "{}.{:08}", magnitude / kDecimalUnit,
                 magnitude % kDecimalUnit);
  while (out.back() == '0' && out[out.size() - 2] != '.') out.pop_back();
}

// The XSD canonical form, "1.5E0": one digit before the point, at least one behind it.
void append_double(std::string& out, double value) {
  char buffer[40];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<std::size_t>(end.ptr - buffer));
  const std::size_t e = text.find('e');
  const std::string_view mantissa = text.substr(0, e);
  out += mantissa;
  if (mantissa.find('.') == std::string_view::npos) out += ".0";
  int exponent = 0;
  const char* first = text.data() + e + 1;
  if (*first == '+') ++first;
  std::from_chars(first, end.ptr, exponent);
  fmt::format_to(std::back_inserter(out), "E{}", exponent);
}

// Payload of a positive double: 7 bits of exponent, 1 to 127 for 2^-63 to 2^63, then the mantissa.
// Zero has payload 0; negative values mirror below the middle.
constexpr int kMantissaBits = 52;
constexpr int kExponentShift = 1'023 - 64;

std::optional<Id> double_id(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(std::fabs(value));
  std::uint64_t magnitude = 0;
  if (value != 0) {  // NaN too, whose exponent is too large
    const int exponent = static_cast<int>(bits >> kMantissaBits) - kExponentShift;
    if (exponent < 1 || exponent > 127) return std::nullopt;
    magnitude = bits - (static_cast<std::uint64_t>(kExponentShift) << kMantissaBits);
  } else if (std::signbit(value)) {
    return std::nullopt;
  }
  const auto offset = static_cast<std::int64_t>(magnitude);
  return signed_id(Tag::Double, std::signbit(value) ? -offset : offset);
}

std::optional<Id> encode_double(std::string_view text) {
  if (text.size() < 5 || text.size() > 25 || text.find('E') == std::string_view::npos) {
    return std::nullopt;
  }
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  std::string canonical;
  append_double(canonical, value);
  if (canonical != text) return std::nullopt;
  return double_id(value);
}

double decode_double(Id id) {
  const std::int64_t offset = signed_value(id);
  if (offset == 0) return 0;
  const auto magnitude = static_cast<std::uint64_t>(offset < 0 ? -offset : offset);
  const double value = std::bit_cast<double>(
      magnitude + (static_cast<std::uint64_t>(kExponentShift) << kMantissaBits));
  return offset < 0 ? -value : value;
}

// Days since 0000-03-01 of the proleptic Gregorian calendar, from 1970: negative before.
// https://howardhinnant.github.io/date_algorithms.html
constexpr std::int64_t days_from_civil(std::int64_t year, unsigned month, unsigned day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const auto year_of_era = static_cast<unsigned>(year - era * 400);
  const unsigned day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const unsigned day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + static_cast<std::int64_t>(day_of_era) - 719'468;
}

struct Civil {
  std::int64_t year;
  unsigned month;
  unsigned day;
};

constexpr Civil civil_from_days(std::int64_t days) {
  days += 719'468;
  const std::int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
  const auto day_of_era = static_cast<unsigned>(days - era * 146'097);
  const unsigned year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const unsigned day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const unsigned month_index = (5 * day_of_year + 2) / 153;
  const unsigned day = day_of_year - (153 * month_index + 2) / 5 + 1;
  const unsigned month = month_index < 10 ? month_index + 3 : month_index - 9;
  return {static_cast<std::int64_t>(year_of_era) + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

// Reads exactly `count` digits at `at`; -1 when they are not there.
int digits_at(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return -1;
  int value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (!is_digit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

// "YYYY-MM-DD" at the start of the text.
std::optional<std::int64_t> read_inline_date(std::string_view text) {
  const int year = digits_at(text, 0, 4);
  const int month = digits_at(text, 5, 2);
  const int day = digits_at(text, 8, 2);
  if (year < 0 || month < 1 || month > 12 || day < 1 || text[4] != '-' || text[7] != '-') {
    return std::nullopt;
  }
  constexpr int kLengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  if (day > kLengths[month - 1] + (month == 2 && leap ? 1 : 0)) return std::nullopt;
  return days_from_civil(year, static_cast<unsigned>(month), static_cast<unsigned>(day));
}

void append_date(std::string& out, std::int64_t days) {
  const Civil civil = civil_from_days(days);
  fmt::format_to(std::back_inserter(out), "{:04}-{:02}-{:02}", civil.year, civil.month, civil.day);
}

std::optional<Id> encode_date(std::string_view text) {
  const auto days = text.size() == 10 ? read_inline_date(text) : std::nullopt;
  if (!days) return std::nullopt;
  return signed_id(Tag::Date, *days);
}

// A zone in minutes: "Z", "+hh:mm", "-hh:mm"; "+00:00" is another spelling of Z and not taken.
std::optional<int> read_zone(std::string_view text) {
  if (text == "Z") return 0;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
  const int hours = digits_at(text, 1, 2);
  const int minutes = digits_at(text, 4, 2);
  const int zone = hours * 60 + minutes;
  if (hours < 0 || minutes < 0 || minutes > 59 || zone == 0 || zone > 840) return std::nullopt;
  return text[0] == '-' ? -zone : zone;
}

// Reads ".123" in units of 10^-digits_max seconds; no needless zeros. Moves `at` behind it.
std::optional<std::int64_t> read_fraction(std::string_view text, std::size_t& at,
                                          std::size_t digits_max) {
  if (at >= text.size() || text[at] != '.') return 0;
  const std::size_t start = ++at;
  while (at < text.size() && is_digit(text[at])) ++at;
  const std::size_t digits = at - start;
  if (digits == 0 || digits > digits_max || text[at - 1] == '0') return std::nullopt;
  std::int64_t value = digits_at(text, start, digits);
  for (std::size_t i = digits; i < digits_max; ++i) value *= 10;
  return value;
}

std::optional<Id> encode_date_time(std::string_view text) {
  if (text.size() < 19 || text[10] != 'T' || text[13] != ':' || text[16] != ':')
    return std::nullopt;
  const auto days = read_inline_date(text);
  const int hour = digits_at(text, 11, 2);
  const int minute = digits_at(text, 14, 2);
  const int second = digits_at(text, 17, 2);
  if (!days || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) {
    return std::nullopt;
  }
  const std::int64_t seconds = ((*days * 24 + hour) * 60 + minute) * 60 + second;
  std::size_t at = 19;
  const bool zoned = text.find_first_of("Z+-", at) != std::string_view::npos;
  const auto fraction = read_fraction(text, at, zoned ? 3 : 6);
  if (!fraction) return std::nullopt;
  if (!zoned) {
    if (at != text.size()) return std::nullopt;
    return signed_id(Tag::DateTime, seconds * 1'000'000 + *fraction);
  }
  const auto zone = read_zone(text.substr(at));
  if (!zone) return std::nullopt;
  const std::int64_t instant = (seconds - std::int64_t{*zone} * 60) * 1'000 + *fraction;
  return signed_id(Tag::DateTimeZoned, instant * (1 << kZoneBits) + *zone + kZoneShift);
}

std::int64_t floor_divide_int64(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

// `units` per second, `digits` of them behind the point.
void append_date_time(std::string& out, std::int64_t value, std::int64_t units, int digits) {
  const std::int64_t all_seconds = floor_divide_int64(value, units);
  const std::int64_t fraction = value - all_seconds * units;
  const std::int64_t days = floor_divide_int64(all_seconds, kMinutesPerDay * 60);
  const std::int64_t seconds = all_seconds - days * kMinutesPerDay * 60;
  append_date(out, days);
  fmt::format_to(std::back_inserter(out), "T{:02}:{:02}:{:02}", seconds / 3'600, seconds / 60 % 60,
                 seconds % 60);
  if (fraction == 0) return;
  fmt::format_to(std::back_inserter(out), ".{:0{}}", fraction, digits);
  while (out.back() == '0') out.pop_back();
}

void append_zoned(std::string& out, std::int64_t value) {
  const std::int64_t instant = value >> kZoneBits;
  const std::int64_t zone = (value & ((1 << kZoneBits) - 1)) - kZoneShift;
  append_date_time(out, instant + zone * 60'000, 1'000, 3);
  if (zone == 0) {
    out += 'Z';
    return;
  }
  const std::int64_t magnitude = zone < 0 ? -zone : zone;
  fmt::format_to(std::back_inserter(out), "{}{:02}:{:02}", zone < 0 ? '-' : '+', magnitude / 60,
                 magnitude % 60);
}

constexpr std::int64_t kAttosecondsPerMilli = kAttosecondsPerSecond / 1'000;
constexpr std::int64_t kAttosecondsPerMicro = kAttosecondsPerSecond / 1'000'000;

std::optional<Id> integer_id(const Integer& value) {
  const auto small = value.to_int64();
  if (!small || *small >= kHalf || *small <= -kHalf) return std::nullopt;
  return signed_id(Tag::Integer, *small);
}

std::optional<Id> decimal_id(const Decimal& value) {
  const auto unscaled = value.unscaled().to_int64();
  if (!unscaled || value.scale() > kDecimalScale) return std::nullopt;
  std::int64_t scaled = *unscaled;
  for (std::size_t i = value.scale(); i < kDecimalScale; ++i) {
    if (scaled >= kHalf / 10 || scaled <= -kHalf / 10) return std::nullopt;
    scaled *= 10;
  }
  // The same bound as for texts, which looks at the whole part.
  const std::int64_t whole = scaled / kDecimalUnit;
  if (whole >= kHalf / kDecimalUnit || whole <= -(kHalf / kDecimalUnit)) return std::nullopt;
  return signed_id(Tag::Decimal, scaled);
}

std::optional<Id> date_id(const XsdDateTime& value) {
  if (value.timezone || value.year < 0 || value.year > 9'999) return std::nullopt;
  return signed_id(Tag::Date, days_from_civil(value.year, value.month, value.day));
}

std::optional<Id> date_time_id(const XsdDateTime& value) {
  if (value.year < 0 || value.year > 9'999) return std::nullopt;
  const std::int64_t days = days_from_civil(value.year, value.month, value.day);
  const std::int64_t seconds = ((days * 24 + value.hour) * 60 + value.minute) * 60 + value.second;
  if (!value.timezone) {
    if (value.attoseconds % kAttosecondsPerMicro != 0) return std::nullopt;
    return signed_id(Tag::DateTime, seconds * 1'000'000 + value.attoseconds / kAttosecondsPerMicro);
  }
  if (value.attoseconds % kAttosecondsPerMilli != 0) return std::nullopt;
  const std::int64_t zone = *value.timezone;
  const std::int64_t instant =
      (seconds - zone * 60) * 1'000 + value.attoseconds / kAttosecondsPerMilli;
  return signed_id(Tag::DateTimeZoned, instant * (1 << kZoneBits) + zone + kZoneShift);
}

XsdDateTime civil_date(std::int64_t days) {
  const Civil civil = civil_from_days(days);
  XsdDateTime value;
  value.year = civil.year;
  value.month = static_cast<std::uint8_t>(civil.month);
  value.day = static_cast<std::uint8_t>(civil.day);
  return value;
}

// `units` per second since 1970, local time.
XsdDateTime civil_date_time(std::int64_t count, std::int64_t units) {
  const std::int64_t all_seconds = floor_divide_int64(count, units);
  const std::int64_t days = floor_divide_int64(all_seconds, kMinutesPerDay * 60);
  const std::int64_t seconds = all_seconds - days * kMinutesPerDay * 60;
  XsdDateTime value = civil_date(days);
  value.hour = static_cast<std::uint8_t>(seconds / 3'600);
  value.minute = static_cast<std::uint8_t>(seconds / 60 % 60);
  value.second = static_cast<std::uint8_t>(seconds % 60);
  value.attoseconds = (count - all_seconds * units) * (kAttosecondsPerSecond / units);
  return value;
}

XsdDateTime decode_zoned(std::int64_t count) {
  const std::int64_t zone = (count & ((1 << kZoneBits) - 1)) - kZoneShift;
  XsdDateTime value = civil_date_time((count >> kZoneBits) + zone * 60'000, 1'000);
  value.timezone = static_cast<std::int16_t>(zone);
  return value;
}

std::optional<Id> encode_boolean(std::string_view text) {
  if (text == "true") return Id(Tag::Boolean, 1);
  if (text == "false") return Id(Tag::Boolean, 0);
  return std::nullopt;
}

}  // namespace

std::optional<Id> inline_literal(std::string_view lexical, std::string_view datatype) {
  if (!datatype.starts_with(kXsd)) return std::nullopt;
  const std::string_view name = datatype.substr(kXsd.size());
  if (name == "integer") return encode_integer(lexical);
  if (name == "date") return encode_date(lexical);
  if (name == "decimal") return encode_decimal(lexical);
  if (name == "double") return encode_double(lexical);
  if (name == "dateTime") return encode_date_time(lexical);
  if (name == "boolean") return encode_boolean(lexical);
  return std::nullopt;
}

void append_inlined_lexical(std::string& out, Id id) {
  switch (id.tag()) {
    case Tag::Boolean:
      out += id.payload() != 0 ? "true" : "false";
      return;
    case Tag::Integer:
      fmt::format_to(std::back_inserter(out), "{}", signed_value(id));
      return;
    case Tag::Decimal:
      append_decimal(out, signed_value(id));
      return;
    case Tag::Double:
      append_double(out, decode_double(id));
      return;
    case Tag::Date:
      append_date(out, signed_value(id));
      return;
    case Tag::DateTimeZoned:
      append_zoned(out, signed_value(id));
      return;
    case Tag::DateTime:
      append_date_time(out, signed_value(id), 1'000'000, 6);
      return;
    default:
      return;
  }
}

std::optional<Id> inline_value(const XsdValue& value) {
  switch (value.type) {
    case XsdType::Boolean:
      return Id(Tag::Boolean, value.truth() ? 1 : 0);
    case XsdType::Integer:
      return integer_id(value.whole());
    case XsdType::Decimal:
      return decimal_id(std::get<Decimal>(value.data));
    case XsdType::Double:
      return double_id(std::get<double>(value.data));
    case XsdType::Date:
      return date_id(value.moment());
    case XsdType::DateTime:
      return date_time_id(value.moment());
    default:
      return std::nullopt;
  }
}

XsdValue inlined_value(Id id) {
  switch (id.tag()) {
    case Tag::Boolean:
      return XsdValue::boolean(id.payload() != 0);
    case Tag::Decimal:
      return XsdValue::decimal(Decimal::scaled(signed_value(id), kDecimalScale));
    case Tag::Double:
      return XsdValue::real(decode_double(id));
    case Tag::Date:
      return {XsdType::Date, civil_date(signed_value(id))};
    case Tag::DateTimeZoned:
      return {XsdType::DateTime, decode_zoned(signed_value(id))};
    case Tag::DateTime:
      return {XsdType::DateTime, civil_date_time(signed_value(id), 1'000'000)};
    default:
      return XsdValue::integer(signed_value(id));
  }
}

std::string_view inlined_datatype(Tag tag) {
  switch (tag) {
    case Tag::Boolean:
      return kXsdBoolean;
    case Tag::Integer:
      return kXsdInteger;
    case Tag::Decimal:
      return kXsdDecimal;
    case Tag::Double:
      return kXsdDouble;
    case Tag::Date:
      return kXsdDate;
    case Tag::DateTimeZoned:
    case Tag::DateTime:
      return kXsdDateTime;
    default:
      return {};
  }
}

}  // namespace helve::rdf
