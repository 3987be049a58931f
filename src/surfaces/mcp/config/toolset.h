// Toolset: how many of the tools are listed. Any can be called by its name, whether listed or not.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace helve::mcp {

enum class Toolset : std::uint8_t { Minimal, Standard, All };
inline constexpr std::array<std::string_view, 3> kToolsets = {"minimal", "standard", "all"};

inline std::string_view name_of(Toolset toolset) {
  return kToolsets.at(static_cast<std::size_t>(toolset));
}

inline std::optional<Toolset> find_toolset(std::string_view name) {
  const auto* const found = std::find(kToolsets.begin(), kToolsets.end(), name);
  if (found == kToolsets.end()) return std::nullopt;
  return static_cast<Toolset>(found - kToolsets.begin());
}

}  // namespace helve::mcp
