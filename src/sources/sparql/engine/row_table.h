// RowTable: solutions kept in memory, row by row; RowIndex finds them by some of their columns.
// What joins, DISTINCT, GROUP BY and ORDER BY hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/memory_budget.h"
#include "base/result.h"
#include "sources/sparql/engine/batch.h"

namespace helve::sparql {

// Grows by doubling, every growth charged before it is made. `what` names the operator in errors.
class RowTable {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  RowTable(std::size_t width, MemoryBudget& budget, std::string_view what)
      : width_(width), charge_(budget, what) {}

  std::uint32_t rows() const { return rows_; }
  std::size_t width() const { return width_; }
  Id at(std::uint32_t row, std::size_t column) const { return ids_[row * width_ + column]; }
  std::span<const Id> row(std::uint32_t row) const { return {ids_.data() + row * width_, width_}; }
  std::size_t bytes() const { return charge_.bytes(); }
  bool has_room(std::size_t rows) const { return ids_.size() + rows * width_ <= ids_.capacity(); }
  // Row by row.
  std::span<const Id> ids() const { return ids_; }

  // REQUIRES: as many ids as the table is wide.
  Result<void> append(std::span<const Id> ids);
  Result<void> append(const Batch& batch, std::size_t row);
  // Empty; keeps its memory.
  void clear();

 private:
  Result<void> grow();

  std::size_t width_;
  MemoryCharge charge_;  // before the ids: released after them
  std::vector<Id> ids_;
  std::uint32_t rows_ = 0;
};

// Rows of one table by the hash of their key columns: equal keys are chained, first added first
// found last. The table must outlive it.
class RowIndex {
 public:
  RowIndex(const RowTable& table, std::vector<std::size_t> key, MemoryBudget& budget,
           std::string_view what)
      : table_(&table), key_(std::move(key)), charge_(budget, what) {}

  // REQUIRES: rows are added in order, each once.
  Result<void> add(std::uint32_t row);
  // The first row with this key, then the next ones; RowTable::kNone at the end.
  std::uint32_t find(std::span<const Id> key) const;
  std::uint32_t next(std::uint32_t row, std::span<const Id> key) const;
  std::size_t bytes() const { return charge_.bytes(); }
  bool has_room(std::size_t rows) const { return next_.size() + rows <= heads_.size(); }
  // REQUIRES: the table still has its rows.
  void clear();

 private:
  Result<void> grow();
  std::uint64_t hash_row(std::uint32_t row) const;
  bool has_key(std::uint32_t row, std::span<const Id> key) const;

  const RowTable* table_;
  std::vector<std::size_t> key_;
  MemoryCharge charge_;
  std::vector<std::uint32_t> heads_;  // by hash; a power of two of them
  std::vector<std::uint32_t> next_;   // by row
};

// Rows, each once, in the order they were first met.
class RowSet {
 public:
  RowSet(std::size_t width, MemoryBudget& budget, std::string_view what);
  RowSet(const RowSet&) = delete;
  RowSet& operator=(const RowSet&) = delete;

  struct Inserted {
    std::uint32_t row = 0;
    bool is_new = false;
  };
  Result<Inserted> insert(std::span<const Id> ids);
  // The number of the row, or RowTable::kNone.
  std::uint32_t find(std::span<const Id> ids) const { return index_.find(ids); }
  bool contains(std::span<const Id> ids) const { return find(ids) != RowTable::kNone; }
  // While so many more are inserted: what grows is there twice.
  std::size_t bytes_with(std::size_t rows) const;
  std::uint32_t size() const { return table_.rows(); }
  std::size_t bytes() const { return table_.bytes() + index_.bytes(); }
  const RowTable& table() const { return table_; }
  void clear();

 private:
  RowTable table_;
  RowIndex index_;
};

}  // namespace helve::sparql
