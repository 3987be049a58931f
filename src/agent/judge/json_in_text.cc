#include "agent/judge/json_in_text.h"

namespace helve::agent {

namespace {

constexpr std::size_t kJsonBytesMax = 256UL * 1024;
constexpr std::size_t kObjectsMax = 20;

// The end of the object that begins at `begin`, behind its bracket; npos: it has none.
std::size_t end_of_object(std::string_view text, std::size_t begin) {
  int depth = 0;
  bool is_text = false;
  for (std::size_t at = begin; at < text.size(); ++at) {
    const char c = text[at];
    if (is_text) {
      if (c == '\\') ++at;
      is_text = c != '"';
    } else if (c == '"') {
      is_text = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

}  // namespace

std::vector<JsonValue> objects_with(std::string_view text, std::string_view key) {
  text = text.substr(0, kJsonBytesMax);
  std::vector<JsonValue> found;
  std::size_t looked_at = 0;
  for (std::size_t at = text.find('{'); at != std::string_view::npos && looked_at < kObjectsMax;) {
    ++looked_at;
    const std::size_t end = end_of_object(text, at);
    if (end == std::string_view::npos) {
      at = text.find('{', at + 1);
      continue;
    }
    auto parsed = parse_json(text.substr(at, end - at));
    const bool is_found = parsed && parsed->find(key) != nullptr;
    if (is_found) found.push_back(*std::move(parsed));
    at = text.find('{', is_found ? end : at + 1);
  }
  return found;
}

}  // namespace helve::agent
