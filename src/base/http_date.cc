#include "base/http_date.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/utc.h"

namespace helve {

std::optional<WallTime> read_http_date(std::string_view text) {
  constexpr std::size_t kSize = 29;
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  if (text.size() != kSize || text.substr(3, 2) != ", " || !text.ends_with(" GMT")) {
    return std::nullopt;
  }
  const auto month = std::find(kMonths.begin(), kMonths.end(), text.substr(8, 3));
  if (month == kMonths.end()) return std::nullopt;
  return read_utc(fmt::format("{}-{:02}-{}T{}Z", text.substr(12, 4), month - kMonths.begin() + 1,
                              text.substr(5, 2), text.substr(17, 8)));
}

}  // namespace helve
