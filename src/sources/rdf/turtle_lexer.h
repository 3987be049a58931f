// TurtleLexer: the terminals of Turtle and TriG, by the grammar's names.
// https://www.w3.org/TR/turtle/#sec-grammar-grammar
// Its neighbour turtle_reader.cc holds the productions.
#pragma once

#include <string_view>
#include <utility>

#include "sources/rdf/text_cursor.h"

namespace helve::rdf {

// PNAME_LN or PNAME_NS, as written; valid until the lexer is used again.
struct PrefixedName {
  std::string_view prefix;  // without the colon
  std::string_view local;
  bool has_escapes = false;
};

enum class NumberKind : std::uint8_t { Integer, Decimal, Double };

// Every terminal function REQUIRES that peek() has just returned its first byte; it moves the
// cursor behind the token, or fails and returns false.
class TurtleLexer : public TextCursor {
 public:
  using TextCursor::TextCursor;

  // The first byte of the next token, behind white space and comments; kEnd at the end of the
  // document and on errors.
  int peek() {
    if (at_ != end_) {
      if (*at_ == ' ' && at_ + 1 != end_) ++at_;  // what stands between most tokens
      const auto byte = static_cast<unsigned char>(*at_);
      if (byte > ' ' && byte != '#') return byte;
    }
    return peek_behind_space();
  }
  // Passes a token of one byte that peek() has returned.
  void pass() { ++at_; }
  // Passes `byte` when it is the next token.
  bool pass_if(char byte) {
    if (peek() != static_cast<unsigned char>(byte)) return false;
    ++at_;
    return true;
  }

  // The IRI reference, unescaped, not resolved.
  bool iriref(HeldText& out);
  bool blank_node_label(std::string_view& out);
  // STRING_LITERAL_QUOTE and its three siblings, unescaped.
  bool string(HeldText& out);
  // The tag without '@'; valid until the lexer is used again.
  bool langtag(std::string_view& out);
  // False without an error when there is no number here.
  bool number(HeldText& out, NumberKind& kind);
  // A prefixed name. False without an error when there is none here: see word().
  bool prefixed_name(PrefixedName& out);
  // The letters at the cursor, which stays; valid until the lexer is used again. `skipped` bytes
  // (an '@') are passed over first.
  std::string_view word(std::size_t skipped = 0);
  void pass_word(std::string_view word, std::size_t skipped = 0) { at_ += word.size() + skipped; }
  // Passes '^^' when it comes next, else an error or nothing.
  bool pass_datatype_mark();
  // True when the byte behind the cursor is `byte`.
  bool is_followed_by(char byte);

  // Where the last IRI or prefixed name begins. REQUIRES: nothing was asked of the lexer since.
  const char* token_start() const { return at_ - token_bytes_; }
  // The quotes that close the string in which an error was found, once; empty: not in a string.
  std::string_view take_open_string() { return std::exchange(open_string_, {}); }

 private:
  [[gnu::noinline]] int peek_behind_space();
  bool short_string(const char* p, HeldText& out);
  bool long_string(const char* p, HeldText& out);
  bool finish_string(const char* p, std::size_t quotes, bool has_escapes, HeldText& out);
  bool fail_unclosed(std::string_view what, std::string_view closing);
  [[gnu::cold, gnu::noinline]] bool fail_in_iri(const char* p);
  // Passes ECHAR or UCHAR, `p` at the backslash.
  bool escape(const char*& p, bool in_iri);
  bool uchar(const char*& p, int digits, bool in_iri);
  // Passes characters of a name as long as they fit; final dots stay outside.
  template <bool kIsLocal>
  bool name(const char*& p, bool& has_escapes);
  bool plx(const char*& p, bool& has_escapes);
  bool digits(const char*& p);
  bool exponent(const char*& p);

  std::string_view open_string_;
  std::ptrdiff_t token_bytes_ = 0;
};

// Appends the text with its escapes resolved. REQUIRES: the lexer has accepted them.
void append_unescaped(std::string& out, std::string_view text);
// The same for PN_LOCAL_ESC in a local name; percent signs stay as they are.
void append_local_unescaped(std::string& out, std::string_view local);

}  // namespace helve::rdf
