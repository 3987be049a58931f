#include "base/utf8.h"

#include <simdjson.h>

#include <algorithm>
#include <cstdint>

namespace helve {

namespace {

// Small enough that finding the bad byte inside one costs nothing that matters, large enough that
// the call into simdjson does not.
constexpr std::size_t kFirstBlockBytes = 64;
constexpr std::size_t kBlockBytes = std::size_t{1} << 14;

struct LeadByte {
  std::size_t length = 0;  // bytes of the character; 0: no character starts so
  std::uint8_t second_min = 0x80;
  std::uint8_t second_max = 0xBF;
};

// Unicode 15.0, table 3-7: the second byte is where overlong forms, surrogates and what lies beyond
// U+10FFFF show.
LeadByte classify_lead(std::uint8_t byte) {
  if (byte < 0x80) return {1};
  if (byte < 0xC2) return {0};
  if (byte < 0xE0) return {2};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0};
}

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

bool is_continuation(std::uint8_t byte) { return (byte & 0xC0U) == 0x80U; }

// How many bytes at the start of `text` fit the character that its first byte promises.
std::size_t matching_bytes(std::string_view text, const LeadByte& lead) {
  const std::size_t length = std::min(lead.length, text.size());
  if (length < 2) return length;
  const std::uint8_t second = byte_at(text, 1);
  if (second < lead.second_min || second > lead.second_max) return 1;
  std::size_t at = 2;
  while (at < length && is_continuation(byte_at(text, at))) ++at;
  return at;
}

std::size_t valid_prefix_bytewise(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const LeadByte lead = classify_lead(byte_at(text, at));
    if (lead.length == 0 || matching_bytes(text.substr(at), lead) != lead.length) break;
    at += lead.length;
  }
  return at;
}

// Where the last character of `text` begins if it is cut short, else text.size().
std::size_t whole_characters_end(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const std::uint8_t byte = byte_at(text, text.size() - back);
    if (is_continuation(byte)) continue;
    return classify_lead(byte).length > back ? text.size() - back : text.size();
  }
  return text.size();
}

}  // namespace

std::size_t utf8_valid_prefix(std::string_view text) {
  std::size_t at = 0;
  // From short to long: who skips bad bytes asks again behind each, and the whole block is checked.
  std::size_t block_bytes = kFirstBlockBytes;
  while (at < text.size()) {
    const std::string_view block = text.substr(at, block_bytes);
    block_bytes = std::min(2 * block_bytes, kBlockBytes);
    const std::size_t end = whole_characters_end(block);
    if (end == 0) return at;
    if (!simdjson::validate_utf8(block.data(), end)) return at + valid_prefix_bytewise(block);
    at += end;
  }
  return at;
}

bool utf8_may_continue(std::string_view rest) {
  if (rest.empty()) return false;
  const LeadByte lead = classify_lead(byte_at(rest, 0));
  return lead.length > rest.size() && matching_bytes(rest, lead) == rest.size();
}

char32_t decode_utf8(const char*& at, const char* end) {
  const auto first = static_cast<std::uint8_t>(*at++);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  char32_t character = first & (0x3FU >> more);
  for (int i = 0; i < more && at != end; ++i) {
    character = (character << 6U) | (static_cast<std::uint8_t>(*at++) & 0x3FU);
  }
  return character;
}

void append_utf8(std::string& out, char32_t character) {
  const auto continuation = [character](unsigned shift) {
    return static_cast<char>(0x80U | ((character >> shift) & 0x3FU));
  };
  if (character < 0x80) {
    out.push_back(static_cast<char>(character));
  } else if (character < 0x800) {
    out.push_back(static_cast<char>(0xC0U | (character >> 6U)));
    out.push_back(continuation(0));
  } else if (character < 0x10000) {
    out.push_back(static_cast<char>(0xE0U | (character >> 12U)));
    out.push_back(continuation(6));
    out.push_back(continuation(0));
  } else {
    out.push_back(static_cast<char>(0xF0U | (character >> 18U)));
    out.push_back(continuation(12));
    out.push_back(continuation(6));
    out.push_back(continuation(0));
  }
}

std::size_t utf8_length(std::string_view text) {
  std::size_t count = 0;
  for (const char byte : text) count += is_continuation(static_cast<std::uint8_t>(byte)) ? 0 : 1;
  return count;
}

}  // namespace helve
