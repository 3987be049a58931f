// What this endpoint is and what it holds, for clients that ask it nothing.
// https://www.w3.org/TR/sparql11-service-description/
#pragma once

#include <string>

#include "sources/sparql/engine/dataset.h"
#include "surfaces/serve/description.h"

namespace helve::serve {

// Named graphs that are listed; of more, a comment tells.
inline constexpr std::size_t kGraphsListedMax = 1'000;

struct ServiceFacts {
  std::string endpoint;   // its address
  bool is_union = false;  // the default graph is all graphs as one
  bool is_writable = false;
};

Description describe_service(const ServiceFacts& facts, const sparql::Snapshot& data);

}  // namespace helve::serve
