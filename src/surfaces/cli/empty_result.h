// Why a query found nothing, as far as that can be told without running it again.
#pragma once

#include <string>
#include <vector>

#include "sources/sparql/algebra/query.h"
#include "sources/sparql/engine/dataset.h"

namespace helve::cli {

// Sentences for people, the likeliest reason first; often none. `is_union`: the default graph is
// all graphs.
std::vector<std::string> explain_empty(const sparql::Query& query, const sparql::Snapshot& data,
                                       bool is_union);

}  // namespace helve::cli
