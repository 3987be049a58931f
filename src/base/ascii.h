// Characters and words of ASCII, whatever the locale: for keywords, numbers, tags and names whose
// grammar has no other letters. For text that people wrote see unicode_case.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace helve {

// The classes take any character type: a char above 127 becomes a large number and is in none.
constexpr bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
constexpr bool is_upper(char32_t c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_lower(char32_t c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_letter(char32_t c) { return is_upper(c) || is_lower(c); }
constexpr bool is_letter_or_digit(char32_t c) { return is_letter(c) || is_digit(c); }

// -1 when c is no hexadecimal digit.
constexpr int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// White space of XML, JSON, Turtle and SPARQL.
constexpr bool is_space(char32_t c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Looks at eight characters at a time, and at all of them.
inline bool is_ascii(std::string_view text) {
  std::uint64_t seen = 0;
  std::size_t at = 0;
  for (std::uint64_t eight = 0; at + sizeof eight <= text.size(); at += sizeof eight) {
    std::memcpy(&eight, text.data() + at, sizeof eight);
    seen |= eight;
  }
  for (; at < text.size(); ++at) seen |= static_cast<unsigned char>(text[at]);
  return (seen & 0x8080'8080'8080'8080) == 0;
}

// Whether there is nothing but white space.
inline bool is_blank(std::string_view text) {
  return std::all_of(text.begin(), text.end(), is_space);
}

inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// The parts between spaces, without empty ones.
inline std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

constexpr char ascii_lower(char c) { return is_upper(c) ? static_cast<char>(c + ('a' - 'A')) : c; }

inline std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = ascii_lower(c);
  return lower;
}

constexpr char ascii_upper(char c) { return is_lower(c) ? static_cast<char>(c - ('a' - 'A')) : c; }

inline std::string ascii_upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = ascii_upper(c);
  return upper;
}

constexpr bool is_same_in_any_case(char a, char b) { return ascii_lower(a) == ascii_lower(b); }

inline bool is_same_in_any_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return is_same_in_any_case(x, y); });
}

}  // namespace helve
