// RowTable: the rows of a handle, by columns, with a dictionary of their own. Its bytes are the
// same in memory, in a file of a session and on the way to a worker.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_budget.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/term.h"
#include "sources/row_sink.h"

namespace helve::toolkit {

// Immutable; thread-safe.
class RowTable {
 public:
  virtual ~RowTable() = default;
  virtual const std::vector<std::string>& columns() const = 0;
  virtual std::uint64_t rows() const = 0;
  // REQUIRES: within bounds. The view is valid as long as the table.
  virtual std::optional<rdf::TermView> cell(std::uint64_t row, std::size_t column) const = 0;
  // The same by numbers: 0 is unbound, others are less than or equal to terms(). Equal numbers are
  // equal terms, of this table alone.
  virtual std::uint32_t number(std::uint64_t row, std::size_t column) const = 0;
  virtual std::uint32_t terms() const = 0;
  virtual rdf::TermView term(std::uint32_t number) const = 0;  // REQUIRES: not 0, at most terms()
  // Different terms of a column, in order of first appearance; at most `terms_max`.
  virtual std::vector<rdf::TermView> distinct(std::size_t column, std::size_t terms_max) const = 0;
  // Characters of all cells as text: Ref::sz.
  virtual std::uint64_t characters() const = 0;
  virtual std::size_t memory_bytes() const = 0;
  // The whole as bytes, for table_from_bytes(): checksummed, versioned.
  virtual std::string to_bytes() const = 0;
};

using RowTablePtr = std::shared_ptr<const RowTable>;

// Unavailable where the bytes are damaged or of another version; nothing in them is trusted.
// `owner` keeps them alive.
Result<RowTablePtr> table_from_bytes(std::string_view bytes, std::shared_ptr<const void> owner);

// Collects rows. When it is full (rows or bytes), row() answers LimitExceeded and is_full() is
// true; what was taken before stays.
class RowTableBuilder final : public RowSink {
 public:
  struct Limits {
    std::uint64_t rows_max = 1'000'000;
    std::size_t bytes_max = std::size_t{256} << 20;  // as bytes, and characters of all cells
  };

  RowTableBuilder(Limits limits, const OpContext& context);
  ~RowTableBuilder() override;

  Result<void> columns(const std::vector<std::string>& names) override;
  Result<void> row(Row cells) override;
  bool is_full() const;
  std::uint64_t rows() const;

  // Call once. While it is built, memory is charged to the context's budget; the table's own, for
  // as long as it lives, to that of the process, since the table outlives the call.
  RowTablePtr finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace helve::toolkit
