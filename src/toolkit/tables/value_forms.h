// How values are written: what value_cause.cc compares of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace helve::toolkit {

// '2009-01-31' and '31/01/2009' have other shapes: digits and letters are all alike. The T before a
// time is a blank, unless `has_t`.
std::string shape_of(std::string_view text, bool has_t = false);
bool is_like_date(std::string_view text);
// Of 2009-12-31; empty where it is written otherwise.
std::string day_after(std::string_view day);
// "true", "no" and the like.
std::optional<bool> truth_in(std::string_view text);

}  // namespace helve::toolkit
