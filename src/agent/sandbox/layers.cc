#include "agent/sandbox/layers.h"

#include <fmt/format.h>

#include <algorithm>

namespace helve::sandbox {

std::string_view name_of(Layer layer) {
  switch (layer) {
    case Layer::Descriptors:
      return "descriptors";
    case Layer::Environment:
      return "environment";
    case Layer::User:
      return "user";
    case Layer::NoNewPrivs:
      return "no_new_privs";
    case Layer::Limits:
      return "limits";
    case Layer::Landlock:
      return "landlock";
    case Layer::SyscallFilter:
      return "seccomp";
    case Layer::Watchdog:
      return "watchdog";
  }
  return "unknown";
}

std::string_view purpose_of(Layer layer) {
  switch (layer) {
    case Layer::Descriptors:
      return "no open file of the host";
    case Layer::Environment:
      return "no variable of the host";
    case Layer::User:
      return "never root";
    case Layer::NoNewPrivs:
      return "set-user-id programs give nothing";
    case Layer::Limits:
      return "memory, CPU, files, descriptors, no core file";
    case Layer::Landlock:
      return "reads the Python tree, writes one folder";
    case Layer::SyscallFilter:
      return "no network, no processes, no programs";
    case Layer::Watchdog:
      return "ends in time and with its host";
  }
  return "";
}

bool all_hold(const LayerStates& states) {
  return states.size() == kLayerCount &&
         std::all_of(states.begin(), states.end(), [](const auto& state) { return state.holds; });
}

Error missing_layers_error(const LayerStates& states) {
  std::string missing;
  for (const LayerState& state : states) {
    if (state.holds) continue;
    missing +=
        fmt::format("{}{} ({})", missing.empty() ? "" : ", ", name_of(state.layer), state.detail);
  }
  return {ErrorCode::Denied,
          fmt::format("nothing is run: this machine does not hold the sandbox; missing: {}",
                      missing.empty() ? "all layers" : missing),
          "'helve sandbox check' tells more; --unsafe-sandbox runs the code without"};
}

}  // namespace helve::sandbox
