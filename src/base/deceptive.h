// Characters that steer or hide text. text.h has the function that makes whole texts harmless.
#pragma once

namespace helve {

// Whether a reader of the text would not see the character, or would take it or what follows for
// something else: control characters, bidirectional controls, joiners, variation selectors, tags,
// fillers, and blanks other than the space. What people review and models read has them spelled
// out: \u200B.
bool is_deceptive(char32_t character);

}  // namespace helve
