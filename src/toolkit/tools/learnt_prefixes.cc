#include "toolkit/tools/learnt_prefixes.h"

namespace helve::toolkit {

PrefixList learnt_prefixes(const GraphSource& graph, const OpContext& context) {
  PrefixList known = graph.prefixes();
  if (!known.empty() || !graph.info().is_remote) return known;
  (void)graph.schema(context);  // also where it is not for this caller, the prefixes come with it
  return graph.prefixes();
}

}  // namespace helve::toolkit
