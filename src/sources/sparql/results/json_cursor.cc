// The tokens of RFC 8259.
#include "sources/sparql/results/json_cursor.h"

#include <fmt/core.h>

#include <bit>
#include <cstring>

#include "base/ascii.h"
#include "base/utf8.h"
#include "sources/rdf/characters.h"

namespace helve::sparql {

namespace {

// The bytes of a word that are less than 0x20, '"' or '\\', by their highest bits. A byte behind
// the first may be marked wrongly.
std::uint64_t string_stops(std::uint64_t word) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighs = 0x8080808080808080;
  const std::uint64_t quotes = word ^ (kOnes * '"');
  const std::uint64_t backslashes = word ^ (kOnes * '\\');
  return (((quotes - kOnes) & ~quotes) | ((backslashes - kOnes) & ~backslashes) |
          ((word - kOnes * 0x20) & ~word)) &
         kHighs;
}

bool stops_string(char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }

bool is_high_surrogate(char32_t c) { return c >= 0xD800 && c < 0xDC00; }
bool is_low_surrogate(char32_t c) { return c >= 0xDC00 && c < 0xE000; }

char32_t read_hex(const char* digits) {
  char32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value * 16 + static_cast<char32_t>(hex_value(digits[i]));
  return value;
}

// REQUIRES: the cursor has accepted the text's escapes.
void append_unescaped(std::string& out, std::string_view text) {
  constexpr std::string_view kNames = "bfnrt";
  constexpr std::string_view kCharacters = "\b\f\n\r\t";
  while (true) {
    const std::size_t backslash = std::min(text.find('\\'), text.size());
    out += text.substr(0, backslash);
    if (backslash == text.size()) return;
    const char name = text[backslash + 1];
    text.remove_prefix(backslash + 2);
    if (name != 'u') {
      const std::size_t which = kNames.find(name);
      out += which == std::string_view::npos ? name : kCharacters[which];
      continue;
    }
    char32_t c = read_hex(text.data());
    text.remove_prefix(4);
    if (is_high_surrogate(c)) {
      c = 0x10000 + ((c - 0xD800) << 10U) + (read_hex(text.data() + 2) - 0xDC00);
      text.remove_prefix(6);
    }
    append_utf8(out, c);
  }
}

}  // namespace

const char* plain_string_end(const char* p, const char* end) {
  std::uint64_t word = 0;
  for (; end - p >= static_cast<std::ptrdiff_t>(sizeof(word)); p += sizeof(word)) {
    std::memcpy(&word, p, sizeof(word));
    if (const std::uint64_t stops = string_stops(word); stops != 0) {
      if constexpr (std::endian::native == std::endian::little) {
        return p + std::countr_zero(stops) / 8;
      }
      break;
    }
  }
  while (p != end && !stops_string(*p)) ++p;
  return p;
}

int JsonCursor::peek() {
  while (true) {
    while (at_ != end_ && is_space(*at_)) ++at_;
    if (at_ != end_) return static_cast<unsigned char>(*at_);
    const char* p = at_;
    if (!more(p)) return kEnd;
  }
}

bool JsonCursor::pass_if(char byte) {
  if (peek() != static_cast<unsigned char>(byte)) return false;
  ++at_;
  return true;
}

bool JsonCursor::pass(char byte, std::string_view expected) {
  return pass_if(byte) || fail_expected(at_, expected);
}

bool JsonCursor::string(std::string& out) {
  if (peek() != '"') return fail_expected(at_, "a string in \"\"");
  const char* p = at_ + 1;
  bool has_escapes = false;
  while (true) {
    p = plain_string_end(p, end_);
    if (!have(p)) {
      return fail(at_, "a string begins here and is never closed",
                  "the file seems to be cut off, or a '\"' is missing");
    }
    if (*p == '"') break;
    if (*p == '\\') {
      has_escapes = true;
      if (!escape(p)) return false;
    } else if (static_cast<unsigned char>(*p) < 0x20) {
      return fail(p, fmt::format("the control character U+{:04X} in a string", *p),
                  "write it as an escape: \\n, \\t or \\u00XX");
    }
  }
  if (!check_length(p)) return false;
  const std::string_view raw(at_ + 1, static_cast<std::size_t>(p - at_ - 1));
  out.clear();
  if (has_escapes) {
    append_unescaped(out, raw);
  } else {
    out.assign(raw);
  }
  string_bytes_ = p + 1 - at_;
  at_ = p + 1;
  return true;
}

