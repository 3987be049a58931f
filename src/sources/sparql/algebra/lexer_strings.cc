// Strings and code point escapes. lexer.cc is its neighbour.
#include <fmt/core.h>

#include <algorithm>

#include "sources/rdf/characters.h"
#include "sources/sparql/algebra/lexer.h"

namespace helve::sparql {

// https://www.w3.org/TR/sparql11-query/#codepointEscape
bool Lexer::code_point(std::size_t at, char32_t& value, std::size_t& bytes) {
  const std::size_t digits = text_[at + 1] == 'u' ? 4 : 8;
  value = 0;
  bytes = 2 + digits;
  for (std::size_t i = 0; i < digits; ++i) {
    const int digit = hex_value(byte_at(at + 2 + i));
    if (digit < 0) {
      return fail(at, fmt::format("\\{} takes {} hexadecimal digits", text_[at + 1], digits),
                  "write a backslash itself as \\\\");
    }
    value = (value << 4) | static_cast<char32_t>(digit);
  }
  if (value == 0 || !rdf::is_scalar_value(value)) {
    return fail(
        at,
        fmt::format("the escape {} stands for {}", text_.substr(at, bytes),
                    value == 0         ? "the character NUL, which no text may hold"
                    : value > 0x10FFFF ? "no character"
                                       : "half of a surrogate pair, which is no character"),
        value > 0xFFFF || value == 0 ? "" : "write the whole character as \\U and eight digits");
  }
  return true;
}

// Passes ECHAR or a code point escape. SPARQL 1.1 decodes the latter before it looks for strings,
// so one that would end or change the string there is refused rather than read in one of two ways.
bool Lexer::string_escape(std::size_t& at, char quote, std::size_t quotes) {
  const char letter = byte_at(at + 1);
  if (letter != 'u' && letter != 'U') {
    if (letter == '\0' || std::string_view("tbnrf\"'\\").find(letter) == std::string_view::npos) {
      return fail(
          at,
          "an unknown escape in a string: there are \\t \\b \\n \\r \\f \\\" \\' \\\\ \\u and \\U",
          "write a backslash itself as \\\\ (a regular expression \\d is \"\\\\d\")");
    }
    at += 2;
    return true;
  }
  char32_t value = 0;
  std::size_t bytes = 0;
  if (!code_point(at, value, bytes)) return false;
  const bool breaks_line = quotes == 1 && (value == '\n' || value == '\r');
  if (version_ == Version::Sparql11 &&
      (value == static_cast<unsigned char>(quote) || value == '\\' || breaks_line)) {
    const std::string_view instead = value == '\n'   ? "\\n"
                                     : value == '\r' ? "\\r"
                                     : value == '\\' ? "\\\\"
                                     : value == '"'  ? "\\\""
                                                     : "\\'";
    return fail(at,
                fmt::format("the escape {} would end or change the string it stands in",
                            text_.substr(at, bytes)),
                fmt::format("write {} instead", instead));
  }
  at += bytes;
  return true;
}

Token Lexer::unclosed_string(std::size_t at, std::size_t quotes) {
  const std::string_view mark = text_.substr(at_, quotes);
  if (quotes == 3 || at >= text_.size()) {
    fail(at_, fmt::format("this string is never closed: expected {} before the end", mark),
         fmt::format("close it with {}", mark));
    return bad();
  }
  fail(at_, fmt::format("this string is not closed on its line: expected {}", mark),
       fmt::format("close it with {}, write a line break as \\n, or use {}{}{} around a "
                   "string of several lines",
                   mark, mark, mark, mark));
  return bad();
}

// STRING_LITERAL1, STRING_LITERAL2 and their long forms.
Token Lexer::string() {
  const char quote = text_[at_];
  const bool is_long = byte_at(at_ + 1) == quote && byte_at(at_ + 2) == quote;
  const std::size_t quotes = is_long ? 3 : 1;
  bool has_escapes = false;
  std::size_t at = at_ + quotes;
  while (true) {
    if (at >= text_.size()) return unclosed_string(at, quotes);
    const char c = text_[at];
    if (c == '\\') {
      if (!string_escape(at, quote, quotes)) return bad();
      has_escapes = true;
    } else if (c == quote) {
      if (!is_long) break;
      if (byte_at(at + 1) == quote && byte_at(at + 2) == quote) break;
      ++at;
    } else if (!is_long && (c == '\n' || c == '\r')) {
      return unclosed_string(at, quotes);
    } else {
      ++at;
    }
  }
  Token token = make(TokenKind::String, at + quotes - at_);
  token.text = token.text.substr(quotes, token.text.size() - 2 * quotes);
  token.quotes = static_cast<std::uint8_t>(quotes);
  token.has_escapes = has_escapes;
  return token;
}

}  // namespace helve::sparql
