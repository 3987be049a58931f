#include "sources/store/live/delta.h"

namespace helve::store {

QuadKey key_of(const Quad& quad, Order order) {
  const auto parts = order_parts(order);
  QuadKey key;
  for (std::size_t i = 0; i < parts.size(); ++i) key.parts[i] = quad[parts[i]];
  return key;
}

Quad quad_of(const QuadKey& key, Order order) {
  const auto parts = order_parts(order);
  std::array<Id, 4> ids;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    ids[static_cast<std::size_t>(parts[i])] = key.parts[i];
  }
  return {ids[0], ids[1], ids[2], ids[3]};
}

namespace {

void add_to(StatisticsChange::Predicate& to, const StatisticsChange::Predicate& by) {
  to.triples += by.triples;
  to.subjects += by.subjects;
  to.objects += by.objects;
}

void add_to(std::int64_t& to, std::int64_t by) { to += by; }

bool is_nothing(const StatisticsChange::Predicate& one) {
  return one.triples == 0 && one.subjects == 0 && one.objects == 0;
}

bool is_nothing(std::int64_t one) { return one == 0; }

template <typename Map>
void add_each(Map& to, const Map& by) {
  for (const auto& [id, change] : by) {
    const auto at = to.try_emplace(id).first;
    add_to(at->second, change);
    if (is_nothing(at->second)) to.erase(at);
  }
}

}  // namespace

void StatisticsChange::add(const StatisticsChange& later) {
  statements += later.statements;
  triples += later.triples;
  subjects += later.subjects;
  objects += later.objects;
  repeated += later.repeated;
  add_each(predicates, later.predicates);
  add_each(classes, later.classes);
  add_each(graphs, later.graphs);
}

}  // namespace helve::store
