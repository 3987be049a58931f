#include "agent/loops/code_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/ascii.h"

namespace helve::agent {

namespace {

constexpr std::string_view kFence = "```";
constexpr std::size_t kDigitsMax = 9;  // of the number of an item

std::string_view trimmed_end(std::string_view line) {
  const std::size_t end = line.find_last_not_of(" \t\r\n");
  return end == std::string_view::npos ? std::string_view() : line.substr(0, end + 1);
}

bool is_python(std::string_view language) {
  const std::string word = ascii_lower(language);
  return word == "python" || word == "py" || word == "python3" || word == "repl";
}

std::size_t blanks_before(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

// "- " or "1. " at the beginning, in bytes; 0: there is none.
std::size_t marker_bytes(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && at < kDigitsMax && is_digit(line[at])) ++at;
  const std::string_view ends = at == 0 ? "-*+" : ".)";
  const bool is_marker = at + 1 < line.size() && ends.find(line[at]) != std::string_view::npos &&
                         (line[at + 1] == ' ' || line[at + 1] == '\t');
  return is_marker ? at + 1 : 0;
}

// Where ``` begins in a line that has nothing before it but blanks and the marker of a list;
// nullopt: it is no fence.
std::optional<std::size_t> opening_fence(std::string_view line) {
  std::size_t at = blanks_before(line);
  if (const std::size_t marker = marker_bytes(line.substr(at)); marker > 0) {
    at += marker + blanks_before(line.substr(at + marker));
  }
  return line.substr(at).starts_with(kFence) ? std::optional(at) : std::nullopt;
}

// https://spec.commonmark.org/0.31.2/#fenced-code-blocks: up to three blanks further in.
bool is_closing_fence(std::string_view line, std::size_t indent) {
  const std::size_t at = blanks_before(line);
  return at <= indent + 3 && trimmed_end(line.substr(at)) == kFence;
}

}  // namespace

CodeBlocks find_code(std::string_view text) {
  CodeBlocks found;
  std::string code;
  std::size_t indent = 0;  // of the fence
  bool is_inside = false;  // of any fence
  bool is_code = false;    // of one that is Python
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const auto fence = is_inside ? std::nullopt : opening_fence(line);
    if (fence) indent = *fence;
    if (fence) is_code = is_python(trimmed_end(line.substr(indent + kFence.size())));
    const bool closes = is_inside && is_closing_fence(line, indent);
    if (!is_code) found.prose += fmt::format("{}\n", line);
    if (is_code && is_inside && !closes) {
      code += line.substr(std::min(blanks_before(line), indent));
      code += '\n';
    }
    if (closes && is_code && found.blocks.size() < kBlocksMax) {
      found.blocks.push_back(std::exchange(code, {}));
    } else if (closes && is_code) {
      ++found.left_out;
      code.clear();
    }
    is_inside = fence || (is_inside && !closes);
    is_code = is_code && is_inside;
  }
  found.is_open = is_code;
  const std::size_t begin = std::min(found.prose.find_first_not_of(" \t\r\n"), found.prose.size());
  found.prose = std::string(trimmed_end(std::string_view(found.prose).substr(begin)));
  return found;
}

}  // namespace helve::agent
