// Dates as HTTP writes them: in Retry-After, Date, Last-Modified.
#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"

namespace helve {

// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 section 5.6.7; the obsolete forms are not read).
// nullopt for any other form, and for days that there are not.
std::optional<WallTime> read_http_date(std::string_view text);

}  // namespace helve
