// Estimates and moments in words, for reasons and plans.
#pragma once

#include <string>

#include "base/clock.h"

namespace helve::toolkit {

std::string count_words(double rows);        // "1,234", "more than 10^18"
std::string time_words(double seconds);      // "0.2 s", "4.2 min", "3.1 days", "centuries"
std::string cost_words(double nanoseconds);  // "6 us", "1.23 s", and then as time_words
std::string minute_words(WallTime time);     // "2026-11-16 08:30 UTC"
std::string age_words(Duration age);         // "just now", "12 minutes ago", "3 hours ago"

}  // namespace helve::toolkit
