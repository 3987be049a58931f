// Rows of a write transaction on their way into a RowSink, up to a number of them.
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/row_sink.h"
#include "sources/sql/postgres/values.h"

namespace helve::sql {

class RowDelivery {
 public:
  // `sink` may be null: rows are counted then. `types` must outlive it.
  RowDelivery(RowSink* sink, std::uint64_t rows_max, std::size_t bytes_max, const TypeTable& types)
      : sink_(sink), rows_max_(rows_max), bytes_max_(bytes_max), types_(types) {}

  // All rows of a result, its columns first where it is the first one. Rows beyond the bounds are
  // dropped. Errors are those of the sink.
  Result<void> take(const PGresult* result, const OpContext& context);

  std::uint64_t rows() const { return rows_; }  // delivered
  bool has_more() const { return has_more_; }   // than were delivered
  const std::vector<std::string>& column_types() const { return column_types_; }
  std::vector<std::string> notes() const;

 private:
  Result<void> begin(const PGresult* result);
  Result<void> take_row(const PGresult* result, int row);

  RowSink* sink_;
  std::uint64_t rows_max_;
  std::size_t bytes_max_;
  const TypeTable& types_;
  bool has_begun_ = false;
  bool has_more_ = false;
  std::uint64_t rows_ = 0;
  std::size_t bytes_ = 0;
  std::vector<ValueReader> readers_;
  std::vector<std::string> column_types_;
  std::vector<std::optional<rdf::TermView>> cells_;
};

}  // namespace helve::sql
