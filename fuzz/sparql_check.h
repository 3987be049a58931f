// What must hold for any text taken as a query or an update; shared by the fuzz targets.
#pragma once

#include <string_view>

namespace helve::fuzz {

// Stops the process unless
// - an error is of the text or of a limit, and one of the text has a place,
// - what is good strictly is good otherwise and means the same,
// - what was parsed, printed and parsed again is the same, and prints the same,
// - its evaluation on a small graph ends after a bounded number of steps, within the memory it was
//   given, with solutions in UTF-8 or an error that is not our own.
void check_query(std::string_view text);
// The first three of these.
void check_update(std::string_view text);

}  // namespace helve::fuzz
