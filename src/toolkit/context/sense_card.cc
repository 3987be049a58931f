#include "toolkit/context/sense_card.h"

#include "base/text.h"

namespace helve::context {

LayerText pack_sense_card(const GraphFacts& facts, std::size_t budget) {
  LayerBuilder builder(budget);
  builder.add_line("size", format_count(facts.triples) + " triples");
  return std::move(builder).finish();
}

}  // namespace helve::context
