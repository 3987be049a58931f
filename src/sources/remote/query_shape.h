// The shape of a query: where an engine can start on it and what it has to do, without its names.
// Queries of one shape take about as long at one endpoint.
#pragma once

#include <string>

#include "sources/sparql/algebra/query.h"

namespace helve::remote {

// "by class, join, path, grouped": first where it starts, then its parts in a fixed order.
std::string shape_of(const sparql::Query& query);

}  // namespace helve::remote
