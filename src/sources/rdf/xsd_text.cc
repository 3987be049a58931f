#include "sources/rdf/xsd_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/ascii.h"
#include "base/utf8.h"

namespace helve::rdf {

namespace {

constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 0xFF;

constexpr std::array<std::uint8_t, 256> kBase64Values = [] {
  std::array<std::uint8_t, 256> values{};
  for (std::uint8_t& value : values) value = kNoDigit;
  for (std::size_t i = 0; i < kBase64Digits.size(); ++i) {
    values[static_cast<unsigned char>(kBase64Digits[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}();

struct NameRange {
  char32_t first;
  char32_t last;
};

// https://www.w3.org/TR/xml/#NT-NameStartChar beyond ASCII
constexpr std::array<NameRange, 12> kNameStartRanges = {{
    {0xC0, 0xD6},
    {0xD8, 0xF6},
    {0xF8, 0x2FF},
    {0x370, 0x37D},
    {0x37F, 0x1FFF},
    {0x200C, 0x200D},
    {0x2070, 0x218F},
    {0x2C00, 0x2FEF},
    {0x3001, 0xD7FF},
    {0xF900, 0xFDCF},
    {0xFDF0, 0xFFFD},
    {0x10000, 0xEFFFF},
}};

bool is_xml_name_start(char32_t c) {
  if (c < 0x80) return is_letter(c) || c == '_' || c == ':';
  return std::any_of(kNameStartRanges.begin(), kNameStartRanges.end(),
                     [c](const NameRange& r) { return c >= r.first && c <= r.last; });
}

bool is_xml_name_character(char32_t c) {
  return is_xml_name_start(c) || is_digit(c) || c == '-' || c == '.' || c == 0xB7 ||
         (c >= 0x300 && c <= 0x36F) || (c >= 0x203F && c <= 0x2040);
}

bool is_name_token(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    if (!is_xml_name_character(decode_utf8(at, end))) return false;
  }
  return !text.empty();
}

bool is_name(std::string_view text) {
  if (!is_name_token(text)) return false;
  const char* at = text.data();
  return is_xml_name_start(decode_utf8(at, at + text.size()));
}

// [a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*
bool is_language(std::string_view text) {
  for (bool first = true;; first = false) {
    const std::size_t end = std::min(text.find('-'), text.size());
    if (end == 0 || end > 8) return false;
    for (const char c : text.substr(0, end)) {
      const auto character = static_cast<unsigned char>(c);
      if (!is_letter(character) && (first || !is_digit(character))) return false;
    }
    if (end == text.size()) return true;
    text.remove_prefix(end + 1);
  }
}

// The digits and padding alone; nullopt for a space at an end or two in a row.
std::optional<std::string> without_spaces(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool after_space = true;
  for (const char c : text) {
    if (c == ' ') {
      if (after_space) return std::nullopt;
      after_space = true;
    } else {
      out.push_back(c);
      after_space = false;
    }
  }
  if (after_space && !text.empty()) return std::nullopt;
  return out;
}

}  // namespace

std::string replace_xml_space(std::string_view text) {
  std::string out(text);
  std::replace_if(out.begin(), out.end(), is_space, ' ');
  return out;
}

std::string collapse_xml_space(std::string_view text) {
  std::string out = replace_xml_space(trimmed(text));
  const auto end =
      std::unique(out.begin(), out.end(), [](char a, char b) { return a == ' ' && b == ' '; });
  out.erase(end, out.end());
  return out;
}

bool is_in_string_type(std::string_view text, XsdType type) {
  switch (type) {
    case XsdType::String:
      return true;
    case XsdType::NormalizedString:
      return text.find_first_of("\t\r\n") == std::string_view::npos;
    case XsdType::Language:
      return is_language(text);
    case XsdType::NmToken:
      return is_name_token(text);
    case XsdType::Name:
      return is_name(text);
    case XsdType::NcName:
      return is_name(text) && text.find(':') == std::string_view::npos;
    default:  // Token
      return collapse_xml_space(text) == text;
  }
}

std::optional<std::string> decode_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_value(text[i]);
    const int low = hex_value(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(16 * high + low));
  }
  return bytes;
}

std::optional<std::string> decode_base64(std::string_view text) {
  const auto packed = without_spaces(text);
  if (!packed || packed->size() % 4 != 0) return std::nullopt;
  std::string_view digits = *packed;
  if (digits.ends_with("==")) {
    digits.remove_suffix(2);
  } else if (digits.ends_with('=')) {
    digits.remove_suffix(1);
  }
  std::string bytes;
  bytes.reserve(digits.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char digit : digits) {
    const std::uint8_t value = kBase64Values[static_cast<unsigned char>(digit)];
    if (value == kNoDigit) return std::nullopt;
    bits = bits << 6U | value;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes.push_back(static_cast<char>(bits >> held));
      bits &= (1U << held) - 1;
    }
  }
  // What is left over belongs to no byte and must be zero.
  if (bits != 0) return std::nullopt;
  return bytes;
}

std::string encode_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out.push_back(kDigits[byte >> 4U]);
    out.push_back(kDigits[byte & 0xFU]);
  }
  return out;
}

std::string encode_base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8U | (k < group.size() ? static_cast<unsigned char>(group[k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      const std::uint32_t digit = bits >> (18U - 6U * k) & 0x3FU;
      out.push_back(k <= group.size() ? kBase64Digits[digit] : '=');
    }
  }
  return out;
}

}  // namespace helve::rdf
