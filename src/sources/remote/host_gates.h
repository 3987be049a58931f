// HostGates: how many requests go to a host at once, and how soon after one another, whoever sends
// them. What a server says about waiting is remembered here.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/op_context.h"
#include "base/result.h"

namespace helve::remote {

struct HostLimits {
  std::size_t requests_at_once = 4;
  Duration pause{0};  // from the start of one request to the start of the next
};

// Thread-safe.
class HostGates {
 public:
  explicit HostGates(Clock& clock) : clock_(clock) {}

  // Gives its place back when it goes.
  class Permit {
   public:
    Permit() = default;
    Permit(HostGates& gates, std::string host) : gates_(&gates), host_(std::move(host)) {}
    Permit(Permit&& other) noexcept
        : gates_(std::exchange(other.gates_, nullptr)), host_(std::move(other.host_)) {}
    Permit& operator=(Permit&& other) noexcept {
      std::swap(gates_, other.gates_);
      std::swap(host_, other.host_);
      return *this;
    }
    ~Permit() {
      if (gates_ != nullptr) gates_->leave(host_);
    }

   private:
    HostGates* gates_ = nullptr;
    std::string host_;
  };

  // Waits for a place. Unavailable at once where the server's own time to wait is longer than the
  // deadline, and when there is no place until then.
  Result<Permit> enter(const std::string& host, const HostLimits& limits, const OpContext& context);
  // Nobody asks this host before then.
  void close_for(const std::string& host, Duration time);

 private:
  struct Gate {
    std::size_t inside = 0;
    MonotonicTime opens{};  // no request before
  };

  void leave(const std::string& host);

  Clock& clock_;
  std::mutex mutex_;
  std::map<std::string, Gate, std::less<>> gates_;  // of hosts that were asked: as many as sources
};

}  // namespace helve::remote
