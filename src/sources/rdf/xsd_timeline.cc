#include "sources/rdf/xsd_timeline.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

namespace helve::rdf {

namespace {

// Seconds of all 64-bit years need some 88 bits.
__extension__ using WideSeconds = __int128;

constexpr WideSeconds kWideSecondsPerDay = 86'400;
constexpr WideSeconds kDaysPerEra = 146'097;  // 400 years

struct Instant {
  WideSeconds seconds = 0;       // local time since 0000-03-01
  std::int64_t attoseconds = 0;  // from 0 to less than a second

  friend std::strong_ordering operator<=>(const Instant& a, const Instant& b) {
    if (a.seconds != b.seconds) return a.seconds <=> b.seconds;
    return a.attoseconds <=> b.attoseconds;
  }
};

WideSeconds floor_divide(WideSeconds a, WideSeconds b) { return a / b - (a % b < 0 ? 1 : 0); }

// Days since 0000-03-01: a year that begins in March has its leap day last.
WideSeconds days_of_date(WideSeconds year, unsigned month, unsigned day) {
  if (month <= 2) --year;
  const unsigned month_index = (month + 9) % 12;
  const WideSeconds leap_days =
      floor_divide(year, 4) - floor_divide(year, 100) + floor_divide(year, 400);
  return year * 365 + leap_days + (153 * month_index + 2) / 5 + day - 1;
}

struct Date {
  WideSeconds year;
  std::uint8_t month;
  std::uint8_t day;
};

Date date_of_days(WideSeconds days) {
  const WideSeconds era = floor_divide(days, kDaysPerEra);
  const auto day_of_era = static_cast<std::int64_t>(days - era * kDaysPerEra);
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month_index = (5 * day_of_year + 2) / 153;
  const std::int64_t day = day_of_year - (153 * month_index + 2) / 5 + 1;
  const std::int64_t month = month_index < 10 ? month_index + 3 : month_index - 9;
  const WideSeconds year = era * 400 + year_of_era + (month <= 2 ? 1 : 0);
  return {year, static_cast<std::uint8_t>(month), static_cast<std::uint8_t>(day)};
}

Instant local_instant(const XsdDateTime& value) {
  const WideSeconds days = days_of_date(value.year, value.month, value.day);
  const int seconds = value.hour * 3'600 + value.minute * 60 + value.second;
  return {days * kWideSecondsPerDay + seconds, value.attoseconds};
}

Instant utc_instant(const XsdDateTime& value, std::int16_t implicit_timezone) {
  Instant instant = local_instant(value);
  instant.seconds -= WideSeconds{value.timezone.value_or(implicit_timezone)} * 60;
  return instant;
}

void shift(Instant& instant, WideSeconds seconds, std::int64_t attoseconds) {
  instant.seconds += seconds;
  instant.attoseconds += attoseconds;
  if (instant.attoseconds < 0) {
    instant.attoseconds += kAttosecondsPerSecond;
    --instant.seconds;
  } else if (instant.attoseconds >= kAttosecondsPerSecond) {
    instant.attoseconds -= kAttosecondsPerSecond;
    ++instant.seconds;
  }
}

bool is_int64(WideSeconds value) {
  return value >= std::numeric_limits<std::int64_t>::min() &&
         value <= std::numeric_limits<std::int64_t>::max();
}

std::optional<XsdDateTime> value_of_local(const Instant& instant,
                                          std::optional<std::int16_t> timezone, XsdType type) {
  const WideSeconds days = floor_divide(instant.seconds, kWideSecondsPerDay);
  const auto second_of_day = static_cast<std::int32_t>(instant.seconds - days * kWideSecondsPerDay);
  const Date date = date_of_days(days);
  if (!is_int64(date.year)) return std::nullopt;
  XsdDateTime value;
  value.year = static_cast<std::int64_t>(date.year);
  value.month = date.month;
  value.day = date.day;
  value.hour = static_cast<std::uint8_t>(second_of_day / 3'600);
  value.minute = static_cast<std::uint8_t>(second_of_day / 60 % 60);
  value.second = static_cast<std::uint8_t>(second_of_day % 60);
  value.attoseconds = instant.attoseconds;
  value.timezone = timezone;
  return reduced_to(value, type);
}

bool add_months(XsdDateTime& value, std::int64_t months) {
  if (months == 0) return true;
  const WideSeconds total = WideSeconds{value.year} * 12 + (value.month - 1) + months;
  const WideSeconds year = floor_divide(total, 12);
  if (!is_int64(year)) return false;
  value.year = static_cast<std::int64_t>(year);
  value.month = static_cast<std::uint8_t>(total - year * 12 + 1);
  value.day = std::min(value.day, days_in_month(value.year, value.month));
  return true;
}

// The dateTimes of XSD's definition: each pair of durations that can change places does so on one.
constexpr std::array<XsdDateTime, 4> kDurationReferences = {{
    {1696, 9, 1, 0, 0, 0, 0, 0},
    {1697, 2, 1, 0, 0, 0, 0, 0},
    {1903, 3, 1, 0, 0, 0, 0, 0},
    {1903, 7, 1, 0, 0, 0, 0, 0},
}};

// As an instant, not a value: durations of all 64-bit months have a place on the timeline.
Instant after(const XsdDateTime& reference, const XsdDuration& duration) {
  const WideSeconds total =
      WideSeconds{reference.year} * 12 + (reference.month - 1) + duration.months;
  const WideSeconds year = floor_divide(total, 12);
  const auto month = static_cast<unsigned>(total - year * 12 + 1);
  Instant instant{days_of_date(year, month, 1) * kWideSecondsPerDay, 0};
  shift(instant, duration.seconds, duration.attoseconds);
  return instant;
}

}  // namespace

std::strong_ordering compare_instants(const XsdDateTime& a, const XsdDateTime& b,
                                      std::int16_t implicit_timezone) {
  if (a.timezone == b.timezone) {  // nearly always; spares the calendar
    const auto parts = [](const XsdDateTime& value) {
      return std::tie(value.year, value.month, value.day, value.hour, value.minute, value.second,
                      value.attoseconds);
    };
    return parts(a) <=> parts(b);
  }
  return utc_instant(a, implicit_timezone) <=> utc_instant(b, implicit_timezone);
}

std::partial_ordering compare_instants_strictly(const XsdDateTime& a, const XsdDateTime& b) {
  if (a.timezone.has_value() == b.timezone.has_value()) return compare_instants(a, b, 0);
  const std::strong_ordering east = compare_instants(a, b, kTimezoneMax);
  const std::strong_ordering west = compare_instants(a, b, -kTimezoneMax);
  if (east == west && std::is_neq(east)) return east;
  return std::partial_ordering::unordered;
}

std::optional<XsdDuration> instant_difference(const XsdDateTime& a, const XsdDateTime& b,
                                              std::int16_t implicit_timezone) {
  Instant difference = utc_instant(a, implicit_timezone);
  const Instant subtrahend = utc_instant(b, implicit_timezone);
  shift(difference, -subtrahend.seconds, -subtrahend.attoseconds);
  // Durations carry one sign, instants count up from the second below.
  if (difference.seconds < 0 && difference.attoseconds > 0) {
    ++difference.seconds;
    difference.attoseconds -= kAttosecondsPerSecond;
  }
  if (!is_int64(difference.seconds)) return std::nullopt;
  return XsdDuration{0, static_cast<std::int64_t>(difference.seconds), difference.attoseconds};
}

std::optional<XsdDateTime> add_duration(const XsdDateTime& value, const XsdDuration& duration,
                                        XsdType type) {
  XsdDateTime moved = value;
  if (!add_months(moved, duration.months)) return std::nullopt;
  Instant instant = local_instant(moved);
  shift(instant, duration.seconds, duration.attoseconds);
  return value_of_local(instant, value.timezone, type);
}

std::optional<XsdDateTime> adjust_timezone(const XsdDateTime& value,
                                           std::optional<std::int16_t> timezone, XsdType type) {
  if (!timezone || !value.timezone) {
    XsdDateTime adjusted = value;
    adjusted.timezone = timezone;
    return adjusted;
  }
  Instant instant = utc_instant(value, 0);
  instant.seconds += WideSeconds{*timezone} * 60;
  return value_of_local(instant, timezone, type);
}

std::partial_ordering compare_durations_strictly(const XsdDuration& a, const XsdDuration& b) {
  if (a == b) return std::partial_ordering::equivalent;
  std::partial_ordering order = std::partial_ordering::equivalent;
  for (const XsdDateTime& reference : kDurationReferences) {
    const std::partial_ordering here = after(reference, a) <=> after(reference, b);
    if (std::is_eq(here) || (std::is_neq(order) && here != order))
      return std::partial_ordering::unordered;
    order = here;
  }
  return order;
}

}  // namespace helve::rdf
