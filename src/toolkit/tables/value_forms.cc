#include "toolkit/tables/value_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "base/ascii.h"

namespace helve::toolkit {

std::string shape_of(std::string_view text, bool has_t) {
  std::string shape;
  for (const char c : text) {
    if (c == 'T') {
      shape += has_t ? 'T' : ' ';
    } else {
      shape += is_digit(c) ? '9' : (is_letter(c) ? 'a' : c);
    }
  }
  return shape;
}

bool is_like_date(std::string_view text) {
  const std::string shape = shape_of(text);
  const auto digits = std::count(shape.begin(), shape.end(), '9');
  const auto marks = std::count_if(shape.begin(), shape.end(),
                                   [](char c) { return c == '-' || c == '/' || c == '.'; });
  return digits >= 4 && digits <= 20 && marks >= 1 && marks <= 4 && text.size() <= 40 &&
         (digits >= 6 || shape.find('a') != std::string::npos);
}

std::string day_after(std::string_view day) {
  if (shape_of(day) != "9999-99-99") return {};
  const auto number = [&](std::size_t begin, std::size_t count) {
    int value = 0;
    std::from_chars(day.data() + begin, day.data() + begin + count, value);
    return value;
  };
  const std::chrono::year_month_day date{std::chrono::year(number(0, 4)),
                                         std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                         std::chrono::day(static_cast<unsigned>(number(8, 2)))};
  if (!date.ok()) return {};
  const std::chrono::year_month_day next(std::chrono::sys_days(date) + std::chrono::days(1));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(next.year()),
                     static_cast<unsigned>(next.month()), static_cast<unsigned>(next.day()));
}

std::optional<bool> truth_in(std::string_view text) {
  for (const std::string_view word : {"true", "t", "yes", "y"}) {
    if (is_same_in_any_case(text, word)) return true;
  }
  for (const std::string_view word : {"false", "f", "no", "n"}) {
    if (is_same_in_any_case(text, word)) return false;
  }
  return std::nullopt;
}

}  // namespace helve::toolkit
