// Cutting a text to a number of characters where a reader would stop: for procedures and guides.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace helve::context {

// The line whole where it fits, else up to the end of a sentence, or of a word where no sentence
// ends in the second half, with an ellipsis behind. Empty where not even a word fits. Never above
// `chars_max` characters. REQUIRES: valid UTF-8 without line ends.
std::string cut_line(std::string_view line, std::size_t chars_max);

// One line of a text of others, with nothing in it that could steer or end it, and no blanks at its
// end.
std::string harmless_line(std::string_view line);

}  // namespace helve::context
