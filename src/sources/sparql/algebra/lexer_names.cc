// Variables, labels, language tags, numbers, prefixed names and words. lexer.cc is its neighbour.
#include <fmt/core.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/utf8.h"
#include "sources/rdf/characters.h"
#include "sources/sparql/algebra/lexer.h"

namespace helve::sparql {

namespace {

// VARNAME, after its first character.
constexpr bool is_variable_character(char32_t c) { return c != '-' && rdf::is_pn_chars(c); }

constexpr std::string_view kLocalEscapes = "_~.-!$&'()*+,;=/?#@%";

}  // namespace

// Escapes of other characters than those of names are left to fail where they stand.
Lexer::NameCharacter Lexer::name_character(std::size_t at) const {
  if (at >= text_.size()) return {};
  const char c = text_[at];
  if (static_cast<unsigned char>(c) < 0x80 && c != '\\') {
    return {static_cast<unsigned char>(c), 1, false};
  }
  if (c != '\\') {
    const char* p = text_.data() + at;
    const char32_t value = decode_utf8(p, text_.data() + text_.size());
    return {value, static_cast<std::size_t>(p - text_.data()) - at, false};
  }
  const char letter = byte_at(at + 1);
  if (version_ != Version::Sparql11 || (letter != 'u' && letter != 'U')) return {'\\', 1, false};
  const std::size_t digits = letter == 'u' ? 4 : 8;
  char32_t value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const int digit = hex_value(byte_at(at + 2 + i));
    if (digit < 0) return {'\\', 1, false};
    value = (value << 4) | static_cast<char32_t>(digit);
  }
  if (!rdf::is_pn_chars(value)) return {'\\', 1, false};
  return {value, 2 + digits, true};
}

// VAR1, VAR2, or the '?' of a path.
Token Lexer::variable() {
  std::size_t at = at_ + 1;
  bool has_escapes = false;
  for (bool is_first = true;; is_first = false) {
    const NameCharacter c = name_character(at);
    const bool fits = is_first ? rdf::is_pn_chars_u(c.value) || is_digit(c.value)
                               : is_variable_character(c.value);
    if (c.bytes == 0 || !fits) break;
    has_escapes |= c.is_escaped;
    at += c.bytes;
  }
  if (at == at_ + 1) {
    if (text_[at_] == '?') return make(TokenKind::Question, 1);
    fail(at_, "'$' has no variable name after it", "write $name or ?name");
    return bad();
  }
  Token token = make(TokenKind::Variable, at - at_);
  token.text.remove_prefix(1);
  token.has_escapes = has_escapes;
  return token;
}

// BLANK_NODE_LABEL
Token Lexer::blank_label() {
  if (byte_at(at_ + 1) != ':') {
    fail(at_, "'_' begins nothing here: a blank node is written _:name, a variable ?name");
    return bad();
  }
  std::size_t at = at_ + 2;
  std::size_t end = at;  // after the last character that is no dot
  bool has_escapes = false;
  while (true) {
    const NameCharacter c = name_character(at);
    const bool is_first = at == at_ + 2;
    const bool fits = is_first ? rdf::is_pn_chars_u(c.value) || is_digit(c.value)
                               : c.value == '.' || rdf::is_pn_chars(c.value);
    if (c.bytes == 0 || !fits) break;
    at += c.bytes;
    if (c.value == '.') continue;
    end = at;
    has_escapes |= c.is_escaped;
  }
  if (end == at_ + 2) {
    fail(at_, "'_:' has no name after it", "write _:name, or [] for a node without a name");
    return bad();
  }
  Token token = make(TokenKind::BlankLabel, end - at_);
  token.text.remove_prefix(2);
  token.has_escapes = has_escapes;
  return token;
}

// LANGTAG; with the base direction of SPARQL 1.2 when there is one, so that the parser can name it.
Token Lexer::lang_tag() {
  std::size_t at = at_ + 1;
  while (is_letter(byte_at(at))) ++at;
  if (at == at_ + 1) {
    fail(at_, "'@' has no language after it", "a language tag follows its string: \"chat\"@fr");
    return bad();
  }
  const auto alphanumeric = [&](std::size_t from) {
    while (is_letter_or_digit(byte_at(from))) ++from;
    return from;
  };
  while (byte_at(at) == '-' && alphanumeric(at + 1) > at + 1) at = alphanumeric(at + 1);
  if (byte_at(at) == '-' && byte_at(at + 1) == '-' && is_letter(byte_at(at + 2))) {
    const std::size_t end = alphanumeric(at + 2);
    const std::string_view direction = text_.substr(at + 2, end - at - 2);
    if (version_ == Version::Sparql12 || direction == "ltr" || direction == "rtl") at = end;
  }
  Token token = make(TokenKind::LangTag, at - at_);
  token.text.remove_prefix(1);
  return token;
}

