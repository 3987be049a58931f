// Counts that the indexes know: rows of a pattern, the different values of a part and how many
// triples each has, without looking at every triple.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sources/sparql/engine/dataset.h"
#include "sources/sparql/engine/operator.h"
#include "sources/sparql/engine/triple_scan.h"

namespace helve::sparql {

struct IndexCount {
  enum class Kind : std::uint8_t {
    Triples,           // of the group, or of the whole pattern
    One,               // the value that is grouped by
    DistinctSubjects,  // of the predicate that is grouped by
    DistinctObjects,
    Distinct,  // without groups: different values of `part`
  };
  std::string name;
  Kind kind = Kind::Triples;
  Part part = Part::Subject;
};

// One row for each value of the part `by`, named `key`, ascending.
OperatorPtr make_index_groups(const QuadPattern& pattern, Part by, const std::string& key,
                              std::vector<IndexCount> counts, RunState& run);
// One row.
OperatorPtr make_index_counts(const QuadPattern& pattern, std::vector<IndexCount> counts,
                              RunState& run);

}  // namespace helve::sparql
