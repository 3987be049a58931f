#include "sources/rdf/xsd_duration.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"

namespace helve::rdf {

namespace {

constexpr std::size_t kFractionDigits = 18;
constexpr std::int64_t kSecondsPerMinute = 60;
constexpr std::int64_t kSecondsPerHour = 3'600;
constexpr std::int64_t kSecondsPerDay = 86'400;

// total += count * unit, false on overflow.
bool accumulate(std::int64_t& total, std::int64_t count, std::int64_t unit) {
  std::int64_t product = 0;
  return !__builtin_mul_overflow(count, unit, &product) &&
         !__builtin_add_overflow(total, product, &total);
}

// What a designator counts, and its place in the order of designators.
struct Unit {
  int rank;
  bool is_months;
  std::int64_t size;
};

std::optional<Unit> unit_of(char designator, bool in_time) {
  if (!in_time) {
    if (designator == 'Y') return Unit{0, true, 12};
    if (designator == 'M') return Unit{1, true, 1};
    if (designator == 'D') return Unit{2, false, kSecondsPerDay};
    return std::nullopt;
  }
  if (designator == 'H') return Unit{3, false, kSecondsPerHour};
  if (designator == 'M') return Unit{4, false, kSecondsPerMinute};
  if (designator == 'S') return Unit{5, false, 1};
  return std::nullopt;
}

bool allows(XsdType type, const Unit& unit) {
  if (type == XsdType::YearMonthDuration) return unit.is_months;
  return type != XsdType::DayTimeDuration || !unit.is_months;
}

// Reads "12Y", "3.5S" and the like off the front of `text` into `duration`.
std::optional<Unit> read_part(std::string_view& text, bool in_time, XsdDuration& duration) {
  std::int64_t count = 0;
  const auto number = std::from_chars(text.data(), text.data() + text.size(), count);
  if (text.empty() || !is_digit(text[0]) || number.ec != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(number.ptr - text.data()));
  if (text.starts_with('.')) {
    std::size_t end = 1;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end == 1 || end == text.size() || text[end] != 'S') return std::nullopt;
    duration.attoseconds = attoseconds_of_digits(text.substr(1, end - 1));
    text.remove_prefix(end);
  }
  if (text.empty()) return std::nullopt;
  const auto unit = unit_of(text[0], in_time);
  text.remove_prefix(1);
  if (!unit) return std::nullopt;
  std::int64_t& total = unit->is_months ? duration.months : duration.seconds;
  if (!accumulate(total, count, unit->size)) return std::nullopt;
  return unit;
}

void append_count(std::string& out, std::uint64_t count, char designator) {
  if (count == 0) return;
  out += std::to_string(count);
  out += designator;
}

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value)
                   : static_cast<std::uint64_t>(value);
}

void append_time_part(std::string& out, std::uint64_t seconds, std::int64_t attoseconds) {
  append_count(out, seconds / kSecondsPerDay, 'D');
  seconds %= kSecondsPerDay;
  if (seconds == 0 && attoseconds == 0) return;
  out += 'T';
  append_count(out, seconds / kSecondsPerHour, 'H');
  append_count(out, seconds / kSecondsPerMinute % 60, 'M');
  if (seconds % 60 == 0 && attoseconds == 0) return;
  out += std::to_string(seconds % 60);
  append_fraction(out, attoseconds);
  out += 'S';
}

}  // namespace

std::int64_t attoseconds_of_digits(std::string_view digits) {
  std::int64_t value = 0;
  for (std::size_t i = 0; i < kFractionDigits; ++i) {
    value = value * 10 + (i < digits.size() ? digits[i] - '0' : 0);
  }
  return value;
}

void append_fraction(std::string& out, std::int64_t attoseconds) {
  if (attoseconds == 0) return;
  std::string digits = std::to_string(attoseconds);
  digits.insert(0, kFractionDigits - digits.size(), '0');
  while (digits.back() == '0') digits.pop_back();
  out += '.';
  out += digits;
}

std::optional<XsdDuration> parse_duration(std::string_view text, XsdType type) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (!text.starts_with('P')) return std::nullopt;
  text.remove_prefix(1);
  XsdDuration duration;
  bool in_time = false;
  int last_rank = -1;
  // At least one part, and at least one after "T".
  do {
    if (!in_time && text.starts_with('T')) {
      in_time = true;
      text.remove_prefix(1);
    }
    const auto unit = read_part(text, in_time, duration);
    if (!unit || unit->rank <= last_rank || !allows(type, *unit)) return std::nullopt;
    last_rank = unit->rank;
  } while (!text.empty());
  return negative ? negate_duration(duration) : duration;
}

std::string canonical_duration(const XsdDuration& duration, XsdType type) {
  if (duration == XsdDuration{}) return type == XsdType::YearMonthDuration ? "P0M" : "PT0S";
  const bool negative = duration.months < 0 || duration.seconds < 0 || duration.attoseconds < 0;
  std::string out = negative ? "-P" : "P";
  const std::uint64_t months = magnitude(duration.months);
  append_count(out, months / 12, 'Y');
  append_count(out, months % 12, 'M');
  const std::int64_t fraction = negative ? -duration.attoseconds : duration.attoseconds;
  append_time_part(out, magnitude(duration.seconds), fraction);
  return out;
}

std::optional<XsdDuration> add_durations(const XsdDuration& a, const XsdDuration& b) {
  XsdDuration sum;
  if (__builtin_add_overflow(a.months, b.months, &sum.months)) return std::nullopt;
  const auto seconds = duration_of_seconds(seconds_of_duration(a) + seconds_of_duration(b));
  if (!seconds) return std::nullopt;
  sum.seconds = seconds->seconds;
  sum.attoseconds = seconds->attoseconds;
  const bool any_negative = sum.months < 0 || sum.seconds < 0 || sum.attoseconds < 0;
  const bool any_positive = sum.months > 0 || sum.seconds > 0 || sum.attoseconds > 0;
  if (any_negative && any_positive) return std::nullopt;
  return sum;
}

std::optional<XsdDuration> negate_duration(const XsdDuration& duration) {
  XsdDuration negated;
  if (__builtin_sub_overflow(std::int64_t{0}, duration.months, &negated.months)) {
    return std::nullopt;
  }
  if (__builtin_sub_overflow(std::int64_t{0}, duration.seconds, &negated.seconds)) {
    return std::nullopt;
  }
  negated.attoseconds = -duration.attoseconds;
  return negated;
}

Decimal seconds_of_duration(const XsdDuration& duration) {
  return Decimal(Integer{duration.seconds}) +
         Decimal::scaled(Integer{duration.attoseconds}, kFractionDigits);
}

std::optional<XsdDuration> duration_of_seconds(const Decimal& seconds) {
  const Integer whole = seconds.rounded(Rounding::Truncate);
  const auto whole_seconds = whole.to_int64();
  if (!whole_seconds) return std::nullopt;
  const Decimal fraction = (seconds - Decimal(whole)).truncated(kFractionDigits);
  const auto attoseconds =
      fraction.unscaled().times_power_of_ten(kFractionDigits - fraction.scale()).to_int64();
  return XsdDuration{0, *whole_seconds, attoseconds.value_or(0)};
}

}  // namespace helve::rdf
