// Ends of rows that an endpoint may have made itself: some servers stop at a number that people
// choose, and say nothing. For queries on an endpoint and for SERVICE alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sources/remote/endpoint_client.h"
#include "sources/sparql/algebra/query.h"

namespace helve::remote {

// 1,000; 10,000; 2^16: what people choose.
bool is_round(std::uint64_t rows);

struct SilentEnd {
  std::string incomplete;  // why rows may be missing
  bool has_more = false;   // for certain: one was seen behind the end
};

// Of a SELECT, as it was sent, that gave `rows` and no more. A round number is looked behind with
// one small question. nullopt: that was all.
std::optional<SilentEnd> find_silent_end(EndpointClient& client, sparql::Query query,
                                         std::uint64_t rows, const OpContext& context);

}  // namespace helve::remote
