#include <array>

#include "toolkit/guard/guard.h"

namespace helve::toolkit {

std::string_view name_of(FindingKind kind) {
  constexpr std::array<std::string_view, 9> kNames = {
      "unbound_predicate", "all_predicates",     "string_filter",
      "cartesian_product", "property_discovery", "unanchored_path",
      "large_result",      "late_filter",        "too_heavy_before"};
  return kNames.at(static_cast<std::size_t>(kind));
}

}  // namespace helve::toolkit
