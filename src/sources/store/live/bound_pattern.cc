#include "sources/store/live/bound_pattern.h"

#include <algorithm>

namespace helve::store {

namespace {

constexpr std::array<Order, kOrders> kAllOrders = {Order::Spo,  Order::Pos,  Order::Osp,
                                                   Order::Pso,  Order::Sop,  Order::Ops,
                                                   Order::Gspo, Order::Gpos, Order::Gosp};

constexpr std::size_t place(Part part) { return static_cast<std::size_t>(part); }

}  // namespace

BoundPattern::BoundPattern(const QuadPattern& pattern, bool has_graph_orders)
    : ids_{pattern.subject, pattern.predicate, pattern.object, Id()} {
  using Kind = GraphChoice::Kind;
  for (std::size_t i = 0; i < 3; ++i) is_bound_[i] = ids_[i].is_defined();
  if (pattern.graph.kind == Kind::One) ids_[3] = pattern.graph.graph;
  is_bound_[3] =
      pattern.graph.kind == Kind::One || (pattern.graph.kind == Kind::Default && has_graph_orders);
  bound_ = static_cast<std::size_t>(std::count(is_bound_.begin(), is_bound_.end(), true));
}

bool BoundPattern::leads(Order order) const {
  const auto parts = order_parts(order);
  if (parts[0] == Part::Graph && !is_bound_[place(Part::Graph)]) return false;
  return std::all_of(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(bound_),
                     [this](Part part) { return is_bound_[place(part)]; });
}

Order BoundPattern::choose(std::optional<Order> preferred) const {
  if (preferred && leads(*preferred)) return *preferred;
  return *std::find_if(kAllOrders.begin(), kAllOrders.end(),
                       [this](Order order) { return leads(order); });
}

KeyRange BoundPattern::range(Order order) const {
  const auto parts = order_parts(order);
  std::array<Id, 4> prefix;
  for (std::size_t i = 0; i < bound_; ++i) prefix[i] = ids_[place(parts[i])];
  return KeyRange::of_prefix({prefix.data(), bound_});
}

KeyRange BoundPattern::range_of_triples(const QuadPattern& pattern, Order& order) {
  QuadPattern anywhere = pattern;
  anywhere.graph = {GraphChoice::Kind::Union, {}};
  const BoundPattern bound(anywhere, true);
  order = bound.choose(std::nullopt);
  return bound.range(order);
}

KeyRange BoundPattern::range_of_graph(const QuadPattern& pattern, Id graph, Order& order) {
  QuadPattern there = pattern;
  there.graph = {GraphChoice::Kind::One, graph};
  const BoundPattern bound(there, true);
  order = bound.choose(std::nullopt);
  return bound.range(order);
}

}  // namespace helve::store
