#include "toolkit/examples/query_shape.h"

#include "sources/sparql/algebra/analysis.h"

namespace helve::toolkit {

QueryShape shape_of(const sparql::Query& query) {
  using Kind = sparql::PatternPart::Kind;
  QueryShape shape;
  for (const sparql::PatternPart& part : sparql::pattern_parts(query)) {
    shape.has_union |= part.kind == Kind::Union;
    shape.has_optional |= part.kind == Kind::Optional;
    shape.has_sub_select |= part.kind == Kind::SubSelect;
  }
  return shape;
}

}  // namespace helve::toolkit
