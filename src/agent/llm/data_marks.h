// The marks around data in replies of tools: <data N> and </data N>.
#pragma once

#include <string>
#include <string_view>

namespace helve::llm {

// A reply without N, which is made anew for each: for hashes and previews.
std::string without_marks(std::string_view reply);
// The same for people: the lines of the marks are left out, and nothing that looks like them.
std::string without_mark_lines(std::string_view reply);

}  // namespace helve::llm
