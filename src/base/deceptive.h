// Characters that steer or hide text. text.h has the function that makes whole texts harmless.
#pragma once

namespace helve {

// Control characters, bidirectional controls, invisible format characters and tags: they do not
// show, but what comes after them looks other than it is.
bool is_deceptive(char32_t character);

}  // namespace helve
