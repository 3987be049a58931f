// How alike two IRIs are, as a person who mistyped one would see it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/op_context.h"
#include "sources/graph_source.h"

namespace helve::toolkit {

struct IriName {
  std::string_view space;  // up to and with the last # or / or :
  std::string_view local;
};
IriName split_name(std::string_view iri);

// Edits between two texts by bytes, letters of either case alike, neighbours exchanged being one
// edit; above `distance_max` any larger number. O(length * distance_max).
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t distance_max);

// 0: nothing in common. The same namespace counts most, then one that differs by http or https,
// www, # or /; in other namespaces only the same local name, or nearly. A bare word has any
// namespace.
double likeness(std::string_view wanted, std::string_view known);

// camelCase, under_scores, %20 and dashes as words: "primary_topicOf" -> "primary topic of".
std::string words_of(std::string_view local);

// Orders by nearness: by score, then names with the very same local name first.
bool is_nearer(std::string_view wanted, const NameHit& a, const NameHit& b);

// Those of `known` that are like `wanted`, best first.
std::vector<NameHit> most_alike(std::string_view wanted, std::vector<NameHit> known,
                                std::size_t hits_max);

}  // namespace helve::toolkit
