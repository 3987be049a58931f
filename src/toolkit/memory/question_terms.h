// The words of a question that tell what it is about: terms.h without those that join the others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve::memory {

// query_terms() without English words such as "of", "is" and "which": in items they are mostly
// pieces of names (isPartOf), and so look rarer than they are. All of them where there is no other.
std::vector<std::string> telling_terms(std::string_view question);

}  // namespace helve::memory
