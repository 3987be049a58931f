// How lists of a schema are sorted: by a count, largest first, then by name.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

namespace helve::store {

// `count` and `name` are members of a row, or functions of it.
template <typename Row, typename Count, typename Name>
void sort_largest_first(std::vector<Row>& rows, const Count& count, const Name& name) {
  std::sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    const auto x = std::invoke(count, a);
    const auto y = std::invoke(count, b);
    return x != y ? x > y : std::invoke(name, a) < std::invoke(name, b);
  });
}

}  // namespace helve::store
