#include "sources/remote/host_gates.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace helve::remote {

namespace {

constexpr Duration kSlice = std::chrono::milliseconds(10);

}  // namespace

Result<HostGates::Permit> HostGates::enter(const std::string& host, const HostLimits& limits,
                                           const OpContext& context) {
  for (bool has_waited = false;; has_waited = true) {
    if (auto goes_on = context.check(); !goes_on) {
      if (!has_waited || goes_on.error().code != ErrorCode::LimitExceeded) return goes_on.error();
      return Error{ErrorCode::Unavailable,
                   fmt::format("{} requests to {} are under way already, and none ended in time",
                               limits.requests_at_once, host),
                   "ask again when they have ended"};
    }
    Duration wait = kSlice;
    {
      const std::lock_guard lock(mutex_);
      Gate& gate = gates_[host];
      const MonotonicTime now = clock_.now();
      const bool is_open = now >= gate.opens;
      if (is_open && gate.inside < limits.requests_at_once) {
        ++gate.inside;
        gate.opens = now + limits.pause;
        return Permit(*this, host);
      }
      if (!is_open) {
        wait = std::min<Duration>(gate.opens - now, kSlice);
        if (gate.opens - now > context.deadline.remaining()) {
          return Error{
              ErrorCode::Unavailable,
              fmt::format("{} has said to wait, {} more", host, format_duration(gate.opens - now)),
              "ask again then"};
        }
      }
    }
    clock_.sleep_for(wait);
  }
}

void HostGates::close_for(const std::string& host, Duration time) {
  const std::lock_guard lock(mutex_);
  Gate& gate = gates_[host];
  gate.opens = std::max(gate.opens, clock_.now() + time);
}

void HostGates::leave(const std::string& host) {
  const std::lock_guard lock(mutex_);
  --gates_[host].inside;
}

}  // namespace helve::remote
