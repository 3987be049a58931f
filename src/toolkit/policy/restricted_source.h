// A graph as a policy lets it be seen: only the allowed graphs, only the allowed endpoints. The
// tools get this in place of the source itself, so that none can forget to ask.
#pragma once

#include <memory>

#include "sources/graph_source.h"
#include "toolkit/policy/policy.h"

namespace helve::toolkit {

// SERVICE is refused unless its endpoint is allowed by name, wherever in the query it stands. With
// allowed graphs, a query sees those of them that the source has and nothing else: not the unnamed
// graph, and of what the source tells of itself (schema, names, terms) only what is in them. With
// denied graphs and no allowed ones it sees all the others, the unnamed graph too.
// Counts of the schema that would need a long scan are left at 0 then.
//
// Where the policy leaves nothing to restrict but SERVICE, the answers are the source's own.
std::shared_ptr<const GraphSource> restrict_source(std::shared_ptr<const GraphSource> source,
                                                   std::shared_ptr<const Policy> policy);

}  // namespace helve::toolkit
