// UTF-8: checking, decoding, encoding. Positions in errors count characters, so they come here too.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace helve {

// Length of the longest prefix of whole, valid characters; text.size() when all of it is valid.
// Runs at memory speed on valid text.
std::size_t utf8_valid_prefix(std::string_view text);

// True when the bytes that utf8_valid_prefix left at the end could be the start of a character.
bool utf8_may_continue(std::string_view rest);

// Decodes one character and moves `at` behind it. REQUIRES: at < end, valid UTF-8.
char32_t decode_utf8(const char*& at, const char* end);

// Appends one character. REQUIRES: a Unicode scalar value (no surrogate, at most U+10FFFF).
void append_utf8(std::string& out, char32_t character);

// Number of characters. REQUIRES: valid UTF-8.
std::size_t utf8_length(std::string_view text);

}  // namespace helve
