#include "toolkit/learning/utility.h"

#include <algorithm>
#include <cmath>

namespace helve::learning {

double use_of(const memory::Counters& counters) {
  const auto helped = static_cast<double>(counters.helped);
  const auto hurt = static_cast<double>(counters.hurt);
  return (helped - hurt) / (helped + hurt + 2);
}

double utility_of(const memory::Item& item, WallTime now) {
  constexpr double kShare = 0.5;
  constexpr double kRetrievedHalf = 10;
  constexpr std::chrono::duration<double> kHalfLife = std::chrono::hours(24 * 180);
  const auto retrieved = static_cast<double>(item.counters.retrieved);
  const WallTime last = std::max(item.created_at, item.last_used_at.value_or(item.created_at));
  const std::chrono::duration<double> age = std::max(now - last, WallTime::duration::zero());
  return use_of(item.counters) + kShare * retrieved / (retrieved + kRetrievedHalf) -
         kShare * (1 - std::exp2(-age / kHalfLife));
}

}  // namespace helve::learning
