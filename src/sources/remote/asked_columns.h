// AskedColumns: the rows of an endpoint with the columns that the query has, in their order,
// whatever the answer names. Who reads rows can then count on their width.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sources/row_sink.h"
#include "sources/sparql/algebra/query.h"

namespace helve::remote {

// Columns that the answer does not have are unbound, those that were not asked for are left out.
class AskedColumns final : public RowSink {
 public:
  // Of another query than SELECT rows pass as they are. The sink outlives it.
  AskedColumns(const sparql::Query& query, RowSink& sink);

  Result<void> columns(const std::vector<std::string>& names) override;
  Result<void> row(Row cells) override;

  // Columns that were asked for and did not come.
  std::vector<std::string> missing() const;

 private:
  RowSink& sink_;
  std::optional<std::vector<std::string>> asked_;
  bool is_as_asked_ = true;
  std::vector<std::optional<std::size_t>> places_;  // of each asked column in the answer
  std::vector<std::optional<rdf::TermView>> cells_;
};

}  // namespace helve::remote
