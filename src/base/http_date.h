// Dates as HTTP writes them: in Retry-After, Date, Last-Modified.
#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"

namespace helve {

// The three forms of RFC 9110 section 5.6.7: "Sun, 06 Nov 1994 08:49:37 GMT", and the obsolete
// "Sunday, 06-Nov-94 08:49:37 GMT" and "Sun Nov  6 08:49:37 1994". A year of two digits that would
// be more than 50 years after `now` is one of the century before. nullopt for any other form, and
// for days that there are not.
std::optional<WallTime> read_http_date(std::string_view text, WallTime now);

}  // namespace helve
