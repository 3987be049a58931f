// The members of a Policy as a tuple of references: for code that must not forget one.
#pragma once

#include <tuple>

namespace helve::toolkit {

// Of a policy of the toolkit or of the C++ API, whose members are in the same order. Does not
// compile if there is another number of them.
template <typename Policy>
constexpr auto members_of(Policy& policy) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa] = policy;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa);
}

}  // namespace helve::toolkit
