#include "sources/store/text_index_words.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/unicode_fold.h"
#include "base/utf8.h"

namespace helve::store {

namespace {

// At most so many bytes of whole characters. REQUIRES: valid UTF-8.
std::string_view cut_text(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

bool is_word_class(LetterClass c) {
  return c == LetterClass::Letter || c == LetterClass::Capital || c == LetterClass::Digit;
}

// False where the bytes are no text.
bool decode_percent(std::string_view text, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_code = text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 &&
                         hex_value(text[i + 2]) >= 0;
    if (is_code) {
      out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return utf8_valid_prefix(out) == out.size();
}

}  // namespace

const std::vector<Word>& WordSplitter::split(std::string_view text) {
  bytes_.clear();
  whole_.clear();
  pieces_.clear();
  const std::string_view valid =
      text.substr(0, utf8_valid_prefix(text.substr(0, 2 * kTextBytesMax)));
  const std::string_view used = cut_text(valid, kTextBytesMax);
  is_cut_ = used.size() < text.size();
  const char* at = used.data();
  const char* const end = at + used.size();
  const char* start = at;  // of the current run
  LetterClass state = LetterClass::None;
  const auto finish = [&](const char* until) {
    const std::string_view run(start, static_cast<std::size_t>(until - start));
    if (state == LetterClass::Continuous) add_continuous(run);
    if (state == LetterClass::Letter) add_run(run);
  };
  while (at < end && pieces_.size() < kTextWordsMax) {
    const char* const here = at;
    LetterClass c = letter_class(decode_utf8(at, end));
    if (c == LetterClass::Mark && state != LetterClass::None) continue;
    if (is_word_class(c)) c = LetterClass::Letter;
    if (c == LetterClass::Mark) c = LetterClass::None;
    if (c == state) continue;
    finish(here);
    start = here;
    state = c;
  }
  if (pieces_.size() < kTextWordsMax) finish(end);
  is_cut_ = is_cut_ || pieces_.size() >= kTextWordsMax;
  words_.clear();
  for (const Piece& piece : pieces_) {
    words_.push_back({std::string_view(bytes_).substr(piece.first, piece.size), piece.kind});
  }
  return words_;
}

// Parts start at a capital behind a small letter, at the last capital of several before a small
// letter ("RDFGraph"), and where digits start and end.
void WordSplitter::add_run(std::string_view run) {
  cuts_.clear();
  const char* at = run.data();
  const char* const end = at + run.size();
  LetterClass before = LetterClass::None;
  std::size_t before_place = 0;
  LetterClass before_that = LetterClass::None;
  while (at < end) {
    const auto place = static_cast<std::size_t>(at - run.data());
    const LetterClass c = letter_class(decode_utf8(at, end));
    if (c == LetterClass::Mark) continue;
    const bool is_digit_edge =
        before != LetterClass::None && (c == LetterClass::Digit) != (before == LetterClass::Digit);
    const bool is_hump = c == LetterClass::Capital && before == LetterClass::Letter;
    const bool is_acronym_end = c == LetterClass::Letter && before == LetterClass::Capital &&
                                before_that == LetterClass::Capital;
    if (is_digit_edge || is_hump) cuts_.push_back(place);
    if (is_acronym_end) cuts_.push_back(before_place);
    before_that = before;
    before = c;
    before_place = place;
  }
  fold_text(run, scratch_);
  whole_ += scratch_;
  add(scratch_, WordKind::Run);
  if (cuts_.empty()) return;
  cuts_.push_back(run.size());
  std::size_t first = 0;
  for (const std::size_t last : cuts_) {
    add_folded(run.substr(first, last - first), WordKind::Part);
    first = last;
  }
}

void WordSplitter::add_continuous(std::string_view run) {
  fold_text(run, scratch_);
  whole_ += scratch_;
  const std::string folded = scratch_;
  const char* at = folded.data();
  const char* const end = at + folded.size();
  const auto next = [&](const char* from) {
    const char* to = from;
    if (to < end) (void)decode_utf8(to, end);
    return to;
  };
  while (at < end) {
    const char* const second = next(at);
    const char* const third = next(second);
    add({at, static_cast<std::size_t>(third - at)},
        second == third ? WordKind::Tail : WordKind::Pair);
    at = second;
  }
}

void WordSplitter::add_folded(std::string_view raw, WordKind kind) {
  fold_text(raw, scratch_);
  add(scratch_, kind);
}

void WordSplitter::add(std::string_view folded, WordKind kind) {
  const std::string_view word = cut_text(folded, kWordBytesMax);
  if (word.empty() || pieces_.size() >= kTextWordsMax) return;
  pieces_.push_back({bytes_.size(), word.size(), kind});
  bytes_ += word;
}

std::string_view local_name(std::string_view iri, std::string& scratch) {
  while (!iri.empty() && (iri.back() == '/' || iri.back() == '#')) iri.remove_suffix(1);
  std::size_t start = iri.find_last_of("#/");
  if (start == std::string_view::npos) start = iri.rfind(':');
  const std::string_view name = start == std::string_view::npos ? iri : iri.substr(start + 1);
  if (name.find('%') == std::string_view::npos) return name;
  return decode_percent(name.substr(0, 4 * kTextBytesMax), scratch) ? std::string_view(scratch)
                                                                    : name;
}

}  // namespace helve::store
