// Paths that the HTTP server answers on: two of its own, and one for the protocol, which is chosen.
#pragma once

#include <string_view>

namespace helve::mcp {

inline constexpr std::string_view kHealthPath = "/healthz";
inline constexpr std::string_view kMetricsPath = "/metrics";

// What is_endpoint_path() wants, for errors.
inline constexpr std::string_view kEndpointPathRule =
    "a path as /mcp, other than /healthz and /metrics";

// Whether the protocol can be served there: what a request can name, and is not taken.
constexpr bool is_endpoint_path(std::string_view path) {
  return path.starts_with('/') && path.find_first_of(" ?#\t\r\n") == std::string_view::npos &&
         path != kHealthPath && path != kMetricsPath;
}

}  // namespace helve::mcp
