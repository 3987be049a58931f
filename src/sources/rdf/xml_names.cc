// Character classes of XML 1.0, 5th edition.
#include "sources/rdf/xml_names.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/utf8.h"

namespace helve::rdf {

namespace {

struct CharacterRange {
  char32_t first;
  char32_t last;
};

// https://www.w3.org/TR/xml/#NT-NameStartChar without ":" and what is ASCII.
constexpr std::array kNameStart = {
    CharacterRange{0xC0, 0xD6},     CharacterRange{0xD8, 0xF6},
    CharacterRange{0xF8, 0x2FF},    CharacterRange{0x370, 0x37D},
    CharacterRange{0x37F, 0x1FFF},  CharacterRange{0x200C, 0x200D},
    CharacterRange{0x2070, 0x218F}, CharacterRange{0x2C00, 0x2FEF},
    CharacterRange{0x3001, 0xD7FF}, CharacterRange{0xF900, 0xFDCF},
    CharacterRange{0xFDF0, 0xFFFD}, CharacterRange{0x10000, 0xEFFFF},
};

template <std::size_t kSize>
bool is_in_ranges(const std::array<CharacterRange, kSize>& ranges, char32_t c) {
  return std::any_of(ranges.begin(), ranges.end(), [c](const CharacterRange& range) {
    return c >= range.first && c <= range.last;
  });
}

bool is_ncname_start(char32_t c) {
  if (c < 0x80) return is_letter(c) || c == '_';
  return is_in_ranges(kNameStart, c);
}

bool is_ncname_character(char32_t c) {
  if (c < 0x80) return is_ncname_start(c) || is_digit(c) || c == '-' || c == '.';
  return is_ncname_start(c) || c == 0xB7 || (c >= 0x300 && c <= 0x36F) || c == 0x203F ||
         c == 0x2040;
}

// Letters of the large scripts that names could have before the 5th edition too; parsers (expat is
// one) may know only those.
constexpr std::array kOldNameStart = {
    CharacterRange{0xC0, 0xD6},     CharacterRange{0xD8, 0xF6},     CharacterRange{0xF8, 0x131},
    CharacterRange{0x388, 0x38A},   CharacterRange{0x38E, 0x3A1},   CharacterRange{0x3A3, 0x3CE},
    CharacterRange{0x401, 0x40C},   CharacterRange{0x40E, 0x44F},   CharacterRange{0x451, 0x45C},
    CharacterRange{0x45E, 0x481},   CharacterRange{0x5D0, 0x5EA},   CharacterRange{0x621, 0x63A},
    CharacterRange{0x641, 0x64A},   CharacterRange{0x3041, 0x3094}, CharacterRange{0x30A1, 0x30FA},
    CharacterRange{0x4E00, 0x9FA5}, CharacterRange{0xAC00, 0xD7A3},
};

bool is_old_name_start(char32_t c) {
  return c < 0x80 ? is_ncname_start(c) : is_in_ranges(kOldNameStart, c);
}

bool is_old_name_character(char32_t c) {
  return c < 0x80 ? is_ncname_character(c) : is_in_ranges(kOldNameStart, c);
}

bool is_utf8_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

bool is_nc_name(std::string_view text) {
  if (text.empty()) return false;
  const char* at = text.data();
  const char* const end = at + text.size();
  if (!is_ncname_start(decode_utf8(at, end))) return false;
  while (at < end) {
    if (!is_ncname_character(decode_utf8(at, end))) return false;
  }
  return true;
}

std::size_t nc_name_suffix(std::string_view text) {
  std::size_t best = 0;
  std::size_t at = text.size();
  while (at > 0) {
    std::size_t start = at - 1;
    while (start > 0 && is_utf8_continuation(text[start])) --start;
    const char* cursor = text.data() + start;
    const char32_t c = decode_utf8(cursor, text.data() + text.size());
    if (!is_old_name_character(c)) break;
    if (is_old_name_start(c)) best = text.size() - start;
    at = start;
  }
  return best;
}

std::size_t find_unwritable_xml_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 && c != '\t' && c != '\n' && c != '\r') return i;
    // U+FFFE and U+FFFF are EF BF BE and EF BF BF.
    if (c == 0xEF && i + 2 < text.size() && static_cast<unsigned char>(text[i + 1]) == 0xBF &&
        static_cast<unsigned char>(text[i + 2]) >= 0xBE) {
      return i;
    }
  }
  return std::string_view::npos;
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t kExcerptBytes = 60;
  std::string_view shown = text.substr(0, text.find_first_of("\r\n")).substr(0, kExcerptBytes);
  shown = shown.substr(0, utf8_valid_prefix(shown));
  return std::string(shown.substr(0, find_unwritable_xml_character(shown)));
}

}  // namespace helve::rdf
