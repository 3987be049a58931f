// What steps of a plan cost, in nanoseconds, roughly: for the order of joins and for explain.
#pragma once

namespace helve::sparql {

inline constexpr double kScanCost = 3;         // a row of an index
inline constexpr double kLookupCost = 25;      // a key
inline constexpr double kJoinedRowCost = 6;    // a row that a join gives
inline constexpr double kPathCost = 400;       // an end of a closure
inline constexpr double kPatternCost = 30;     // a row of another pattern
inline constexpr double kHashCost = 60;        // a row that is kept
inline constexpr double kSeedCost = 15;        // a row that is handed into another pattern
inline constexpr double kSeededRunCost = 150;  // and what that pattern does with it
inline constexpr double kFilterCost = 20;
inline constexpr double kGroupCost = 30;
inline constexpr double kSortCost = 80;
inline constexpr double kServiceCost = 1e5;

}  // namespace helve::sparql
