// GroupTable: the groups of a GROUP BY with their keys and aggregates. group_rows.cc has one for
// all rows; group_overflow.h one for each part of those that found no room.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sources/sparql/engine/charged_vector.h"
#include "sources/sparql/engine/group_aggregate.h"
#include "sources/sparql/engine/id_table.h"
#include "sources/sparql/engine/modifiers.h"
#include "sources/sparql/engine/row_table.h"

namespace helve::sparql {

inline constexpr std::string_view kGroupName = "GROUP BY";

// By column, the keys of some rows.
using KeyColumns = std::vector<const Id*>;

// Numbers the groups and holds their keys.
class GroupKeys {
 public:
  GroupKeys(std::size_t width, bool is_sorted, MemoryBudget& budget);

  std::uint32_t count() const { return count_; }
  Id key(std::uint32_t group, std::size_t column) const { return keys_[column][group]; }
  std::size_t bytes() const;

  // Without keys there is one group, whether there are rows or not.
  void add_single() { count_ = 1; }
  // The columns of keys, each with `rows` ids.
  Result<void> number(const KeyColumns& columns, std::size_t rows,
                      std::vector<std::uint32_t>& groups);
  // The group that has this key already.
  std::optional<std::uint32_t> find(std::span<const Id> key) const;
  void keep_last();
  void clear();

 private:
  bool is_last_key(const KeyColumns& columns, std::size_t row) const;
  void number_runs(const KeyColumns& columns, std::vector<std::uint32_t>& groups) const;
  Result<void> number_wide(const KeyColumns& columns, std::vector<std::uint32_t>& groups);
  Result<void> add_keys(const KeyColumns& columns, const std::vector<std::uint32_t>& groups);

  bool is_sorted_;
  IdTable<1> one_;
  IdTable<2> two_;
  RowSet many_;
  std::vector<ChargedVector<Id>> keys_;  // by column, by group
  std::uint32_t count_ = 0;
  std::vector<Id> ids_;
};

// The aggregates must outlive it. `width` is that of the rows.
class GroupTable {
 public:
  GroupTable(std::size_t keys, const std::vector<AggregateColumn>& aggregates, std::size_t width,
             bool is_sorted, RunState& run);

  std::uint32_t count() const { return keys_.count(); }
  // Its groups and their aggregates are too many to take all others in too.
  bool is_large() const;
  void add_single() { keys_.add_single(); }

  // So many rows from `first` on, with keys of their own.
  Result<void> add(const Batch& rows, std::size_t first, std::size_t count, const KeyColumns& keys);
  // Of the rows of the last add(), counted from `first`.
  std::uint32_t group_of(std::size_t row) const { return groups_[row]; }
  // The same for all rows from `first` on whose groups are there; appends the others to `unknown`,
  // counted from `first`.
  Result<void> add_known(const Batch& rows, std::size_t first, const KeyColumns& keys,
                         std::vector<std::uint32_t>& unknown);
  // Rows to add at once: few groups more, where memory is small.
  static std::size_t rows_at_once(const RunState& run);
  // No more rows come for the groups before `end`. REQUIRES: the rows of the last add() are still
  // there, and the groups from `end` on have no others.
  Result<void> settle(std::uint32_t end);
  // No more rows come. Aggregates know of all groups, those without rows included.
  Result<void> finish();
  // Appends keys and aggregates. REQUIRES: each group once, when it is settled.
  Result<void> append(std::uint32_t group, std::vector<Id>& row);
  void keep_last();
  void clear();

 private:
  Result<void> aggregate(const GroupedRows& rows);

  std::size_t key_count_;
  std::size_t width_;
  RunState& run_;
  GroupKeys keys_;
  std::vector<std::unique_ptr<GroupAggregate>> aggregates_;
  // Of a batch.
  std::vector<std::uint32_t> groups_;
  std::vector<std::uint32_t> known_rows_;
  Batch known_;
  std::vector<Id> key_;
};

}  // namespace helve::sparql
