// The layers that hold model-written code, each applied by the kernel before the first line of it
// runs. What is said of them here was tried, not asked for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve::sandbox {

enum class Layer : std::uint8_t {
  Descriptors,    // none but those of the protocol
  Environment,    // an allow-list
  User,           // never root: another user where the host is root
  NoNewPrivs,     // set-user-id programs give nothing
  Limits,         // memory, files, descriptors, CPU, no core file
  Landlock,       // files: the Python tree to read, one work folder
  SyscallFilter,  // an allow-list: no network, no processes, no programs
  Watchdog,       // ends with its host, and is ended without hitting a stranger
};
inline constexpr std::size_t kLayerCount = 8;

std::string_view name_of(Layer layer);     // "landlock"
std::string_view purpose_of(Layer layer);  // a few words for people

struct LayerState {
  Layer layer = Layer::Descriptors;
  bool holds = false;
  std::string detail;  // "ABI 7"; or why it does not hold
};

using LayerStates = std::vector<LayerState>;  // all, in the order above

bool all_hold(const LayerStates& states);
// Denied, naming what is missing and what to do.
Error missing_layers_error(const LayerStates& states);

}  // namespace helve::sandbox
