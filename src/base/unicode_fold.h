// Text as people search for it: without case, without accents, in one form for each character, in
// any script; by ICU. unicode_case.h is for texts that are shown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace helve {

// Replaces `out` with the folded text: "Müller" and "MULLER" become "muller", "Straße" "strasse",
// full-width letters plain ones. Marks stay where they are letters of their own (Indic vowels,
// Japanese voicing). REQUIRES: valid UTF-8, at most 256 MiB.
void fold_text(std::string_view text, std::string& out);
std::string fold_text(std::string_view text);

enum class LetterClass : std::uint8_t {
  None,        // what stands between words
  Letter,      // without case, or small
  Capital,     // starts a word behind a Letter: camelCase
  Digit,       // any number
  Mark,        // belongs to the character before it
  Continuous,  // of a script that does not put spaces between words: Han, kana, Thai, ...
};
LetterClass letter_class(char32_t character);

}  // namespace helve
