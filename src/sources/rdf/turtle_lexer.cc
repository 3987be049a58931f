// The terminals. Each scans with a table of byte classes and looks at characters one by one only
// beyond ASCII; what has no escapes stays a view into the window.
#include "sources/rdf/turtle_lexer.h"

#include <fmt/format.h>

#include <array>

#include "base/iri.h"
#include "base/utf8.h"
#include "sources/rdf/characters.h"

namespace helve::rdf {

namespace {

// Classes of bytes, one bit each.
constexpr std::uint8_t kSpace = 1;         // WS
constexpr std::uint8_t kIriStop = 2;       // ends the plain part of an IRIREF
constexpr std::uint8_t kStringStop = 4;    // ends the plain part of a string in one quote
constexpr std::uint8_t kLongStop = 8;      // the same in three quotes
constexpr std::uint8_t kNameByte = 16;     // ASCII of PN_CHARS
constexpr std::uint8_t kLocalByte = 32;    // the same and ':'
constexpr std::uint8_t kLocalEscape = 64;  // behind a backslash in a local name
constexpr std::uint8_t kLineBreak = 128;   // ends a comment

constexpr std::array<std::uint8_t, 256> kClasses = [] {
  std::array<std::uint8_t, 256> classes{};
  const auto mark = [&classes](std::string_view bytes, std::uint8_t byte_class) {
    for (const char byte : bytes) classes[static_cast<unsigned char>(byte)] |= byte_class;
  };
  mark(" \t\r\n", kSpace);
  mark("\r\n", kLineBreak);
  for (std::size_t byte = 0; byte <= 0x20; ++byte) classes[byte] |= kIriStop;
  mark("<>\"{}|^`\\", kIriStop);
  mark("\"'\\\r\n", kStringStop);
  mark("\"'\\", kLongStop);
  for (char32_t c = 0; c < 0x80; ++c) {
    if (is_pn_chars(c)) classes[c] |= kNameByte | kLocalByte;
  }
  mark(":", kLocalByte);
  mark("_~.-!$&'()*+,;=/?#@%", kLocalEscape);
  return classes;
}();

bool is_in(char byte, std::uint8_t classes) {
  return (kClasses[static_cast<unsigned char>(byte)] & classes) != 0;
}

// Over values, not members: the compiler cannot know that a char is not one of them.
const char* pass_while(const char* p, const char* end, std::uint8_t classes) {
  while (p != end && is_in(*p, classes)) ++p;
  return p;
}
const char* pass_until(const char* p, const char* end, std::uint8_t classes) {
  while (p != end && !is_in(*p, classes)) ++p;
  return p;
}

bool is_ascii_byte(char byte) { return static_cast<unsigned char>(byte) < 0x80; }

// The character at `p`; REQUIRES: p != end.
char32_t character_at(const char* p, const char* end) {
  return is_ascii_byte(*p) ? static_cast<char32_t>(*p) : decode_utf8(p, end);
}

std::string_view text_between(const char* from, const char* to) {
  return {from, static_cast<std::size_t>(to - from)};
}

char32_t read_hex(std::string_view digits) {
  char32_t value = 0;
  for (const char digit : digits) value = value * 16 + static_cast<char32_t>(hex_value(digit));
  return value;
}

char unescaped(char letter) {
  switch (letter) {
    case 't':
      return '\t';
    case 'b':
      return '\b';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 'f':
      return '\f';
    default:
      return letter;
  }
}

}  // namespace

void append_unescaped(std::string& out, std::string_view text) {
  while (true) {
    const std::size_t backslash = std::min(text.find('\\'), text.size());
    out.append(text.substr(0, backslash));
    if (backslash == text.size()) return;
    const char letter = text[backslash + 1];
    text.remove_prefix(backslash + 2);
    if (letter != 'u' && letter != 'U') {
      out += unescaped(letter);
      continue;
    }
    const std::size_t digits = letter == 'u' ? 4 : 8;
    append_utf8(out, read_hex(text.substr(0, digits)));
    text.remove_prefix(digits);
  }
}

void append_local_unescaped(std::string& out, std::string_view local) {
  for (std::size_t i = 0; i < local.size(); ++i) {
    if (local[i] == '\\') ++i;
    out += local[i];
  }
}

int TurtleLexer::peek_behind_space() {
  while (true) {
    at_ = pass_while(at_, end_, kSpace);
    if (at_ == end_) {
      const char* p = at_;
      if (!more(p)) return kEnd;
    } else if (*at_ != '#') {
      return static_cast<unsigned char>(*at_);
    } else {
      const char* p = at_;
      do {
        p = at_ = pass_until(p, end_, kLineBreak);
      } while (p == end_ && more(p));
    }
  }
}

bool TurtleLexer::iriref(HeldText& out) {
  const char* p = at_ + 1;
  bool has_escapes = false;
  while (true) {
    p = pass_until(p, end_, kIriStop);
    if (!have(p)) return fail_unclosed("an IRI", "'>'");
    if (*p == '>') break;
    if (*p == '\\') {
      has_escapes = true;
      if (!escape(p, true)) return false;
    } else if (is_in(*p, kIriStop)) {
      return fail_in_iri(p);
    }
  }
  if (!check_length(p)) return false;
  const std::string_view raw = text_between(at_ + 1, p);
  token_bytes_ = p + 1 - at_;
  at_ = p + 1;
  out.text = raw;
  if (has_escapes) {
    out.scratch.clear();
    append_unescaped(out.scratch, raw);
    out.text = out.scratch;
  }
  return true;
}

bool TurtleLexer::fail_in_iri(const char* p) {
  if (p == at_ + 1 && *p == '<') {
    return fail(at_, "quoted triples ('<<') are not part of RDF 1.1");
  }
  std::string hint;
  if (*p == ' ') hint = "a space in an IRI is written %20; is a '>' missing?";
  if (*p == '\n' || *p == '\r') hint = "is a '>' missing?";
  return fail_expected(p, "'>' or a character that an IRI may contain", std::move(hint));
}

bool TurtleLexer::fail_unclosed(std::string_view what, std::string_view closing) {
  return fail(at_, fmt::format("{} begins here and is never closed: expected {} before the end of "
                               "the document",
                               what, closing));
}

bool TurtleLexer::escape(const char*& p, bool in_iri) {
  ++p;
  if (!have(p)) return fail(p, "a backslash at the end of the document");
  if (*p == 'u') return uchar(p, 4, in_iri);
  if (*p == 'U') return uchar(p, 8, in_iri);
  if (in_iri) {
    return fail(p - 1, "an IRI may contain only \\u and \\U escapes",
                "write a backslash in an IRI as %5C");
  }
  if (std::string_view("tbnrf\"'\\").find(*p) == std::string_view::npos) {
    return fail(p - 1,
                "unknown escape in a string: expected \\t \\b \\n \\r \\f \\\" \\' \\\\ \\u or \\U",
                "write a backslash itself as \\\\");
  }
  ++p;
  return true;
}

bool TurtleLexer::uchar(const char*& p, int digits, bool in_iri) {
  ++p;
  char32_t value = 0;
  for (int i = 0; i < digits; ++i, ++p) {
    if (!have(p) || hex_value(*p) < 0) {
      return fail_expected(
          p, fmt::format("{} hexadecimal digits after \\{}", digits, digits == 4 ? 'u' : 'U'));
    }
    value = value * 16 + static_cast<char32_t>(hex_value(*p));
  }
  const char* start = p - digits - 2;
  if (!is_scalar_value(value)) {
    return fail(start,
                fmt::format("U+{:04X} is not a character", static_cast<std::uint32_t>(value)),
                "characters beyond U+FFFF are one \\U escape, not two surrogates");
  }
  if (in_iri && value < 0x80 && is_in(static_cast<char>(value), kIriStop)) {
    return fail(start, fmt::format("U+{:04X} may not stand in an IRI, escaped or not",
                                   static_cast<std::uint32_t>(value)));
  }
  return true;
}

bool TurtleLexer::string(HeldText& out) {
  const char quote = *at_;
  open_string_ = quote == '"' ? "\"\"\"" : "'''";
  const char* p = at_ + 1;
  if (have(p) && *p == quote) {
    ++p;
    if (have(p) && *p == quote) return long_string(p + 1, out);
    return !has_failed() && finish_string(p - 1, 1, false, out);
  }
  open_string_.remove_suffix(2);
  return short_string(p, out);
}

bool TurtleLexer::short_string(const char* p, HeldText& out) {
  bool has_escapes = false;
  while (true) {
    p = pass_until(p, end_, kStringStop);
    if (!have(p)) return fail_unclosed("a string", *at_ == '"' ? "'\"'" : "\"'\"");
    if (*p == *at_) return finish_string(p, 1, has_escapes, out);
    if (*p == '\\') {
      has_escapes = true;
      if (!escape(p, false)) return false;
    } else if (*p == '\n' || *p == '\r') {
      open_string_ = {};
      return fail(p,
                  fmt::format("a string in {0} must end on its line: expected {0}, found the end "
                              "of the line",
                              *at_ == '"' ? "'\"'" : "\"'\""),
                  "text over several lines goes between three quotes");
    } else if (is_in(*p, kStringStop)) {
      ++p;  // the other kind of quote
    }
  }
}

bool TurtleLexer::long_string(const char* p, HeldText& out) {
  bool has_escapes = false;
  int quotes = 0;
  while (true) {
    if (!have(p)) return fail_unclosed("a string", *at_ == '"' ? "'\"\"\"'" : "\"'''\"");
    if (*p == *at_) {
      ++p;
      if (++quotes == 3) return finish_string(p - 3, 3, has_escapes, out);
      continue;
    }
    quotes = 0;
    if (*p == '\\') {
      has_escapes = true;
      if (!escape(p, false)) return false;
      continue;
    }
    p = pass_until(p + 1, end_, kLongStop);
  }
}

bool TurtleLexer::finish_string(const char* p, std::size_t quotes, bool has_escapes,
                                HeldText& out) {
  if (!check_length(p)) return false;
  open_string_ = {};
  out.text = text_between(at_ + quotes, p);
  if (has_escapes) {
    out.scratch.clear();
    append_unescaped(out.scratch, out.text);
    out.text = out.scratch;
  }
  at_ = p + quotes;
  return true;
}

bool TurtleLexer::langtag(std::string_view& out) {
  const char* p = at_ + 1;
  const auto is_part = [](const char* c, bool is_first) {
    return is_letter(*c) || (!is_first && is_digit(*c));
  };
  for (bool is_first = true;; is_first = false) {
    if (!have(p) || !is_part(p, is_first)) {
      return fail_expected(p,
                           is_first ? "a language tag after '@'" : "letters or digits after '-'");
    }
    while (have(p) && is_part(p, is_first)) ++p;
    if (has_failed() || !have(p) || *p != '-') break;
    ++p;
  }
  if (has_failed() || !check_length(p)) return false;
  out = text_between(at_ + 1, p);
  at_ = p;
  return true;
}

template <bool kIsLocal>
bool TurtleLexer::name(const char*& p, bool& has_escapes) {
  constexpr std::uint8_t kFits = kIsLocal ? kLocalByte : kNameByte;
  auto fitting = p - at_;
  while (true) {
    p = pass_while(p, end_, kFits);
    if (p - at_ > fitting && p[-1] != '.') fitting = p - at_;
    if (!have(p)) break;
    if (*p == '.') {
      ++p;
    } else if (!is_ascii_byte(*p)) {
      const char* next = p;
      if (!is_pn_chars(decode_utf8(next, end_))) break;
      p = next;
      fitting = p - at_;
    } else if (kIsLocal && (*p == '%' || *p == '\\')) {
      if (!plx(p, has_escapes)) return false;
      fitting = p - at_;
    } else if (!is_in(*p, kFits)) {
      break;
    }
  }
  p = at_ + fitting;
  return !has_failed();
}

bool TurtleLexer::plx(const char*& p, bool& has_escapes) {
  if (*p == '%') {
    ++p;
    for (int i = 0; i < 2; ++i, ++p) {
      if (!have(p) || hex_value(*p) < 0) {
        return fail_expected(p, "two hexadecimal digits after '%' in a name",
                             "a percent sign itself is written \\%");
      }
    }
    return true;
  }
  ++p;
  if (!have(p) || !is_in(*p, kLocalEscape)) {
    return fail_expected(p, "one of _~.-!$&'()*+,;=/?#@% after '\\' in a name",
                         "other characters need the full IRI in '<' '>'");
  }
  has_escapes = true;
  ++p;
  return true;
}

bool TurtleLexer::prefixed_name(PrefixedName& out) {
  const char* p = at_;
  bool has_escapes = false;
  if (*p != ':') {
    if (!is_pn_chars_base(character_at(p, end_))) return false;
    if (!name<false>(p, has_escapes)) return false;
    if (!have(p) || *p != ':') return false;
  }
  const auto prefix_bytes = p - at_;
  ++p;
  if (have(p)) {
    const char32_t first = character_at(p, end_);
    if (is_pn_chars_u(first) || is_digit(first) || first == ':' || first == '%' || first == '\\') {
      if (!name<true>(p, has_escapes)) return false;
    }
  }
  if (has_failed() || !check_length(p)) return false;
  out.prefix = text_between(at_, at_ + prefix_bytes);
  out.local = text_between(at_ + prefix_bytes + 1, p);
  out.has_escapes = has_escapes;
  token_bytes_ = p - at_;
  at_ = p;
  return true;
}

bool TurtleLexer::blank_node_label(std::string_view& out) {
  const char* p = at_ + 1;
  if (!have(p) || *p != ':') return fail_expected(p, "':' after '_'", "a blank node is _:name");
  ++p;
  bool has_escapes = false;
  if (have(p)) {
    const char32_t first = character_at(p, end_);
    if (is_pn_chars_u(first) || is_digit(first)) {
      if (!name<false>(p, has_escapes)) return false;
    }
  }
  if (p == at_ + 2) return fail_expected(p, "the name of a blank node after '_:'");
  if (!check_length(p)) return false;
  out = text_between(at_ + 2, p);
  at_ = p;
  return true;
}

bool TurtleLexer::digits(const char*& p) {
  bool any = false;
  for (; have(p) && is_digit(*p); ++p) any = true;
  return any;
}

// EXPONENT; `p` stays where there is none.
bool TurtleLexer::exponent(const char*& p) {
  const auto start = p - at_;
  if (have(p) && (*p == 'e' || *p == 'E')) {
    ++p;
    if (have(p) && (*p == '+' || *p == '-')) ++p;
    if (digits(p)) return true;
  }
  p = at_ + start;
  return false;
}

bool TurtleLexer::number(HeldText& out, NumberKind& kind) {
  const char* p = at_;
  if (*p == '+' || *p == '-') ++p;
  kind = NumberKind::Integer;
  const bool has_digits = digits(p);
  const auto integer_end = p - at_;
  if (have(p) && *p == '.') {
    ++p;
    const bool has_fraction = digits(p);
    if ((has_digits || has_fraction) && exponent(p)) {
      kind = NumberKind::Double;
    } else if (has_fraction) {
      kind = NumberKind::Decimal;
    } else {
      p = at_ + integer_end;  // the dot ends the statement
    }
  } else if (has_digits && exponent(p)) {
    kind = NumberKind::Double;
  }
  if (has_failed() || (!has_digits && kind == NumberKind::Integer)) return false;
  if (!check_length(p)) return false;
  out.text = text_between(at_, p);
  at_ = p;
  return true;
}

std::string_view TurtleLexer::word(std::size_t skipped) {
  const char* p = at_ + skipped;
  while (have(p) && is_letter(*p)) ++p;
  return text_between(at_ + skipped, p);
}

bool TurtleLexer::pass_datatype_mark() {
  if (!is_followed_by('^'))
    return has_failed() ? false : fail_expected(at_, "'^^' before a datatype");
  at_ += 2;
  return true;
}

bool TurtleLexer::is_followed_by(char byte) {
  const char* p = at_ + 1;
  return have(p) && *p == byte;
}

}  // namespace helve::rdf
