// GoneKeys: what became of handles that are no more, so that an error can say it.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace helve::toolkit {

inline constexpr std::string_view kExpired = "expired";
inline constexpr std::string_view kEvicted = "evicted";  // to make room
inline constexpr std::string_view kRemoved = "removed";
inline constexpr std::string_view kDamaged = "damaged";

// Remembers the last kKeysMax of them. Not thread-safe.
class GoneKeys {
 public:
  static constexpr std::size_t kKeysMax = 1'000;

  void add(std::string key, std::string_view why);
  const std::deque<std::pair<std::string, std::string>>& keys() const { return keys_; }

  // The error for who asks for a key that is not there: unknown, or gone and why; the hint names
  // the nearest of the keys that live, and the first of them.
  Error explain(std::string_view key, const std::vector<std::string_view>& live,
                Duration time_to_live) const;

 private:
  std::deque<std::pair<std::string, std::string>> keys_;
};

}  // namespace helve::toolkit
