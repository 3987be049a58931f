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

}  // namespace helve::store
