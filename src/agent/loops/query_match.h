// Whether two texts are the same query: models break lines otherwise the second time.
#pragma once

#include <string>
#include <string_view>

namespace helve::agent {

// Blanks outside of literals, IRIs and comments are one each, and a semicolon at the end is none.
// What may be read in two ways (backslashes, which not all languages know) stays as it is.
std::string plain_query(std::string_view text);

}  // namespace helve::agent
