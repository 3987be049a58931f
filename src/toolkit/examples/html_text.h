// What a reader sees of HTML: questions of examples are written in it, or have a little of it.
#pragma once

#include <string>
#include <string_view>

namespace helve::toolkit {

// Without tags, comments, scripts and styles; entities as characters; spaces as one, also where a
// line or a block ends.
std::string text_of_html(std::string_view html);

// The same of a text that need not be HTML: only tags of elements that HTML has are taken out, so
// that "<reaction> <ec>" stays as it is.
std::string text_with_some_html(std::string_view text);

}  // namespace helve::toolkit
