#include "base/unicode_fold.h"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/ascii.h"
#include "base/check.h"

namespace helve {

namespace {

constexpr char32_t kVoicingMark = 0x3099;
constexpr char32_t kHalfVoicingMark = 0x309A;

// Accents and points; not the marks that a script spells its words with.
bool is_accent(UChar32 c) {
  if (c < 0x300 || u_charType(c) != U_NON_SPACING_MARK) return false;
  if (c == kVoicingMark || c == kHalfVoicingMark) return false;
  UErrorCode error = U_ZERO_ERROR;
  switch (uscript_getScript(c, &error)) {
    case USCRIPT_INHERITED:
    case USCRIPT_COMMON:
    case USCRIPT_ARABIC:
    case USCRIPT_HEBREW:
    case USCRIPT_SYRIAC:
    case USCRIPT_CYRILLIC:
    case USCRIPT_GREEK:
    case USCRIPT_LATIN:
      return true;
    default:
      return false;
  }
}

// Letters that look like others with a stroke, which Unicode does not take apart.
const char16_t* plain_letters(UChar32 c) {
  static constexpr std::array<std::pair<UChar32, const char16_t*>, 9> kLetters = {{{0xE6, u"ae"},
                                                                                   {0xF0, u"d"},
                                                                                   {0xF8, u"o"},
                                                                                   {0xFE, u"th"},
                                                                                   {0x111, u"d"},
                                                                                   {0x127, u"h"},
                                                                                   {0x131, u"i"},
                                                                                   {0x142, u"l"},
                                                                                   {0x153, u"oe"}}};
  for (const auto& [letter, plain] : kLetters) {
    if (letter == c) return plain;
  }
  return nullptr;
}

icu::UnicodeString without_accents(const icu::UnicodeString& text) {
  icu::UnicodeString plain;
  for (std::int32_t at = 0; at < text.length(); at = text.moveIndex32(at, 1)) {
    const UChar32 c = text.char32At(at);
    if (is_accent(c)) continue;
    if (const char16_t* const letters = plain_letters(c)) {
      plain.append(icu::UnicodeString(letters));
    } else {
      plain.append(c);
    }
  }
  return plain;
}

struct Normalizers {
  const icu::Normalizer2* decompose;
  const icu::Normalizer2* compose;
};

// Made by the first thread that needs them and handed to the others by the guard of the static:
// how ICU itself does that cannot be seen by who watches threads.
const Normalizers& normalizers() {
  static const Normalizers made = [] {
    UErrorCode error = U_ZERO_ERROR;
    const Normalizers both{icu::Normalizer2::getNFKDInstance(error),
                           icu::Normalizer2::getNFCInstance(error)};
    HELVE_CHECK(U_SUCCESS(error));
    return both;
  }();
  return made;
}

void fold_any(std::string_view text, std::string& out) {
  HELVE_CHECK(text.size() <= std::numeric_limits<std::int32_t>::max() / 8);
  UErrorCode error = U_ZERO_ERROR;
  const auto [decompose, compose] = normalizers();
  icu::UnicodeString folded =
      icu::UnicodeString::fromUTF8({text.data(), static_cast<std::int32_t>(text.size())});
  folded.foldCase();
  const icu::UnicodeString apart = decompose->normalize(folded, error);
  folded = without_accents(apart);
  folded.foldCase();  // what was taken apart may have case again
  const icu::UnicodeString whole = compose->normalize(folded, error);
  HELVE_CHECK(U_SUCCESS(error));
  whole.toUTF8String(out);
}

LetterClass class_of_letter(UChar32 c) {
  UErrorCode error = U_ZERO_ERROR;
  switch (uscript_getScript(c, &error)) {
    case USCRIPT_HAN:
    case USCRIPT_HIRAGANA:
    case USCRIPT_KATAKANA:
    case USCRIPT_BOPOMOFO:
    case USCRIPT_YI:
    case USCRIPT_THAI:
    case USCRIPT_LAO:
    case USCRIPT_KHMER:
    case USCRIPT_MYANMAR:
    case USCRIPT_TIBETAN:
      return LetterClass::Continuous;
    default:
      return u_isupper(c) != 0 || u_istitle(c) != 0 ? LetterClass::Capital : LetterClass::Letter;
  }
}

}  // namespace

void fold_text(std::string_view text, std::string& out) {
  out.clear();
  if (!is_ascii(text)) return fold_any(text, out);
  out = text;
  for (char& c : out) c = ascii_lower(c);
}

std::string fold_text(std::string_view text) {
  std::string folded;
  fold_text(text, folded);
  return folded;
}

LetterClass letter_class(char32_t character) {
  if (character < 0x80) {
    const char c = static_cast<char>(character);
    if (is_lower(c)) return LetterClass::Letter;
    if (is_upper(c)) return LetterClass::Capital;
    return is_digit(c) ? LetterClass::Digit : LetterClass::None;
  }
  const auto c = static_cast<UChar32>(character);
  if (c == 0x30FC) return LetterClass::Continuous;  // the long vowel of kana, which scripts share
  switch (u_charType(c)) {
    case U_NON_SPACING_MARK:
    case U_COMBINING_SPACING_MARK:
    case U_ENCLOSING_MARK:
      return LetterClass::Mark;
    case U_DECIMAL_DIGIT_NUMBER:
    case U_LETTER_NUMBER:
    case U_OTHER_NUMBER:
      return LetterClass::Digit;
    case U_UPPERCASE_LETTER:
    case U_LOWERCASE_LETTER:
    case U_TITLECASE_LETTER:
    case U_MODIFIER_LETTER:
    case U_OTHER_LETTER:
      return class_of_letter(c);
    default:
      return LetterClass::None;
  }
}

}  // namespace helve
