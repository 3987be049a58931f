// What the data is made of, in the vocabulary VoID: sizes, classes and properties.
// https://www.w3.org/TR/void/
#pragma once

#include <string>

#include "sources/graph_source.h"
#include "surfaces/serve/description.h"

namespace helve::serve {

// Classes and properties that are listed, the largest of each; of more, a comment tells.
inline constexpr std::size_t kPartitionsListedMax = 1'000;

struct VoidFacts {
  std::string document;  // the address of the description itself
  std::string endpoint;
};

Description describe_void(const VoidFacts& facts, const GraphSchema& schema);

}  // namespace helve::serve
