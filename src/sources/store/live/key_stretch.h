// One of many look-ups, and several that stand side by side.
#pragma once

#include <cstddef>

#include "sources/sparql/engine/dataset.h"

namespace helve::store {

inline sparql::QuadPattern pattern_of(const sparql::LookupKeys& keys, std::size_t row) {
  const auto id = [&](const sparql::KeyPart& of) {
    return of.ids != nullptr ? of.ids[row] : of.constant;
  };
  return {id(keys.parts[0]), id(keys.parts[1]), id(keys.parts[2]), keys.graph};
}

// What all of them have in common.
inline sparql::QuadPattern constants_of(const sparql::LookupKeys& keys) {
  return {keys.parts[0].constant, keys.parts[1].constant, keys.parts[2].constant, keys.graph};
}

inline sparql::LookupKeys stretch_of(sparql::LookupKeys keys, std::size_t first, std::size_t last) {
  keys.rows = last - first;
  for (sparql::KeyPart& part : keys.parts) {
    if (part.ids != nullptr) part.ids += first;
  }
  return keys;
}

}  // namespace helve::store
