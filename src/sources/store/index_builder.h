// Sorts coded quads into the permutations of a store.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/permutation.h"

namespace helve::store {

struct CodedQuad {
  Code subject = 0;
  Code predicate = 0;
  Code object = 0;
  Code graph = 0;
};

struct Indexes {
  std::array<Permutation, kOrders> orders;  // the graph orders are empty without named graphs
  bool has_named_graphs = false;
  Code default_graph = 0;  // code that stands for the default graph: behind all terms
  // Statements beyond the first of the same triple, in other graphs: when zero, every count of a
  // union of graphs is exact.
  std::uint64_t repeated_triples = 0;

  const Permutation& operator[](Order order) const {
    return orders[static_cast<std::size_t>(order)];
  }
  std::size_t memory_bytes() const;
};

// `quads` come in pieces from the loading threads. `code_count` is the number of terms; a quad in
// the default graph has graph == code_count. Repeated quads fall together.
Result<Indexes> build_indexes(const std::vector<std::vector<CodedQuad>>& quads, Code code_count,
                              const OpContext& context);

// Memory that it takes beside the quads, with what it makes.
std::size_t build_indexes_bytes(std::size_t quads, std::size_t codes, bool has_named_graphs);

}  // namespace helve::store
