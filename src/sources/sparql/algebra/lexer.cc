// White space, punctuation and IRIs. Names and numbers are in lexer_names.cc, strings in
// lexer_strings.cc.
#include "sources/sparql/algebra/lexer.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/iri.h"
#include "base/text.h"
#include "base/utf8.h"
#include "sources/rdf/characters.h"

namespace helve::sparql {

namespace {

// Characters that word processors, chats and other languages put where SPARQL has its own.
struct Lookalike {
  char32_t character;
  std::string_view name;
  std::string_view hint;
};
constexpr std::string_view kQuoteHint = "use straight quotation marks: \" or '";
constexpr std::string_view kSpaceHint = "replace it with a plain space";
constexpr auto kLookalikes = std::to_array<Lookalike>({
    {0x00A0, "a no-break space", kSpaceHint},
    {0x2007, "a figure space", kSpaceHint},
    {0x202F, "a narrow no-break space", kSpaceHint},
    {0x200B, "a zero-width space", "remove it"},
    {0xFEFF, "a byte order mark", "remove it"},
    {0x3000, "an ideographic space", kSpaceHint},
    {0x2018, "a typographic quotation mark", kQuoteHint},
    {0x2019, "a typographic quotation mark", kQuoteHint},
    {0x201A, "a typographic quotation mark", kQuoteHint},
    {0x201C, "a typographic quotation mark", kQuoteHint},
    {0x201D, "a typographic quotation mark", kQuoteHint},
    {0x201E, "a typographic quotation mark", kQuoteHint},
    {0x00AB, "a typographic quotation mark", kQuoteHint},
    {0x00BB, "a typographic quotation mark", kQuoteHint},
    {0x00B4, "an acute accent", kQuoteHint},
    {0x2013, "an en dash", "use the minus sign '-'"},
    {0x2014, "an em dash", "use the minus sign '-'"},
    {0x2212, "a typographic minus sign", "use '-'"},
    {0x00D7, "a multiplication sign", "use '*'"},
    {0x00F7, "a division sign", "use '/'"},
    {0x2260, "a sign that SPARQL does not have", "not equal is '!='"},
    {0x2264, "a sign that SPARQL does not have", "less or equal is '<='"},
    {0x2265, "a sign that SPARQL does not have", "greater or equal is '>='"},
    {0x2227, "a sign that SPARQL does not have", "and is '&&'"},
    {0x2228, "a sign that SPARQL does not have", "or is '||'"},
    {0x00AC, "a sign that SPARQL does not have", "not is '!'"},
    {0x2026, "an ellipsis", "write out what it stands for"},
    {'`', "a backquote",
     "strings take \" or ', IRIs take < and >, and names of variables are not quoted"},
    {'&', "a single '&'", "and is '&&'"},
    {'%', "'%'", "there is no remainder operator: ?a - ?b * FLOOR(?a / ?b)"},
    {'~', "'~'", "to match a pattern write REGEX(?x, \"pattern\")"},
});

}  // namespace

Token Lexer::make(TokenKind kind, std::size_t length) {
  Token token;
  token.kind = kind;
  token.span = {static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(at_ + length)};
  token.text = text_.substr(at_, length);
  at_ += length;
  return token;
}

bool Lexer::fail(std::size_t offset, std::string message, std::string hint) {
  fault_ = {std::move(message), std::move(hint), static_cast<std::uint32_t>(offset)};
  return false;
}

Token Lexer::bad() {
  Token token = make(TokenKind::Bad, 0);
  at_ = text_.size();
  return token;
}

// SPARQL 1.1 decodes escapes before anything else, so one may end a comment for another reader.
bool Lexer::check_comment(std::size_t begin, std::size_t end) {
  if (version_ != Version::Sparql11) return true;
  for (std::size_t at = text_.find('\\', begin); at < end; at = text_.find('\\', at + 1)) {
    char32_t value = 0;
    std::size_t bytes = 0;
    if (byte_at(at + 1) != 'u' && byte_at(at + 1) != 'U') continue;
    if (!code_point(at, value, bytes)) continue;
    if (value == '\n' || value == '\r') {
      at_ = at;
      return fail(at, "this escape stands for a line break, which would end the comment",
                  "remove the escape from the comment");
    }
  }
  return true;
}

bool Lexer::pass_space() {
  while (at_ < text_.size()) {
    if (is_space(text_[at_])) {
      ++at_;
    } else if (text_[at_] == '#') {
      const std::size_t end = std::min(text_.find_first_of("\n\r", at_), text_.size());
      if (!check_comment(at_, end)) return false;
      at_ = end;
    } else {
      break;
    }
  }
  return true;
}

Token Lexer::next() {
  if (!pass_space()) return bad();
  if (at_ >= text_.size()) return make(TokenKind::End, 0);
  const char c = text_[at_];
  const char after = byte_at(at_ + 1);
  if (is_letter(c) || c == ':') return name();
  if (is_digit(c)) return number();
  switch (c) {
    case '?':
    case '$':
      return variable();
    case '<':
      return iri_or_less();
    case '"':
    case '\'':
      return string();
    case '_':
      return blank_label();
    case '@':
      return lang_tag();
    case '.':
      return is_digit(after) ? number() : make(TokenKind::Dot, 1);
    default:
      return punctuation();
  }
}

Token Lexer::punctuation() {
  const char after = byte_at(at_ + 1);
  const auto one_or_two = [&](TokenKind one, char second, TokenKind two) {
    return after == second ? make(two, 2) : make(one, 1);
  };
  switch (text_[at_]) {
    case '{':
      return make(TokenKind::LeftBrace, 1);
    case '}':
      return make(TokenKind::RightBrace, 1);
    case '(':
      return make(TokenKind::LeftParenthesis, 1);
    case ')':
      return make(TokenKind::RightParenthesis, 1);
    case '[':
      return make(TokenKind::LeftBracket, 1);
    case ']':
      return make(TokenKind::RightBracket, 1);
    case ',':
      return make(TokenKind::Comma, 1);
    case ';':
      return make(TokenKind::Semicolon, 1);
    case '*':
      return make(TokenKind::Star, 1);
    case '+':
      return make(TokenKind::Plus, 1);
    case '-':
      return make(TokenKind::Minus, 1);
    case '/':
      return make(TokenKind::Slash, 1);
    case '=':
      return make(TokenKind::Equal, 1);
    case '|':
      return one_or_two(TokenKind::Pipe, '|', TokenKind::PipePipe);
    case '^':
      return one_or_two(TokenKind::Caret, '^', TokenKind::CaretCaret);
    case '!':
      return one_or_two(TokenKind::Bang, '=', TokenKind::BangEqual);
    case '>':
      return one_or_two(TokenKind::Greater, '=', TokenKind::GreaterEqual);
    case '&':
      return after == '&' ? make(TokenKind::AmpAmp, 2) : unexpected_character();
    default:
      return rdf::is_pn_chars_base(name_character(at_).value) ? name() : unexpected_character();
  }
}

// Text that was escaped for another language and not turned back. False: no such thing.
bool Lexer::fail_foreign_escape() {
  const std::string_view rest = text_.substr(at_);
  for (const std::string_view entity : {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;", "&#39;"}) {
    if (!rest.starts_with(entity)) continue;
    fail(at_, fmt::format("the text is escaped for HTML or XML: {}", entity),
         "give the query with plain characters");
    return true;
  }
  if (rest[0] == '%' && hex_value(byte_at(at_ + 1)) >= 0 && hex_value(byte_at(at_ + 2)) >= 0) {
    fail(at_, fmt::format("the text is percent-encoded: {}", rest.substr(0, 3)),
         "give the query with plain characters");
    return true;
  }
  if (rest.starts_with("\\n") || rest.starts_with("\\t") || rest.starts_with("\\\"") ||
      rest.starts_with("\\'")) {
    fail(at_, fmt::format("the text is escaped as for JSON or code: {}", rest.substr(0, 2)),
         "give the query with real line breaks and plain quotation marks");
    return true;
  }
  return false;
}

Token Lexer::unexpected_character() {
  if (fail_foreign_escape()) return bad();
  if (text_[at_] == '\\') {
    char32_t value = 0;
    std::size_t bytes = 0;
    const bool is_code_point = byte_at(at_ + 1) == 'u' || byte_at(at_ + 1) == 'U';
    if (is_code_point && !code_point(at_, value, bytes)) return bad();
    fail(at_, "a backslash outside of strings, IRIs and names",
         is_code_point ? "write the character itself instead of its escape" : "remove it");
    return bad();
  }
  const char* p = text_.data() + at_;
  const char32_t c = decode_utf8(p, text_.data() + text_.size());
  const auto* const found = std::find_if(kLookalikes.begin(), kLookalikes.end(),
                                         [c](const Lookalike& l) { return l.character == c; });
  if (found != kLookalikes.end()) {
    const std::string code = c < 0x80 ? "" : fmt::format(" (U+{:04X})", std::uint32_t{c});
    fail(at_, fmt::format("{}{} has no meaning here", found->name, code), std::string(found->hint));
    return bad();
  }
  fail(at_, fmt::format("the character '{}' (U+{:04X}) has no meaning in SPARQL outside of "
                        "strings, IRIs and comments",
                        escape_for_terminal(std::string(text_.data() + at_, p)), std::uint32_t{c}));
  return bad();
}

// IRIREF where one can be read, else an operator. https://www.w3.org/TR/sparql11-query/#rIRIREF
Token Lexer::iri_or_less() {
  bool has_escapes = false;
  std::size_t at = at_ + 1;
  while (at < text_.size()) {
    const auto c = static_cast<unsigned char>(text_[at]);
    if (c == '>') {
      Token token = make(TokenKind::IriRef, at + 1 - at_);
      token.text = token.text.substr(1, token.text.size() - 2);
      token.has_escapes = has_escapes;
      return token;
    }
    if (c == '\\') {
      if (byte_at(at + 1) != 'u' && byte_at(at + 1) != 'U') break;
      char32_t value = 0;
      std::size_t bytes = 0;
      if (!code_point(at, value, bytes)) return bad();
      if (value <= 0x20 ||
          std::u32string_view(U"<>\"{}|^`\\").find(value) != std::u32string_view::npos) {
        fail(at,
             fmt::format("this escape stands for U+{:04X}, which no IRI can contain",
                         std::uint32_t{value}),
             fmt::format("percent-encode it: %{:02X}", std::uint32_t{value}));
        return bad();
      }
      has_escapes = true;
      at += bytes;
      continue;
    }
    if (c <= 0x20 ||
        std::string_view("<\"{}|^`").find(static_cast<char>(c)) != std::string_view::npos) {
      break;
    }
    ++at;
  }
  return byte_at(at_ + 1) == '=' ? make(TokenKind::LessEqual, 2) : make(TokenKind::Less, 1);
}

}  // namespace helve::sparql
