#include "base/http_date.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/utc.h"

namespace helve {

namespace {

constexpr auto kFiftyYears = std::chrono::hours(24 * 365 * 50 + 24 * 12);

struct DateParts {
  std::string_view day;  // two digits; the first may be a blank
  std::string_view month;
  std::string_view year;
  std::string_view time;
};

std::optional<WallTime> time_of(const DateParts& parts) {
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto month = std::find(kMonths.begin(), kMonths.end(), parts.month);
  if (month == kMonths.end()) return std::nullopt;
  const bool is_padded = parts.day.front() == ' ';
  return read_utc(fmt::format("{}-{:02}-{}{}T{}Z", parts.year, month - kMonths.begin() + 1,
                              is_padded ? "0" : "", parts.day.substr(is_padded ? 1 : 0),
                              parts.time));
}

// "06-Nov-94 08:49:37 GMT".
std::optional<WallTime> read_short_year(std::string_view text, WallTime now) {
  if (text.size() != 22 || text[2] != '-' || text[6] != '-' || text[9] != ' ') return std::nullopt;
  int century = 0;
  const std::string today = to_utc(now);
  std::from_chars(today.data(), today.data() + 2, century);
  const auto in_century = [&](int hundreds) {
    const std::string year = fmt::format("{:02}{}", hundreds, text.substr(7, 2));
    return time_of({text.substr(0, 2), text.substr(3, 3), year, text.substr(10, 8)});
  };
  const auto time = in_century(century);
  return time && *time - now > kFiftyYears ? in_century(century - 1) : time;
}

}  // namespace

std::optional<WallTime> read_http_date(std::string_view text, WallTime now) {
  constexpr std::string_view kZone = " GMT";
  if (text.size() == 29 && text.substr(3, 2) == ", " && text.ends_with(kZone)) {
    return time_of({text.substr(5, 2), text.substr(8, 3), text.substr(12, 4), text.substr(17, 8)});
  }
  const std::size_t comma = text.find(", ");
  if (comma != std::string_view::npos && text.substr(0, comma).ends_with("day") &&
      text.ends_with(kZone)) {
    return read_short_year(text.substr(comma + 2), now);
  }
  if (text.size() == 24 && text[3] == ' ' && text[7] == ' ' && text[10] == ' ' && text[19] == ' ') {
    return time_of({text.substr(8, 2), text.substr(4, 3), text.substr(20), text.substr(11, 8)});
  }
  return std::nullopt;
}

}  // namespace helve
