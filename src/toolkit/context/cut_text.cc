#include "toolkit/context/cut_text.h"

#include "base/text.h"
#include "base/utf8.h"

namespace helve::context {

namespace {

constexpr std::string_view kEllipsis = "…";

// The bytes of the first characters. REQUIRES: valid UTF-8.
std::size_t bytes_of(std::string_view text, std::size_t characters) {
  const char* at = text.data();
  const char* const end = at + text.size();
  for (; characters > 0 && at != end; --characters) decode_utf8(at, end);
  return static_cast<std::size_t>(at - text.data());
}

// Whether the full stop at `dot` belongs to a word: "e.g.", "J. Doe", "3. step".
bool is_of_word(std::string_view text, std::size_t dot) {
  std::size_t begin = dot;
  while (begin > 0 && text[begin - 1] != ' ' && text[begin - 1] != '(') --begin;
  const std::string_view word = text.substr(begin, dot - begin);
  return word.size() <= 1 || word.find('.') != std::string_view::npos;
}

// Behind the last sentence that ends within the first `most` bytes; 0 where none does.
std::size_t sentence_end(std::string_view text, std::size_t most) {
  for (std::size_t at = most; at-- > 0;) {
    const char c = text[at];
    const bool is_mark = c == '!' || c == '?' || (c == '.' && !is_of_word(text, at));
    if (!is_mark) continue;
    std::size_t end = at + 1;
    while (end < most && (text[end] == ')' || text[end] == '"' || text[end] == '\'')) ++end;
    if (end == text.size() || text[end] == ' ') return end;
  }
  return 0;
}

std::size_t word_end(std::string_view text, std::size_t most) {
  if (most < text.size() && text[most] == ' ') return most;
  std::size_t end = most;
  while (end > 0 && text[end - 1] != ' ') --end;
  while (end > 0 && text[end - 1] == ' ') --end;
  return end;
}

}  // namespace

std::string cut_line(std::string_view line, std::size_t chars_max) {
  if (utf8_length(line) <= chars_max) return std::string(line);
  constexpr std::size_t kBlankAndEllipsis = 2;
  if (chars_max <= kBlankAndEllipsis) return {};
  const std::size_t most = bytes_of(line, chars_max - kBlankAndEllipsis);
  std::size_t end = sentence_end(line, most);
  if (end < most / 2) end = word_end(line, most);
  if (end == 0) return {};
  return std::string(line.substr(0, end)) + " " + std::string(kEllipsis);
}

std::string harmless_line(std::string_view line) {
  std::string text;
  for (const char c : line) {
    if (c == '\t') {
      text += "  ";
    } else {
      text += c;
    }
  }
  text.erase(text.find_last_not_of(" \r") + 1);
  return escape_for_terminal(text);
}

}  // namespace helve::context
