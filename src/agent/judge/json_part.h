// JSON in what a model wrote.
#pragma once

#include <string_view>

#include "base/ascii.h"

namespace helve::agent {

// The text without space around it, and without the marks where all of it is one ``` block. What
// else a model writes around its JSON stays: quoted data could be in it.
inline std::string_view json_part(std::string_view text) {
  constexpr std::string_view kFence = "```";
  text = trimmed(text);
  if (!text.starts_with(kFence) || !text.ends_with(kFence) || text.size() < 2 * kFence.size()) {
    return text;
  }
  text.remove_suffix(kFence.size());
  const std::size_t line = text.find('\n');
  return line == std::string_view::npos ? text : trimmed(text.substr(line + 1));
}

}  // namespace helve::agent
