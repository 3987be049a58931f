// What an item was worth so far, as a number to compare by.
#pragma once

#include "toolkit/memory/item.h"

namespace helve::learning {

// Between -1 and 1: helped against hurt, towards the ends with many judgments, 0 with none.
double use_of(const memory::Counters& counters);

// Of use, retrieval (half as much at most), and age since the last use (minus a half at most, half
// of that after 180 days).
double utility_of(const memory::Item& item, WallTime now);

}  // namespace helve::learning
