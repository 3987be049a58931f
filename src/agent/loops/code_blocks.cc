#include "agent/loops/code_blocks.h"

#include <algorithm>

#include "base/ascii.h"

namespace helve::agent {

namespace {

constexpr std::string_view kFence = "```";

std::string_view trimmed_end(std::string_view line) {
  const std::size_t end = line.find_last_not_of(" \t\r");
  return end == std::string_view::npos ? std::string_view() : line.substr(0, end + 1);
}

bool is_python(std::string_view language) {
  const std::string word = ascii_lower(language);
  return word == "python" || word == "py" || word == "python3" || word == "repl";
}

}  // namespace

CodeBlocks find_code(std::string_view text) {
  CodeBlocks found;
  std::string code;
  bool is_inside = false;  // of any fence
  bool is_code = false;    // of one that is Python
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const bool is_fence = line.starts_with(kFence);
    if (is_fence && !is_inside) {
      is_inside = true;
      is_code = is_python(trimmed_end(line.substr(kFence.size())));
      code.clear();
    } else if (is_fence && trimmed_end(line) == kFence) {
      if (is_code && found.blocks.size() < kBlocksMax) {
        found.blocks.push_back(code);
      } else if (is_code) {
        ++found.left_out;
      }
      is_inside = is_code = false;
    } else if (is_code) {
      code += line;
      code += '\n';
    }
  }
  found.is_open = is_code;
  return found;
}

}  // namespace helve::agent
