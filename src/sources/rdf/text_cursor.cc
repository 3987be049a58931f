#include "sources/rdf/text_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/utf8.h"

namespace helve::rdf {

namespace {

constexpr std::ptrdiff_t kShownBytes = 32;

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

bool lies_in(std::string_view text, const char* begin, const char* end) {
  const std::less_equal<> le;
  return !text.empty() && le(begin, text.data()) && le(text.data() + text.size(), end);
}

// In blocks whose count fits a byte, so that a vector holds as many counts as it has bytes.
std::uint64_t count_lines(const char* from, const char* to) {
  constexpr std::ptrdiff_t kBlockBytes = 240;
  std::uint64_t lines = 0;
  for (; to - from >= kBlockBytes; from += kBlockBytes) {
    std::uint8_t some = 0;
    for (std::ptrdiff_t i = 0; i < kBlockBytes; ++i) {
      some = static_cast<std::uint8_t>(some + (from[i] == '\n' ? 1 : 0));
    }
    lines += some;
  }
  return lines + static_cast<std::uint64_t>(std::count(from, to, '\n'));
}

// Moves `position` over the text.
void advance(TextPosition& position, const char* from, const char* to) {
  if (const std::uint64_t lines = count_lines(from, to); lines > 0) {
    position.line += lines;
    position.column = 1;
    from += std::string_view(from, static_cast<std::size_t>(to - from)).rfind('\n') + 1;
  }
  position.column += static_cast<std::uint64_t>(
      std::count_if(from, to, [](char c) { return !is_continuation(c); }));
}

}  // namespace

TextPosition TextCursor::position_of(const char* place) const {
  TextPosition position = counted_position_;
  advance(position, counted_to_, place);
  return position;
}

bool TextCursor::at_line_start() const {
  return at_ == counted_to_ ? counted_position_.column == 1 : at_[-1] == '\n';
}

void TextCursor::count(const char* to) {
  advance(counted_position_, counted_to_, to);
  counted_ += static_cast<std::uint64_t>(to - counted_to_);
  counted_to_ = to;
}

void TextCursor::hold_texts() {
  for (HeldText& held : held_) {
    if (lies_in(held.text, begin(), end_)) held.copy(held.text);
  }
}

bool TextCursor::more(const char*& p) {
  if (has_ended_ || has_failed()) return false;
  if (!check_length(p)) return false;
  if (auto checked = context_.check(); !checked) return fail_fatally(std::move(checked).error());
  hold_texts();
  if (!window_.is_whole()) count(at_);
  const auto ahead = p - at_;
  ++slides_;
  Result<bool> slid = window_.slide(at_);
  at_ = window_.begin();
  if (!window_.is_whole() || counted_to_ == nullptr) counted_to_ = at_;
  end_ = window_.end();
  p = at_ + ahead;
  if (!slid) {
    is_fatal_ = !window_.at_bad_utf8();
    keep_error(end_, std::move(slid).error());
    return false;
  }
  has_ended_ = !*slid;
  return *slid;
}

void TextCursor::keep_error(const char* place, Error error) {
  if (has_failed()) return;
  if (wants_positions_) error.at(document_name_, position_of(place));
  error_ = std::move(error);
  error_place_ = place;
}

bool TextCursor::fail(const char* place, std::string message, std::string hint) {
  // A token that is too long is reported as that, however much of it was in the window.
  if (place > at_ && !check_length(place)) return false;
  keep_error(place, {ErrorCode::InvalidInput, std::move(message), std::move(hint)});
  return false;
}

bool TextCursor::fail_limit(const char* place, std::string message, std::string hint) {
  keep_error(place, {ErrorCode::LimitExceeded, std::move(message), std::move(hint)});
  return false;
}

bool TextCursor::fail_with(const char* place, Error error) {
  keep_error(place, std::move(error));
  return false;
}

bool TextCursor::fail_length() {
  return fail_limit(at_,
                    fmt::format("a term is longer than {} bytes", context_.limits.term_bytes_max),
                    "is a closing quote or '>' missing?");
}

bool TextCursor::fail_expected(const char* place, std::string_view expected, std::string hint) {
  if (has_failed()) return false;
  // The message is the same however the window lies: read as far as what is shown may reach.
  const auto ahead = place - at_;
  const char* p = place;
  while (p - at_ < ahead + kShownBytes && have(p)) ++p;
  place = at_ + ahead;
  if (has_failed()) return false;
  return fail(place, fmt::format("expected {}, found {}", expected, found(place)), std::move(hint));
}

bool TextCursor::fail_fatally(Error error) {
  if (has_failed()) return false;
  is_fatal_ = true;
  error_ = std::move(error);
  return false;
}

std::string TextCursor::found(const char* place) const {
  if (place == end_) return "the end of the document";
  const auto first = static_cast<unsigned char>(*place);
  if (first == '\n' || first == '\r') return "the end of the line";
  if (first == ' ') return "a space";
  if (first < 0x20 || first == 0x7F) return fmt::format("the control character U+{:04X}", first);
  const char* stop = place + std::min(end_ - place, kShownBytes);
  stop = std::find_if(place, stop, [](char c) { return static_cast<unsigned char>(c) <= ' '; });
  std::string_view shown(place, static_cast<std::size_t>(stop - place));
  // Punctuation speaks for itself; a name is shown whole.
  if (shown.find_first_of("{}[](),;.|=^&*!") == 0) shown = shown.substr(0, 1);
  return fmt::format("'{}'", shown.substr(0, utf8_valid_prefix(shown)));
}

void TextCursor::forget_error(bool wants_positions) {
  error_.reset();
  wants_positions_ = wants_positions;
  at_ = std::max(at_, error_place_);
  for (HeldText& held : held_) {
    if (lies_in(held.text, begin(), end_)) held.text = {};
  }
}

int TextCursor::skip_peek() {
  while (at_ == end_) {
    if (window_.at_bad_utf8()) {
      hold_texts();
      count(end_);
      window_.skip_bad_byte();
      at_ = counted_to_ = window_.begin();
      end_ = window_.end();
      ++counted_;
      ++counted_position_.column;  // whatever the byte is, it takes a place
    }
    const char* p = at_;
    if (more(p)) break;
    if (!window_.at_bad_utf8()) return kEnd;
    if (is_fatal_) return kEnd;
    error_.reset();
  }
  return static_cast<unsigned char>(*at_);
}

}  // namespace helve::rdf
