#include "base/utc.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <charconv>

#include "base/ascii.h"

namespace helve {

std::string to_utc(WallTime time) {
  return fmt::format("{:%FT%TZ}",
                     fmt::gmtime(std::chrono::time_point_cast<std::chrono::seconds>(time)));
}

std::optional<WallTime> read_utc(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
  if (text.size() != kForm.size()) return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] == '0' ? !is_digit(text[i]) : text[i] != kForm[i]) return std::nullopt;
  }
  const auto number = [text](std::size_t at, std::size_t count) {
    int value = 0;
    std::from_chars(text.data() + at, text.data() + at + count, value);
    return value;
  };
  const std::chrono::year_month_day date{std::chrono::year(number(0, 4)),
                                         std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                         std::chrono::day(static_cast<unsigned>(number(8, 2)))};
  // What nanoseconds in 64 bits can say.
  constexpr int kYearMin = 1'700;
  constexpr int kYearMax = 2'261;
  if (number(0, 4) < kYearMin || number(0, 4) > kYearMax) return std::nullopt;
  if (!date.ok() || number(11, 2) > 23 || number(14, 2) > 59 || number(17, 2) > 59) {
    return std::nullopt;
  }
  return std::chrono::sys_days(date) + std::chrono::hours(number(11, 2)) +
         std::chrono::minutes(number(14, 2)) + std::chrono::seconds(number(17, 2));
}

}  // namespace helve
