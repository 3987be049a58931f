// JoinOverflow: a hash join whose right side exceeds the memory. Both sides are spread over
// partitions on disk by the key and joined part by part; rows carry the number of their row of the
// left and are merged by it, so that they come as they would from memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sources/sparql/engine/distinct_overflow.h"
#include "sources/sparql/engine/join_side.h"
#include "sources/sparql/engine/spilled_rows.h"

namespace helve::sparql {

class JoinOverflow {
 public:
  // `width` is that of the result. REQUIRES: can_spill(), a right side with columns. The shape must
  // outlive it.
  static Result<JoinOverflow> make(const JoinShape& shape, std::size_t width, RunState& run);

  Result<void> add_right(std::span<const Id> row) { return right_.append(row); }
  // After the right side: those of the shared columns that every row has bound.
  Result<void> begin_left(std::vector<SharedColumn> key);
  Result<void> add_left(const Batch& left, std::size_t row);
  // The next row of the result; false at the end. Nothing can be added any more.
  Result<bool> next();
  std::span<const Id> row() const { return runs_.row(); }

 private:
  JoinOverflow(const JoinShape& shape, std::size_t width, SpilledRows right, RunState& run);

  Result<void> join();
  Result<void> join_parts(RowPartitions left, RowPartitions right);
  Result<void> join_part(const SpilledRows& left, const SpilledRows& right, int level);
  Result<bool> load(const SpilledRows& right, JoinSide& side);
  Result<void> split(const SpilledRows& left, const SpilledRows& right, int level);
  // Candidates of each row of the left: those in memory, or `scanned`.
  Result<void> probe(const SpilledRows& left, JoinSide& side, const SpilledRows* scanned,
                     bool is_backward);
  Result<void> spread(const SpilledRows& rows, bool is_left, RowPartitions& to);

  const JoinShape* shape_;
  std::size_t width_;
  RunState* run_;
  SpilledRows right_;
  std::vector<SharedColumn> key_;
  std::optional<RowPartitions> right_parts_;
  std::optional<RowPartitions> left_parts_;
  std::optional<SpilledRows> unbound_left_;  // rows that may meet any of the right
  std::uint64_t added_ = 0;
  bool is_joined_ = false;
  NumberedRuns runs_;
  std::vector<Id> key_values_;
  std::vector<Id> row_;
};

}  // namespace helve::sparql
