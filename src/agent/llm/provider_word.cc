#include "agent/llm/provider_word.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/ascii.h"
#include "base/text.h"

namespace helve::llm {

namespace {

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// "localhost", "10.0.0.1", "models.example.org", anything with a port or a path; not "v1.2".
bool looks_like_host(std::string_view text) {
  if (text.find('/') != std::string_view::npos || text.starts_with('[')) return true;
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos) return is_number(text.substr(colon + 1));
  if (is_same_in_any_case(text, "localhost")) return true;
  const std::size_t dot = text.rfind('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view last = text.substr(dot + 1);
  if (is_number(last)) return std::count(text.begin(), text.end(), '.') == 3;
  return last.size() >= 2 && std::none_of(last.begin(), last.end(), is_digit);
}

}  // namespace

Result<void> check_provider_word(std::string_view word) {
  const std::size_t colon = word.find(':');
  const std::size_t at = word.rfind('@');
  if (colon == std::string_view::npos || at == std::string_view::npos || at < colon) return {};
  if (is_same_in_any_case(word.substr(0, colon), "scripted")) return {};  // a file
  const std::string_view place = word.substr(at + 1);
  if (place.starts_with("http://") || place.starts_with("https://")) return {};
  if (word.find("@http://") != std::string_view::npos ||
      word.find("@https://") != std::string_view::npos || !looks_like_host(place)) {
    return {};
  }
  const std::string host = escape_for_terminal(place.substr(0, 100));
  return Error{ErrorCode::InvalidInput,
               fmt::format("'{}' looks like an address, and is not written as one", host),
               fmt::format("write @http://{} or @https://{}; a model whose name has '@' in it goes "
                           "into --model",
                           host, host)};
}

}  // namespace helve::llm
