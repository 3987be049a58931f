#include "toolkit/guard/words.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace helve::toolkit {

std::string count_words(double rows) {
  constexpr double kMost = 1e18;
  if (rows >= kMost) return "more than 10^18";
  return format_count(static_cast<std::uint64_t>(std::llround(rows)));
}

std::string time_words(double seconds) {
  struct Unit {
    double seconds;
    const char* name;
  };
  constexpr double kMinute = 60;
  constexpr double kHour = 3'600;
  constexpr double kDay = 86'400;
  constexpr double kYear = 365 * kDay;
  if (seconds >= 100 * kYear) return "centuries";
  Unit unit{1, "s"};
  for (const Unit& larger :
       {Unit{kMinute, "min"}, Unit{kHour, "hours"}, Unit{kDay, "days"}, Unit{kYear, "years"}}) {
    if (seconds >= 2 * larger.seconds) unit = larger;
  }
  const double amount = seconds / unit.seconds;
  return amount < 10 ? fmt::format("{:.1f} {}", amount, unit.name)
                     : fmt::format("{:.0f} {}", amount, unit.name);
}

std::string cost_words(double nanoseconds) {
  constexpr double kSecond = 1e9;
  constexpr double kMinute = 60 * kSecond;
  if (nanoseconds >= kMinute) return time_words(nanoseconds / kSecond);
  return format_duration(Duration(static_cast<std::int64_t>(std::max(nanoseconds, 0.0))));
}

std::string minute_words(WallTime time) {
  return fmt::format("{:%F %H:%M} UTC",
                     fmt::gmtime(std::chrono::time_point_cast<std::chrono::seconds>(time)));
}

std::string age_words(Duration age) {
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(age).count();
  if (minutes < 1) return "just now";
  constexpr std::int64_t kHour = 60;
  constexpr std::int64_t kDay = 24 * kHour;
  const auto ago = [](std::int64_t n, const char* unit) {
    return fmt::format("{} {}{} ago", n, unit, n == 1 ? "" : "s");
  };
  if (minutes < kHour) return ago(minutes, "minute");
  if (minutes < 2 * kDay) return ago(minutes / kHour, "hour");
  return ago(minutes / kDay, "day");
}

}  // namespace helve::toolkit
