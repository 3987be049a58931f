// What a client can read and what it sends, by the headers Accept and Content-Type; and events of a
// stream as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace helve::mcp {

struct Accepts {
  bool json = false;
  bool sse = false;
};

// A missing or empty header accepts all. Linear.
Accepts read_accept(std::string_view accept);
bool is_json_type(std::string_view content_type);

// Names an event within a session: which stream, and its number there.
struct EventId {
  bool is_general = false;  // a stream that a GET opened; otherwise one of a POST
  std::uint64_t stream = 0;
  std::uint64_t event = 0;
};
std::string to_string(const EventId& id);
std::optional<EventId> read_event_id(std::string_view text);

// The event that carries a message.
std::string sse_event(std::string_view message, const std::optional<EventId>& id);
// One without a message: a client that is cut off knows what to come back with.
std::string sse_primer(const EventId& id);
inline constexpr std::string_view kSseComment = ": still here\n\n";

}  // namespace helve::mcp
