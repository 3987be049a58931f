// The optimizer's passes by name, each of which can be switched off: to find out what one is worth,
// to work around one that chooses badly, and to compare plans in tests. All off is the simple
// evaluator.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace helve::sparql {

enum class Pass : std::uint8_t {
  FoldConstants,       // expressions without variables are computed once
  PushFilters,         // conditions as early as their variables are bound
  OrderJoins,          // by cost; off: as written
  CharacteristicSets,  // estimates of stars
  Sampling,            // estimates of joins by looking some of them up
  BatchJoins,          // index look-ups for many rows at once
  Leapfrog,            // intersections where several patterns meet in one variable
  SemiJoins,           // EXISTS and MINUS as joins
  Sideways,            // bound values into OPTIONAL, EXISTS, MINUS and the ends of paths
  PruneColumns,        // columns that nothing above needs are dropped
  CountsFromIndex,     // numbers that the indexes know are not counted again
  PushLimits,          // LIMIT as far down as it may go
  TopK,                // ORDER BY with LIMIT keeps the first rows only
  SortedGroups,        // groups and distinct rows from an order that the index has
  BatchFilters,        // conditions for many rows at once, on ids where that suffices
  RegexPrefilter,      // a literal that must occur is looked for first
  Parallel,            // several cores for one query
};
inline constexpr std::size_t kPasses = 17;

// As users write it: "order-joins".
std::string_view name_of(Pass pass);
// What it does, in a few words.
std::string_view describe(Pass pass);
std::optional<Pass> find_pass(std::string_view name);
// All names, separated by commas: for help and errors.
std::string pass_names();

class PassSet {
 public:
  static PassSet all() { return PassSet(~std::bitset<kPasses>()); }
  static PassSet none() { return PassSet({}); }

  bool has(Pass pass) const { return bits_[static_cast<std::size_t>(pass)]; }
  PassSet with(Pass pass) const { return PassSet(bits_ | bit_of(pass)); }
  PassSet without(Pass pass) const { return PassSet(bits_ & ~bit_of(pass)); }

  friend bool operator==(const PassSet&, const PassSet&) = default;

 private:
  explicit PassSet(std::bitset<kPasses> bits) : bits_(bits) {}
  static std::bitset<kPasses> bit_of(Pass pass) {
    return std::bitset<kPasses>().set(static_cast<std::size_t>(pass));
  }
  std::bitset<kPasses> bits_;
};

}  // namespace helve::sparql
