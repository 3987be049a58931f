// The marks around data in replies of tools: <data N> and </data N>.
#pragma once

#include <string>
#include <string_view>

namespace helve::llm {

// A reply without N, which is made anew for each: for hashes and previews.
std::string without_marks(std::string_view reply);

}  // namespace helve::llm
