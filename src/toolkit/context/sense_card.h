// L0, the sense card: what a graph is and how it names things, in a few lines.
#pragma once

#include <cstddef>

#include "toolkit/context/graph_facts.h"
#include "toolkit/context/layer_text.h"

namespace helve::context {

inline constexpr std::size_t kSenseCardChars = 600;

LayerText pack_sense_card(const GraphFacts& facts, std::size_t budget = kSenseCardChars);

}  // namespace helve::context