// INTEGER, DECIMAL and DOUBLE
Token Lexer::number() {
  const auto digits = [&](std::size_t from) {
    while (is_digit(byte_at(from))) ++from;
    return from;
  };
  const auto exponent = [&](std::size_t from) {
    if (byte_at(from) != 'e' && byte_at(from) != 'E') return from;
    const bool is_signed = byte_at(from + 1) == '+' || byte_at(from + 1) == '-';
    const std::size_t begin = from + (is_signed ? 2 : 1);
    const std::size_t end = digits(begin);
    return end > begin ? end : from;
  };
  TokenKind kind = TokenKind::Integer;
  std::size_t at = digits(at_);
  if (byte_at(at) == '.') {
    const std::size_t fraction = digits(at + 1);
    if (fraction > at + 1) {
      kind = TokenKind::Decimal;
      at = fraction;
    } else if (const std::size_t end = exponent(at + 1); end > at + 1) {
      return make(TokenKind::Double, end - at_);
    }
  }
  if (const std::size_t end = exponent(at); end > at) return make(TokenKind::Double, end - at_);
  return make(kind, at - at_);
}

// The end of PN_PREFIX and of the dots after it.
std::size_t Lexer::prefix_end(bool& has_escapes) {
  std::size_t at = at_;
  while (true) {
    const NameCharacter c = name_character(at);
    if (c.bytes == 0 || (c.value != '.' && !rdf::is_pn_chars(c.value))) return at;
    has_escapes |= c.is_escaped;
    at += c.bytes;
  }
}

// Passes PN_LOCAL; final dots stay outside.
bool Lexer::local_name(std::size_t& at, bool& has_escapes) {
  std::size_t end = at;
  for (bool is_first = true;; is_first = false) {
    const NameCharacter c = name_character(end);
    if (c.bytes == 0) break;
    std::size_t bytes = c.bytes;
    if (c.value == '\\' && !c.is_escaped) {
      if (byte_at(end + 1) == 'u' || byte_at(end + 1) == 'U') {
        return fail(end, "an escape of this character cannot stand in a prefixed name",
                    "write the whole IRI in angle brackets");
      }
      if (kLocalEscapes.find(byte_at(end + 1)) == std::string_view::npos ||
          byte_at(end + 1) == '\0') {
        return fail(end,
                    fmt::format("an unknown escape in a prefixed name: a backslash may stand "
                                "before one of {}",
                                kLocalEscapes),
                    "write the whole IRI in angle brackets");
      }
      has_escapes = true;
      bytes = 2;
    } else if (c.value == '%') {
      if (hex_value(byte_at(end + 1)) < 0 || hex_value(byte_at(end + 2)) < 0) {
        return fail(end, "'%' in a prefixed name takes two hexadecimal digits",
                    "write the sign itself as \\%");
      }
      bytes = 3;
    } else {
      const bool fits = c.value == ':' || rdf::is_pn_chars_u(c.value) || is_digit(c.value) ||
                        (!is_first && (c.value == '.' || rdf::is_pn_chars(c.value)));
      if (!fits) break;
      has_escapes |= c.is_escaped;
    }
    end += bytes;
    if (c.value != '.') at = end;
  }
  return true;
}

// PNAME_NS, PNAME_LN, or a word.
Token Lexer::name() {
  bool has_escapes = false;
  std::size_t at = at_;
  if (at_ >= no_colon_before_) {
    at = prefix_end(has_escapes);
    // A prefix does not end with a dot.
    if (byte_at(at) == ':' && (at == at_ || text_[at - 1] != '.')) {
      ++at;
      if (!local_name(at, has_escapes)) return bad();
      Token token = make(TokenKind::PrefixedName, at - at_);
      token.has_escapes = has_escapes;
      return token;
    }
    no_colon_before_ = at;
  }
  // Keywords are letters, digits and '_'; what else there is of a name stays with other words.
  has_escapes = false;
  at = at_;
  while (true) {
    const NameCharacter c = name_character(at);
    const bool fits = c.value != '-' && c.value != '.' && rdf::is_pn_chars(c.value);
    if (c.bytes == 0 || !fits) break;
    has_escapes |= c.is_escaped;
    at += c.bytes;
  }
  Token token = make(TokenKind::Word, at - at_);
  token.has_escapes = has_escapes;
  return token;
}

void append_name_unescaped(std::string& out, std::string_view name) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '\\') {
      out += name[i];
      continue;
    }
    const char letter = name[++i];
    if (letter != 'u' && letter != 'U') {
      out += letter;
      continue;
    }
    const std::size_t digits = letter == 'u' ? 4 : 8;
    char32_t value = 0;
    for (std::size_t k = 1; k <= digits; ++k) {
      value = (value << 4) | static_cast<char32_t>(hex_value(name[i + k]));
    }
    append_utf8(out, value);
    i += digits;
  }
}

std::set<std::string> blank_labels_in(std::string_view text) {
  std::set<std::string> labels;
  for (std::size_t at = text.find("_:"); at != std::string_view::npos;
       at = text.find("_:", at + 2)) {
    Lexer lexer(text, Version::Sparql11);
    lexer.skip_to(at);
    const Token token = lexer.next();
    if (token.kind != TokenKind::BlankLabel) continue;
    std::string label;
    append_name_unescaped(label, token.text);
    labels.insert(std::move(label));
  }
  return labels;
}

}  // namespace helve::sparql
