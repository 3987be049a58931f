// RequestStates: what a stateless client carries from one call to the next, sealed so that nobody
// but this server can have made it, for one caller, one call and a short time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/env.h"
#include "base/result.h"

namespace helve::mcp {

// What a sealed state holds for.
struct StateScope {
  std::string principal;  // who called
  std::string call;       // method, name and arguments, or a digest of them
};

// Thread-safe.
class RequestStates {
 public:
  // An empty key becomes a random one.
  RequestStates(std::string key, Duration valid_for, Env& env);

  std::string seal(const StateScope& scope, std::string_view state) const;
  // Denied when it was changed, is for another caller or call, or is too old.
  Result<std::string> open(const StateScope& scope, std::string_view sealed) const;

 private:
  std::string signature(const StateScope& scope, std::string_view body) const;

  std::string key_;
  Duration valid_for_;
  Env& env_;
};

}  // namespace helve::mcp
