#include "base/deceptive.h"

#include <algorithm>
#include <array>

namespace helve {

namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Sorted. Unicode's Default_Ignorable_Code_Point and Bidi_Control, its blanks other than the space,
// control characters, line and paragraph separators, interlinear annotation, and two characters
// that show nothing or anything: U+2800 and U+FFFC.
constexpr auto kRanges = std::to_array<Range>({
    {0x00, 0x1F},        // C0
    {0x7F, 0xA0},        // DEL, C1, no-break space
    {0xAD, 0xAD},        // soft hyphen
    {0x34F, 0x34F},      // combining grapheme joiner
    {0x61C, 0x61C},      // Arabic letter mark
    {0x115F, 0x1160},    // Hangul fillers
    {0x1680, 0x1680},    // Ogham space
    {0x17B4, 0x17B5},    // Khmer inherent vowels
    {0x180B, 0x180F},    // Mongolian variation selectors, vowel separator
    {0x2000, 0x200F},    // blanks, zero width space and joiners, direction marks
    {0x2028, 0x202F},    // separators, bidi embedding, narrow no-break space
    {0x205F, 0x206F},    // mathematical space, word joiner, invisible operators, bidi isolates
    {0x2800, 0x2800},    // braille blank
    {0x3000, 0x3000},    // ideographic space
    {0x3164, 0x3164},    // Hangul filler
    {0xFE00, 0xFE0F},    // variation selectors
    {0xFEFF, 0xFEFF},    // byte order mark
    {0xFFA0, 0xFFA0},    // halfwidth Hangul filler
    {0xFFF0, 0xFFFC},    // unassigned ignorables, interlinear annotation, object replacement
    {0x1BCA0, 0x1BCA3},  // shorthand format controls
    {0x1D173, 0x1D17A},  // musical format controls
    {0xE0000, 0xE0FFF},  // tags, more variation selectors: they can carry any text
});

}  // namespace

bool is_deceptive(char32_t c) {
  if (c < 0x20) return true;
  if (c < 0x7F) return false;
  const auto* const range =
      std::lower_bound(kRanges.begin(), kRanges.end(), c,
                       [](const Range& one, char32_t wanted) { return one.last < wanted; });
  return range != kRanges.end() && c >= range->first;
}

}  // namespace helve
