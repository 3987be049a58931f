#include "toolkit/handles/gone_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace helve::toolkit {

void GoneKeys::add(std::string key, std::string_view why) {
  keys_.emplace_back(std::move(key), why);
  if (keys_.size() > kKeysMax) keys_.pop_front();
}

Error GoneKeys::explain(std::string_view key, const std::vector<std::string>& live,
                        Duration time_to_live) const {
  const std::string shown = elide_end(escape_for_terminal(key.substr(0, 200)), 80);
  const std::string hint = live.empty()
                               ? "there are no handles in this session yet: make one with a query"
                               : fmt::format("live handles: {}", fmt::join(live, ", "));
  const auto gone = std::find_if(keys_.rbegin(), keys_.rend(),
                                 [key](const auto& one) { return one.first == key; });
  if (gone == keys_.rend()) {
    return {ErrorCode::NotFound, fmt::format("there is no handle '{}'", shown), hint};
  }
  if (gone->second == kExpired) {
    return {ErrorCode::NotFound,
            fmt::format("the handle '{}' has expired: it was not used for {}", shown,
                        format_duration(time_to_live)),
            hint};
  }
  if (gone->second == kDamaged) {
    return {ErrorCode::Unavailable,
            fmt::format("the handle '{}' was damaged on disk and set aside", shown),
            "run the call again that made it; " + hint};
  }
  const std::string_view what =
      gone->second == kEvicted ? "was dropped to make room for others" : "was removed";
  return {ErrorCode::NotFound, fmt::format("the handle '{}' {}", shown, what), hint};
}

}  // namespace helve::toolkit
