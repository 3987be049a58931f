// Comparing two graphs that queries made. comparison.h is the same for rows.
#pragma once

#include "agent/judge/comparison.h"

namespace helve::agent {

// Tables of s, p, o: statements are a set, columns are what they are. Where all but the labels of
// blank nodes is equal, whether these are connected alike decides; LimitExceeded where that cannot
// be found out. Figures then count the statements without blank nodes.
Result<Comparison> compare_graphs(const toolkit::RowTable& reference,
                                  const toolkit::RowTable& candidate,
                                  const ComparisonOptions& options, const OpContext& context);

}  // namespace helve::agent
