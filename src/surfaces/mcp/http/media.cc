#include "surfaces/mcp/http/media.h"

#include <fmt/format.h>

#include <charconv>

#include "base/ascii.h"
#include "surfaces/http/header_text.h"

namespace helve::mcp {

namespace {

using http::take;
using http::trim;

constexpr int kRetryMilliseconds = 1'000;

// "q=0" and "q=0.000" refuse what they stand behind.
bool is_refused(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::string_view parameter = take(parameters, ';');
    if (parameter.size() < 3 || ascii_lower(parameter[0]) != 'q' || parameter[1] != '=') continue;
    return parameter.substr(2).find_first_not_of("0.") == std::string_view::npos;
  }
  return false;
}

std::optional<std::uint64_t> read_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

Accepts read_accept(std::string_view accept) {
  if (trim(accept).empty()) return {.json = true, .sse = true};
  Accepts accepts;
  while (!accept.empty()) {
    std::string_view rest = take(accept, ',');
    const std::string type = ascii_lower(take(rest, ';'));
    if (is_refused(rest)) continue;
    const bool is_all = type == "*/*";
    accepts.json |= is_all || type == "application/json" || type == "application/*";
    accepts.sse |= is_all || type == "text/event-stream" || type == "text/*";
  }
  return accepts;
}

bool is_json_type(std::string_view content_type) {
  return is_same_in_any_case(take(content_type, ';'), "application/json");
}

std::string to_string(const EventId& id) {
  return fmt::format("{}{}-{}", id.is_general ? 'g' : 'p', id.stream, id.event);
}

std::optional<EventId> read_event_id(std::string_view text) {
  if (!text.starts_with('g') && !text.starts_with('p')) return std::nullopt;
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto stream = read_number(text.substr(1, dash - 1));
  const auto event = read_number(text.substr(dash + 1));
  if (!stream || !event) return std::nullopt;
  return EventId{.is_general = text.front() == 'g', .stream = *stream, .event = *event};
}

std::string sse_event(std::string_view message, const std::optional<EventId>& id) {
  std::string out = "event: message\n";
  if (id) out += fmt::format("id: {}\n", to_string(*id));
  out += "data: ";
  // A line end would end the field. In JSON it can only be white space between tokens.
  for (const char c : message) out.push_back(c == '\n' || c == '\r' ? ' ' : c);
  out += "\n\n";
  return out;
}

std::string sse_primer(const EventId& id) {
  return fmt::format("id: {}\nretry: {}\ndata: \n\n", to_string(id), kRetryMilliseconds);
}

}  // namespace helve::mcp
