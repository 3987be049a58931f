// An order of blank nodes that depends on what is said of them, not on their labels: what makes
// pretty documents comparable.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/blank_structure.h"

namespace helve::rdf {

// The blank nodes in order. Those in `labels` (empty: no label needed) come out in an order that is
// the same for isomorphic statements, except where the statements look alike from several blank
// nodes that are not interchangeable (regular graphs); there the largest label comes last, labels
// compared by length, then bytes, so that an order that labels already follow is kept. Blank nodes
// without label that look alike stay in any order.
Result<std::vector<std::uint32_t>> order_blanks(const BlankStructure& structure,
                                                const std::vector<std::string_view>& labels,
                                                const OpContext& context);

}  // namespace helve::rdf
