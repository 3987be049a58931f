#include "surfaces/cli/size.h"

#include <fmt/core.h>

#include <charconv>

namespace helve::cli {

Result<std::size_t> parse_size(std::string_view text, std::size_t bytes_min) {
  const auto refusal = [&](std::string_view what) {
    return Error{ErrorCode::InvalidInput, fmt::format("'{}' is {}", text, what),
                 "write a number with K, M, G or T behind it, such as 512M; at least 1M"};
  };
  const Error bad = refusal("not a size");
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc()) return bad;
  std::string_view unit = text.substr(static_cast<std::size_t>(read.ptr - text.data()));
  double factor = 1;
  if (!unit.empty()) {
    constexpr std::string_view kUnits = "KMGT";
    const std::size_t power = kUnits.find(static_cast<char>(unit[0] & ~0x20));
    if (power == std::string_view::npos) return bad;
    for (std::size_t i = 0; i <= power; ++i) factor *= 1024;
    unit.remove_prefix(1);
    if (!unit.empty() && unit != "B" && unit != "iB") return bad;
  }
  const double bytes = number * factor;
  if (!(bytes >= 0)) return bad;
  if (bytes < static_cast<double>(bytes_min)) return refusal("too small a size");
  if (bytes >= 1e18) return refusal("too large a size");
  return static_cast<std::size_t>(bytes);
}

}  // namespace helve::cli
