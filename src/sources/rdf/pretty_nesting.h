// Which blank nodes a pretty document writes inside others, which as lists and which with labels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sources/rdf/quad_set.h"

namespace helve::rdf {

enum class BlankRole : std::uint8_t {
  Labelled,   // _:b0
  Anonymous,  // never referred to: [] as subject
  Nested,     // referred to once: [ ... ] where it is used
  ListCell,   // of a well-formed list: ( ... )
};

// The role of each blank node; `blank_of` gives the number of a term among the blank nodes, or
// kNoBlank. Nodes nested deeper than `nesting_max` and nodes on a cycle are labelled. Roles do not
// depend on labels or order.
// REQUIRES: the set is deduplicated.
inline constexpr std::uint32_t kNoBlank = 0xFFFF'FFFF;
std::vector<BlankRole> choose_roles(const QuadSet& set, std::span<const std::uint32_t> blank_of,
                                    std::uint32_t blank_count, std::size_t nesting_max);

}  // namespace helve::rdf
