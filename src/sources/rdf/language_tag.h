// Language tags that differ only in case are the same tag: one spelling for all of them.
// https://www.rfc-editor.org/rfc/rfc5646#section-2.1.1
#pragma once

#include <string>
#include <string_view>

#include "sources/rdf/term.h"

namespace helve::rdf {

// "en-GB", "zh-Hant": languages in lower case, regions in upper case, scripts with a capital. What
// follows a single letter, and everything else, is in lower case.
bool is_normal_language(std::string_view tag);
std::string normal_language(std::string_view tag);

// The same term; `scratch` holds its language where that had to be written anew.
TermView with_normal_language(TermView term, std::string& scratch);

}  // namespace helve::rdf
