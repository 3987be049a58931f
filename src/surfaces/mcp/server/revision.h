// The revisions of the Model Context Protocol that are spoken.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace helve::mcp {

// In the order of time. Legacy ones begin with `initialize`; in modern ones every request carries
// what it needs.
enum class Revision : std::uint8_t { R20250326, R20250618, R20251125, R20260728 };

inline constexpr Revision kNewestLegacy = Revision::R20251125;
inline constexpr std::array kRevisions = {Revision::R20260728, Revision::R20251125,
                                          Revision::R20250618, Revision::R20250326};

constexpr bool is_modern(Revision revision) { return revision >= Revision::R20260728; }
std::string_view name_of(Revision revision);  // "2025-11-25"
std::optional<Revision> find_revision(std::string_view name);

// Keys of _meta that the protocol defines.
inline constexpr std::string_view kMetaVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kMetaServerInfo = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kMetaLogLevel = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view kMetaSubscription = "io.modelcontextprotocol/subscriptionId";

}  // namespace helve::mcp
