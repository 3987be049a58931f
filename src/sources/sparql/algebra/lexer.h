// Lexer: the terminals of SPARQL, one at a time, straight from the text.
// https://www.w3.org/TR/sparql11-query/#grammar
// Its neighbour parser_state.h holds the productions.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "sources/sparql/algebra/query.h"
#include "sources/sparql/algebra/source_span.h"

namespace helve::sparql {

enum class TokenKind : std::uint8_t {
  End,
  Bad,  // Lexer::fault() says why; the lexer goes no further
  IriRef,
  PrefixedName,
  BlankLabel,
  Variable,
  LangTag,
  Integer,  // numbers have no sign: the parser joins a '+' or '-' that stands right before one
  Decimal,
  Double,
  String,
  Word,  // keywords and every other bare word
  LeftBrace,
  RightBrace,
  LeftParenthesis,
  RightParenthesis,
  LeftBracket,
  RightBracket,
  Dot,
  Comma,
  Semicolon,
  Star,
  Plus,
  Minus,
  Slash,
  Pipe,
  PipePipe,
  Caret,
  CaretCaret,
  AmpAmp,
  Bang,
  BangEqual,
  Equal,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Question,
};

struct Token {
  TokenKind kind = TokenKind::End;
  bool has_escapes = false;  // `text` must go through the unescape function of its kind
  std::uint8_t quotes = 0;   // of a String: 1 or 3
  SourceSpan span;
  // Without the signs of its kind: <>, quotes, ?, _:, @. A prefixed name with its colon.
  std::string_view text;
};

// Why there is no token.
struct LexerFault {
  std::string message;
  std::string hint;
  std::uint32_t offset = 0;
};

// REQUIRES: valid UTF-8 of less than 4 GiB that outlives the lexer and its tokens. Copying one is
// how to look ahead.
class Lexer {
 public:
  Lexer(std::string_view text, Version version) : text_(text), version_(version) {}

  Token next();
  // From here on.
  void set_version(Version version) { version_ = version; }
  void skip_to(std::size_t offset) { at_ = offset; }
  const LexerFault& fault() const { return fault_; }

 private:
  // A character of a name, which in SPARQL 1.1 may be written as an escape.
  struct NameCharacter {
    char32_t value = 0;
    std::size_t bytes = 0;  // 0: the end of the text
    bool is_escaped = false;
  };

  char byte_at(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }
  bool pass_space();
  bool check_comment(std::size_t begin, std::size_t end);

  Token punctuation();
  Token make(TokenKind kind, std::size_t length);
  bool fail(std::size_t offset, std::string message, std::string hint = {});  // false
  Token bad();  // REQUIRES: fail() was called
  Token unexpected_character();
  bool fail_foreign_escape();

  Token iri_or_less();
  Token string();
  bool string_escape(std::size_t& at, char quote, std::size_t quotes);
  Token unclosed_string(std::size_t at, std::size_t quotes);
  // Decodes \u or \U and its digits, or fails.
  bool code_point(std::size_t at, char32_t& value, std::size_t& bytes);

  Token variable();
  Token blank_label();
  Token lang_tag();
  Token number();
  Token name();
  bool local_name(std::size_t& at, bool& has_escapes);
  std::size_t prefix_end(bool& has_escapes);
  NameCharacter name_character(std::size_t at) const;

  std::string_view text_;
  Version version_;
  std::size_t at_ = 0;
  std::size_t no_colon_before_ = 0;  // a name that begins before this offset is a word
  LexerFault fault_;
};

// Appends a name (of a variable, blank node or prefixed name, or a word) with its escapes resolved.
void append_name_unescaped(std::string& out, std::string_view name);
// Every label that stands behind a "_:" in the text, be it in a string or a comment.
std::set<std::string> blank_labels_in(std::string_view text);

}  // namespace helve::sparql
