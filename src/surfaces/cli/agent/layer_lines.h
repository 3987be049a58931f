// The layers of a sandbox in words and as JSON. Neighbours: sandbox_check.cc, block_report.cc.
#pragma once

#include <fmt/format.h>

#include <string>

#include "agent/sandbox/layers.h"
#include "surfaces/cli/json_output.h"

namespace helve::cli {

// "layers": [{name, holds, purpose, detail}].
inline void write_layers(JsonWriter& json, const sandbox::LayerStates& layers) {
  write_objects(json, "layers", layers, [&json](const sandbox::LayerState& state) {
    json.member("name", name_of(state.layer));
    json.member("holds", state.holds);
    json.member("purpose", purpose_of(state.layer));
    json.member("detail", state.detail);
  });
}

// "landlock (why), seccomp (why)"; empty: all hold.
inline std::string missing_layers(const sandbox::LayerStates& layers) {
  std::string missing;
  for (const sandbox::LayerState& state : layers) {
    if (state.holds) continue;
    missing +=
        fmt::format("{}{} ({})", missing.empty() ? "" : ", ", name_of(state.layer), state.detail);
  }
  return missing;
}

}  // namespace helve::cli
