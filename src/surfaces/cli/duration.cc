#include "surfaces/cli/duration.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <utility>

namespace helve::cli {

Result<Duration> parse_duration(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 8> kUnits = {{{"", 1e9},
                                                                          {"us", 1e3},
                                                                          {"ms", 1e6},
                                                                          {"s", 1e9},
                                                                          {"sec", 1e9},
                                                                          {"m", 60e9},
                                                                          {"min", 60e9},
                                                                          {"h", 3600e9}}};
  constexpr double kNanosecondsMax = 9e18;
  const Error bad{ErrorCode::InvalidInput, fmt::format("'{}' is not a time", text),
                  "write a number with us, ms, s, min or h behind it, such as 500ms or 30s"};
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || !(number >= 0)) return bad;
  const std::string_view unit = text.substr(static_cast<std::size_t>(read.ptr - text.data()));
  for (const auto& [name, nanoseconds] : kUnits) {
    if (unit != name) continue;
    if (!(number * nanoseconds < kNanosecondsMax)) return bad;
    return Duration(static_cast<std::int64_t>(number * nanoseconds));
  }
  return bad;
}

}  // namespace helve::cli
