// GroupOverflow: groups that find no room beside those in memory. Their rows are set aside by the
// hash of their keys and grouped part by part; the groups come in the order of their first rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sources/sparql/engine/distinct_overflow.h"
#include "sources/sparql/engine/group_table.h"
#include "sources/sparql/engine/spilled_rows.h"

namespace helve::sparql {

class GroupOverflow {
 public:
  // `width` is that of the rows. REQUIRES: can_spill(), at least one key; what the aggregates are
  // of gives the same again.
  static Result<GroupOverflow> make(std::size_t keys,
                                    const std::vector<AggregateColumn>& aggregates,
                                    std::size_t width, RunState& run);

  // Of the rows from `first` on, with their keys, those that are chosen.
  Result<void> append(const Batch& rows, std::size_t first, const KeyColumns& keys,
                      const std::vector<std::uint32_t>& chosen);
  // The next group: its keys, then its aggregates; false at the end. Nothing can be appended any
  // more.
  Result<bool> next();
  std::span<const Id> row() const { return runs_.row(); }

 private:
  GroupOverflow(std::size_t keys, const std::vector<AggregateColumn>& aggregates, std::size_t width,
                RowPartitions partitions, RunState& run);
  // Keys, the row, and its number.
  std::size_t width_held() const { return key_count_ + width_ + 1; }
  Result<void> read(std::optional<RowPartitions>& partitions);
  Result<void> read_part(const SpilledRows& rows, int level);

  std::size_t key_count_;
  const std::vector<AggregateColumn>* aggregates_;
  std::size_t width_;
  RunState* run_;
  std::optional<RowPartitions> partitions_;
  std::uint64_t appended_ = 0;
  NumberedRuns runs_;
  std::vector<Id> held_;
};

}  // namespace helve::sparql
