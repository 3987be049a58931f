// Property paths by their definitions.
// https://www.w3.org/TR/sparql11-query/#PropertyPathPatterns
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sources/sparql/algebra/pattern.h"
#include "tests/reference/triple_list.h"

namespace helve::reference {

// How much work, or memory, is left; LimitExceeded once there is none.
class Steps {
 public:
  explicit Steps(std::uint64_t max) : left_(max) {}
  Result<void> spend(std::uint64_t steps);

 private:
  std::uint64_t left_;
};

// Ids of IRIs of the query, whether the data has them or not.
using FindIri = std::function<Result<Id>(const std::string& iri)>;

using PathEnds = std::vector<std::pair<Id, Id>>;  // a multiset

// The ends of the path in the graph; an undefined end is a variable, a defined one a term, which
// the graph need not have. Negated sets count triples, as alternatives do.
Result<PathEnds> path_ends(const sparql::Path& path, Id start, Id end, const TripleList& graph,
                           const FindIri& find_iri, Steps& steps);

}  // namespace helve::reference
