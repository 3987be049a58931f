// L1: what queries on a graph should avoid and may rely on. sense_card.h is what comes before it.
#pragma once

#include <cstddef>

#include "toolkit/context/constraint_file.h"
#include "toolkit/context/graph_facts.h"
#include "toolkit/context/layer_text.h"

namespace helve::context {

inline constexpr std::size_t kSchemaConstraintsChars = 1'000;

// `own`: of this ontology, written by people; null: none.
LayerText pack_schema_constraints(const GraphFacts& facts, const ConstraintFile* own,
                                  std::size_t budget = kSchemaConstraintsChars);

}  // namespace helve::context
