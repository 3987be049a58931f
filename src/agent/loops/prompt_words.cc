#include "agent/loops/prompt_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/digest.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/utf8_repair.h"

namespace helve::agent {

namespace {

constexpr std::string_view kPromptSpace = " \t\r\n";
constexpr std::size_t kMarkDigits = 16;

bool is_inside(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// The byte behind so many characters.
std::size_t end_of(std::string_view text, std::size_t chars) {
  std::size_t at = 0;
  for (; chars > 0 && at < text.size(); --chars) {
    ++at;
    while (at < text.size() && is_inside(text[at])) ++at;
  }
  return at;
}

// The byte at which the last so many characters begin.
std::size_t begin_of(std::string_view text, std::size_t chars) {
  std::size_t at = text.size();
  for (; chars > 0 && at > 0; --chars) {
    --at;
    while (at > 0 && is_inside(text[at])) --at;
  }
  return at;
}

}  // namespace

std::string both_ends(std::string_view text, std::size_t chars_max) {
  std::string valid = repaired_utf8(text);
  const std::size_t chars = utf8_length(valid);
  if (chars <= chars_max) return valid;
  const std::size_t half = chars_max / 2;
  const std::string_view whole = valid;
  return fmt::format("{}\n[... {} characters omitted ...]\n{}",
                     whole.substr(0, end_of(whole, half)), format_count(chars - 2 * half),
                     whole.substr(begin_of(whole, half)));
}

std::string head_of(std::string_view text, std::size_t chars_max) {
  const std::size_t end = end_of(text, chars_max);
  std::string head(text.substr(0, end));
  if (end < text.size()) head += "…";
  return head;
}

std::string data_mark(std::string_view text) {
  return digest_hex(DigestKind::Sha256, text).substr(0, kMarkDigits);
}

std::string marked_data(std::string_view text) {
  const std::string mark = data_mark(text);
  const bool ends_line = text.empty() || text.ends_with('\n');
  return fmt::format("<data {0}>\n{1}{2}</data {0}>\n", mark, text, ends_line ? "" : "\n");
}

// "sample · 3.02 ms" is the last line of every reply.
std::string without_time(std::string reply) {
  constexpr std::string_view kBefore = " · ";
  const std::size_t line = reply.rfind('\n');
  const std::size_t at = reply.rfind(kBefore);
  const bool is_last = at != std::string::npos && (line == std::string::npos || at > line);
  if (is_last && reply.ends_with("ms")) reply.erase(at);
  return reply;
}

Thought split_thinking(std::string_view text) {
  constexpr std::string_view kBegin = "<think>";
  constexpr std::string_view kEnd = "</think>";
  const std::size_t begin = text.find_first_not_of(kPromptSpace);
  if (begin == std::string_view::npos || !text.substr(begin).starts_with(kBegin)) return {{}, text};
  const std::string_view inside = text.substr(begin + kBegin.size());
  const std::size_t end = inside.find(kEnd);
  if (end == std::string_view::npos) return {inside, {}};
  const std::string_view rest = inside.substr(end + kEnd.size());
  return {inside.substr(0, end),
          rest.substr(std::min(rest.find_first_not_of(kPromptSpace), rest.size()))};
}

}  // namespace helve::agent
