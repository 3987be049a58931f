// Points in time as text, in UTC.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace helve {

std::string to_utc(WallTime time);  // "2026-01-31T08:05:00Z"
// The same back. nullopt for any other form, and for days that there are not.
std::optional<WallTime> read_utc(std::string_view text);

}  // namespace helve
