// Which means a query uses, as its algebra has them: wherever they stand, also in EXISTS, SERVICE
// and sub-queries.
#pragma once

#include "sources/sparql/algebra/query.h"

namespace helve::toolkit {

struct QueryShape {
  bool has_union = false;
  bool has_optional = false;
  bool has_sub_select = false;

  friend bool operator==(const QueryShape&, const QueryShape&) = default;
};

QueryShape shape_of(const sparql::Query& query);

}  // namespace helve::toolkit