bool JsonCursor::escape(const char*& p) {
  ++p;
  if (!have(p)) return fail_expected(p, "a character after '\\'");
  if (*p != 'u') {
    if (std::string_view("\"\\/bfnrt").find(*p) == std::string_view::npos) {
      return fail(p - 1, R"(unknown escape: expected \" \\ \/ \b \f \n \r \t or \uXXXX)",
                  "write a backslash itself as \\\\");
    }
    ++p;
    return true;
  }
  char32_t first = 0;
  if (!hex_digits(p, first)) return false;
  if (!is_high_surrogate(first) && !is_low_surrogate(first)) return true;
  char32_t second = 0;
  if (is_high_surrogate(first) && have(p) && *p == '\\') {
    ++p;
    if (have(p) && *p == 'u' && !hex_digits(p, second)) return false;
  }
  if (is_low_surrogate(second)) return true;
  if (has_failed()) return false;
  return fail(p, fmt::format("\\u{:04X} is half of a character: the other half is missing",
                             static_cast<std::uint32_t>(first)));
}

// `p` at the "u".
bool JsonCursor::hex_digits(const char*& p, char32_t& value) {
  ++p;
  value = 0;
  for (int i = 0; i < 4; ++i, ++p) {
    if (!have(p) || hex_value(*p) < 0) {
      return fail_expected(p, "four hexadecimal digits after \\u");
    }
    value = value * 16 + static_cast<char32_t>(hex_value(*p));
  }
  return true;
}

bool JsonCursor::word(std::string_view word, std::string_view expected) {
  const char* p = at_;
  for (const char letter : word) {
    if (!have(p) || *p != letter) return fail_expected(at_, expected);
    ++p;
  }
  at_ = p;
  return true;
}

bool JsonCursor::boolean(bool& out) {
  out = peek() == 't';
  return word(out ? "true" : "false", "true or false");
}

bool JsonCursor::null() { return word("null", "null"); }

bool JsonCursor::end() {
  if (peek() == kEnd) return !has_failed();
  return fail_expected(at_, "nothing behind the end of the results");
}

bool JsonCursor::scalar() {
  switch (peek()) {
    case '"':
      return string(skipped_);
    case 't':
      return word("true", "a value");
    case 'f':
      return word("false", "a value");
    case 'n':
      return word("null", "a value");
    default:
      return number();
  }
}

bool JsonCursor::digits(const char*& p) {
  bool any = false;
  for (; have(p) && is_digit(*p); ++p) any = true;
  return any || fail_expected(p, p == at_ ? "a value" : "a digit");
}

bool JsonCursor::number() {
  const char* p = at_;
  if (have(p) && *p == '-') ++p;
  if (have(p) && *p == '0') {
    ++p;
  } else if (!digits(p)) {
    return false;
  }
  if (have(p) && *p == '.') {
    ++p;
    if (!digits(p)) return false;
  }
  if (have(p) && (*p == 'e' || *p == 'E')) {
    ++p;
    if (have(p) && (*p == '+' || *p == '-')) ++p;
    if (!digits(p)) return false;
  }
  if (has_failed() || !check_length(p)) return false;
  at_ = p;
  return true;
}

// Passes the bracket at the cursor and notes it.
bool JsonCursor::open(std::string& brackets) {
  if (brackets.size() >= context_.limits.json_depth_max) {
    return fail_limit(
        at_, fmt::format("values are nested more than {} deep", context_.limits.json_depth_max));
  }
  brackets += *at_++;
  return true;
}

bool JsonCursor::key_of_skipped() { return string(skipped_) && pass(':', "':' after the key"); }

bool JsonCursor::skip_value() {
  std::string brackets;
  while (true) {
    const int first = peek();
    if (first == '{' || first == '[') {
      if (!open(brackets)) return false;
      const char close = first == '{' ? '}' : ']';
      if (peek() != close) {
        if (first == '{' && !key_of_skipped()) return false;
        continue;
      }
    } else if (!scalar()) {
      return false;
    }
    // Behind a value: close what ends here.
    while (!brackets.empty() && pass_if(brackets.back() == '{' ? '}' : ']')) brackets.pop_back();
    if (brackets.empty()) return !has_failed();
    const bool in_object = brackets.back() == '{';
    if (!pass(',', in_object ? "',' or '}'" : "',' or ']'")) return false;
    if (in_object && !key_of_skipped()) return false;
  }
}

}  // namespace helve::sparql
