// Letters of ASCII, whatever the locale: for keywords, tags and names whose grammar knows no
// others. Texts of people are the matter of unicode_case.h.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace helve {

constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

inline std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = ascii_lower(c);
  return lower;
}

constexpr bool is_same_in_any_case(char a, char b) { return ascii_lower(a) == ascii_lower(b); }

inline bool is_same_in_any_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return is_same_in_any_case(x, y); });
}

}  // namespace helve
