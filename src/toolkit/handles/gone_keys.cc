#include "toolkit/handles/gone_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/near_names.h"
#include "base/text.h"

namespace helve::toolkit {

namespace {

std::string hint_of(std::string_view key, const std::vector<std::string_view>& live) {
  constexpr std::size_t kShown = 5;
  constexpr std::size_t kCompared = 1'000;
  constexpr std::size_t kKeyBytesMax = 64;
  if (live.empty()) return "there are no handles in this session yet: make one with a query";
  std::vector<std::string_view> some(
      live.begin(), live.begin() + std::min<std::ptrdiff_t>(std::ssize(live), kCompared));
  const std::size_t digit = std::min(key.find_first_of("0123456789"), key.size());
  std::string hint;
  // Another number is another handle, not a misspelt one.
  std::erase_if(some, [&](std::string_view one) {
    return one.substr(std::min(one.find_first_of("0123456789"), one.size())) != key.substr(digit);
  });
  if (key.size() <= kKeyBytesMax) {
    const auto near = near_names(key, some, 1);
    if (!near.empty()) hint = fmt::format("did you mean {}? ", near.front());
  }
  const std::size_t shown = std::min(live.size(), kShown);
  hint +=
      fmt::format("live handles: {}",
                  fmt::join(live.begin(), live.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < live.size()) hint += fmt::format(" and {} more", live.size() - shown);
  return hint;
}

}  // namespace

void GoneKeys::add(std::string key, std::string_view why) {
  keys_.emplace_back(std::move(key), why);
  if (keys_.size() > kKeysMax) keys_.pop_front();
}

Error GoneKeys::explain(std::string_view key, const std::vector<std::string_view>& live,
                        Duration time_to_live) const {
  const std::string shown = elide_end(escape_for_terminal(key.substr(0, 200)), 80);
  const std::string hint = hint_of(key, live);
  const auto gone = std::find_if(keys_.rbegin(), keys_.rend(),
                                 [key](const auto& one) { return one.first == key; });
  if (gone == keys_.rend()) {
    return {ErrorCode::NotFound, fmt::format("there is no handle '{}'", shown), hint};
  }
  if (gone->second == kExpired) {
    return Error(ErrorCode::NotFound,
                 fmt::format("the handle '{}' has expired: it was not used for {}", shown,
                             format_duration(time_to_live)),
                 hint)
        .because(ErrorReason::Expired);
  }
  if (gone->second == kDamaged) {
    return {ErrorCode::Unavailable,
            fmt::format("the handle '{}' was damaged on disk and set aside", shown),
            "run the call again that made it; " + hint};
  }
  const std::string_view what =
      gone->second == kEvicted ? "was dropped to make room for others" : "was removed";
  return Error(ErrorCode::NotFound, fmt::format("the handle '{}' {}", shown, what), hint)
      .because(ErrorReason::Expired);
}

}  // namespace helve::toolkit
