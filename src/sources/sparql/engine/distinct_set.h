// DistinctSet: rows of which each is wanted once, in a table as long as there is room. Those that
// are not in it are set aside on disk from then on and come last, as they were met later than all
// others. What DISTINCT remembers, within aggregates too, and the statements of a graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "sources/sparql/engine/distinct_overflow.h"
#include "sources/sparql/engine/id_table.h"
#include "sources/sparql/engine/row_table.h"

namespace helve::sparql {

class DistinctSet {
 public:
  // By column, the ids of some rows.
  using Columns = std::span<const Id* const>;

  // `what` names the operator in errors. `neighbours`: other sets that grow in the same memory; it
  // leaves as much to each as it takes.
  DistinctSet(std::size_t width, RunState& run, std::string_view what, std::size_t neighbours = 0);

  // Of the table.
  std::size_t size() const;
  std::size_t bytes() const;

  // Appends the rows that are new to `fresh`, those before an error too. What is not in the table
  // and finds no room there is set aside.
  Result<void> insert(Columns columns, std::size_t rows, std::vector<std::uint32_t>& fresh);
  // The same without giving them, or setting any aside.
  Result<void> remember(Columns columns, std::size_t rows);
  bool has_held() const { return overflow_.has_value(); }
  // What was set aside. The table's memory is given back: nothing can be inserted before clear().
  // REQUIRES: has_held().
  DistinctOverflow& held();
  // Empty.
  void clear();

 private:
  using Table = std::variant<IdTable<1>, IdTable<2>, RowSet>;

  // It would take what its neighbours are to have.
  bool is_full(std::size_t rows) const;
  Result<void> set_aside(Columns columns, std::size_t first, std::size_t rows);
  bool contains(std::span<const Id> row) const;
  void release();

  std::size_t width_;
  RunState* run_;
  std::string_view what_;
  std::size_t neighbours_;
  Table table_;
  std::optional<DistinctOverflow> overflow_;
  std::vector<Id> row_;
  std::vector<std::uint32_t> passed_over_;
};

}  // namespace helve::sparql
