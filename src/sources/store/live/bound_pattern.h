// BoundPattern: which parts of a quad a pattern binds, and where its quads stand in the orders of a
// delta. Chooses orders as store::Snapshot does, so that both can be merged.
#pragma once

#include <array>
#include <optional>

#include "sources/store/live/delta.h"
#include "sources/store/snapshot.h"

namespace helve::store {

class BoundPattern {
 public:
  // `has_graph_orders`: the base keeps its default graph apart, as one of several graphs.
  BoundPattern(const QuadPattern& pattern, bool has_graph_orders);

  // The first parts of the order are just those that are bound.
  bool leads(Order order) const;
  Order choose(std::optional<Order> preferred) const;
  // Of all graphs where the graph is not bound. REQUIRES: leads(order).
  KeyRange range(Order order) const;

  // In any graph.
  static KeyRange range_of_triples(const QuadPattern& pattern, Order& order);
  // In one graph; undefined: the default graph.
  static KeyRange range_of_graph(const QuadPattern& pattern, Id graph, Order& order);

 private:
  std::array<Id, 4> ids_;
  std::array<bool, 4> is_bound_{};
  std::size_t bound_ = 0;
};

}  // namespace helve::store
