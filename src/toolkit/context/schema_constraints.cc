#include "toolkit/context/schema_constraints.h"

namespace helve::context {

LayerText pack_schema_constraints(const GraphFacts& /*facts*/, const ConstraintFile* own,
                                  std::size_t budget) {
  LayerBuilder builder(budget);
  if (own != nullptr) {
    for (const std::string& line : own->avoid) builder.add_line("avoid", line);
  }
  return std::move(builder).finish();
}

}  // namespace helve::context
