// The pieces of the value of an HTTP header: what stands between its marks (RFC 9110 section 5.6).
#pragma once

#include <string_view>

namespace helve::http {

// Without the white space around it.
inline std::string_view trim(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t");
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(" \t") - start + 1);
}

// What stands before the next `mark`, which is passed over.
inline std::string_view take(std::string_view& text, char mark) {
  const std::size_t end = text.find(mark);
  const std::string_view part = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  return trim(part);
}

}  // namespace helve::http
