#include "toolkit/tools/shown_text.h"

#include <algorithm>
#include <array>

#include "base/deceptive.h"
#include "base/utf8.h"

namespace helve::toolkit {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

using ByteSet = std::array<bool, 256>;

// Bytes that stand for themselves in both forms.
constexpr ByteSet bare_bytes(std::string_view but) {
  ByteSet is_bare{};
  for (std::size_t byte = 0x20; byte < 0x7F; ++byte) is_bare.at(byte) = true;
  for (const char c : but) is_bare.at(static_cast<unsigned char>(c)) = false;
  return is_bare;
}

constexpr std::string_view kBadInIri = " <>\"{}|^`\\";
constexpr ByteSet kBareInText = bare_bytes("\"\\");
constexpr ByteSet kBareInColumn = bare_bytes("\"\\|");
constexpr ByteSet kBareInIri = bare_bytes(kBadInIri);

const ByteSet& bare_in(Spelling spelling) {
  switch (spelling) {
    case Spelling::Iri:
      return kBareInIri;
    case Spelling::PlainColumn:
    case Spelling::LiteralColumn:
      return kBareInColumn;
    default:
      return kBareInText;
  }
}

bool is_literal(Spelling spelling) {
  return spelling == Spelling::Literal || spelling == Spelling::LiteralColumn;
}

// What one character becomes: a few bytes on the stack.
class Piece {
 public:
  void add(char c) { bytes_[size_++] = c; }
  void add(std::string_view text) {
    for (const char c : text) add(c);
  }
  void add_hex(char32_t c, int digits) {
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
      add("0123456789ABCDEF"[(c >> static_cast<unsigned>(shift)) & 0xFU]);
    }
  }
  std::string_view view() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, 24> bytes_{};  // an escaped escape of a tag takes 12
  std::size_t size_ = 0;
};

char short_escape(char32_t c) { return c == '\n' ? 'n' : c == '\r' ? 'r' : c == '\t' ? 't' : '\0'; }

// As Turtle and as people write it: \n, \u202E, \U000E0041.
void add_visible(Piece& piece, char32_t c) {
  piece.add('\\');
  if (const char letter = short_escape(c); letter != '\0') {
    piece.add(letter);
  } else if (c <= 0xFFFF) {
    piece.add('u');
    piece.add_hex(c, 4);
  } else {
    piece.add('U');
    piece.add_hex(c, 8);
  }
}

// The character as the spelling alone wants it; `self` are its own bytes.
void add_spelled(Piece& piece, char32_t c, std::string_view self, Spelling spelling) {
  if (is_deceptive(c)) {
    if (spelling == Spelling::Lines && (c == '\n' || c == '\t')) return piece.add(self);
    return add_visible(piece, c);
  }
  const bool is_bar =
      c == '|' && (spelling == Spelling::PlainColumn || spelling == Spelling::LiteralColumn);
  if (is_bar || (spelling == Spelling::Iri && c < 0x80 && !kBareInIri.at(c))) {
    piece.add("\\u");
    return piece.add_hex(c, 4);
  }
  if (is_literal(spelling) && (c == '"' || c == '\\')) piece.add('\\');
  piece.add(self);
}

Piece piece_of(char32_t c, std::string_view self, Spelling spelling, ReplyForm form) {
  Piece piece;
  if (form == ReplyForm::Text) {
    add_spelled(piece, c, self, spelling);
    return piece;
  }
  // JSON has escapes of its own for these two; a reader of the string meets the characters.
  if ((spelling == Spelling::Plain || spelling == Spelling::Lines) && (c == '\n' || c == '\t')) {
    add_visible(piece, c);
    return piece;
  }
  Piece spelled;
  add_spelled(spelled, c, self, spelling);
  for (const char byte : spelled.view()) {
    if (byte == '"' || byte == '\\') piece.add('\\');
    piece.add(byte);
  }
  return piece;
}

// May begin a character that is not ASCII.
bool is_lead(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  return value >= 0xC2 && value <= 0xF4;
}

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// Goes over the string by runs of bare bytes and single characters. `take(shown, chars, source
// bytes, is_run)` answers whether to go on.
template <typename Take>
void walk(std::string_view text, Spelling spelling, ReplyForm form, const Take& take) {
  constexpr std::size_t kWindow = 64;  // bytes validated at a time
  const ByteSet& is_bare = bare_in(spelling);
  std::size_t good_end = 0;  // up to here it is known to be valid
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_bare[static_cast<unsigned char>(text[end])]) ++end;
    if (end > at) {
      if (!take(text.substr(at, end - at), end - at, end - at, true)) return;
      at = end;
      continue;
    }
    const bool is_ascii = static_cast<unsigned char>(text[at]) < 0x80;
    if (!is_ascii && at >= good_end && is_lead(text[at])) {
      good_end = at + utf8_valid_prefix(text.substr(at, kWindow));
    }
    if (!is_ascii && at >= good_end) {
      // One mark per bad sequence: its stray continuation bytes go with it.
      do {
        ++end;
      } while (end < text.size() && is_continuation(text[end]));
      if (!take(kReplacement, 1, end - at, false)) return;
      at = end;
      continue;
    }
    const char* next = text.data() + at;
    const char32_t c = decode_utf8(next, text.data() + text.size());
    const auto bytes = static_cast<std::size_t>(next - text.data()) - at;
    if (c > 0x9F && !is_deceptive(c)) {
      if (!take(text.substr(at, bytes), 1, bytes, false)) return;
      at += bytes;
      continue;
    }
    const Piece piece = piece_of(c, text.substr(at, bytes), spelling, form);
    if (!take(piece.view(), utf8_length(piece.view()), bytes, false)) return;
    at += bytes;
  }
}

// No more than this many bytes are looked at for that many characters.
std::string_view head_of(std::string_view text, std::size_t characters) {
  constexpr std::size_t kBytesPerCharacter = 4;
  if (characters >= text.size() / kBytesPerCharacter) return text;
  return text.substr(0, kBytesPerCharacter * (characters + 2));
}

}  // namespace

std::size_t shown_chars(std::string_view text, Spelling spelling, ReplyForm form,
                        std::size_t enough) {
  std::size_t total = 0;
  walk(head_of(text, enough), spelling, form,
       [&](std::string_view, std::size_t chars, std::size_t, bool) {
         total += chars;
         return total <= enough;
       });
  return total;
}

ShownPart append_shown(std::string& out, std::string_view text, Spelling spelling, ReplyForm form,
                       std::size_t room) {
  ShownPart part;
  walk(head_of(text, room), spelling, form,
       [&](std::string_view shown, std::size_t chars, std::size_t bytes, bool is_run) {
         const std::size_t left = room - part.room_used;
         if (chars > left && !is_run) return false;
         const std::size_t taken = std::min(chars, left);
         out.append(is_run ? shown.substr(0, taken) : shown);
         part.room_used += taken;
         part.bytes += is_run ? taken : bytes;
         part.characters += is_run ? taken : 1;
         return taken == chars;
       });
  return part;
}

}  // namespace helve::toolkit
