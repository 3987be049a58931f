#include "base/percent.h"

#include <charconv>
#include <system_error>

#include "base/ascii.h"

namespace helve {

namespace {

bool is_unreserved(char c) {
  return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.' || c == '~';
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      out += text[at];
      continue;
    }
    if (text.size() - at < 3) return std::nullopt;
    unsigned byte = 0;
    const char* const begin = text.data() + at + 1;
    const auto read = std::from_chars(begin, begin + 2, byte, 16);
    if (read.ec != std::errc() || read.ptr != begin + 2) return std::nullopt;
    out += static_cast<char>(byte);
    at += 2;
  }
  return out;
}

std::string percent_encoded(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  out.reserve(bytes.size());
  for (const char c : bytes) {
    if (is_unreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out;
}

}  // namespace helve
