// What a pattern does, in words. generalise.h makes the pattern.
#pragma once

#include <string>
#include <vector>

#include "sources/sparql/algebra/query.h"
#include "toolkit/learning/generalise.h"

namespace helve::learning {

struct PatternWords {
  std::string text;
  bool is_counting = false;
};

// Of a query whose constants are lifted already.
PatternWords words_of(const sparql::Query& query, const std::vector<SchemaName>& classes,
                      const std::vector<SchemaName>& properties);

// "a, b and c"; the first few, and that there are more.
std::string listed(const std::vector<SchemaName>& names, std::size_t most);

}  // namespace helve::learning
