// Statistics: exact numbers about a store, made while it is indexed. Triples are counted once
// however many graphs state them, unless a name says statements.
#pragma once

#include <cstdint>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/characteristic_sets.h"
#include "sources/store/dictionary.h"
#include "sources/store/index_builder.h"

namespace helve::store {

struct PredicateStatistics {
  Id predicate;
  std::uint64_t triples = 0;
  std::uint64_t distinct_subjects = 0;
  std::uint64_t distinct_objects = 0;
};

struct ClassStatistics {
  Id type;  // an object of rdf:type
  std::uint64_t instances = 0;
};

struct GraphStatistics {
  Id graph;  // undefined: the default graph
  std::uint64_t statements = 0;
};

struct Statistics {
  std::uint64_t statements = 0;  // distinct quads
  std::uint64_t triples = 0;     // distinct triples over all graphs
  std::uint64_t distinct_subjects = 0;
  std::uint64_t distinct_objects = 0;
  std::vector<PredicateStatistics> predicates;  // by id
  std::vector<ClassStatistics> classes;         // by id
  std::vector<GraphStatistics> graphs;  // named ones by id, then the default graph if not empty
  CharacteristicSets characteristic_sets;

  std::size_t memory_bytes() const;
};

Result<Statistics> compute_statistics(const Dictionary& dictionary, const Indexes& indexes,
                                      const OpContext& context);

}  // namespace helve::store
