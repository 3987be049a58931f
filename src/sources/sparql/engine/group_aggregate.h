// GroupAggregate: one aggregate over all groups of a GROUP BY, a batch of rows at a time. What
// plain columns allow is counted in arrays; everything else has an Accumulator for each group.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "sources/sparql/engine/modifiers.h"

namespace helve::sparql {

// Rows from `first` on, and the group of each.
struct GroupedRows {
  const Batch& batch;
  std::size_t first = 0;
  std::span<const std::uint32_t> groups;
  std::uint32_t group_count = 0;  // of all groups so far

  std::span<const Id> column(std::size_t column) const {
    return std::span(batch.columns[column]).subspan(first, groups.size());
  }
};

class GroupAggregate {
 public:
  virtual ~GroupAggregate() = default;
  // A hard error of an expression may be in the context instead.
  virtual Result<void> add(const GroupedRows& rows) = 0;
  // REQUIRES: each group once.
  virtual Value finish(std::uint32_t group) = 0;
  // The last group becomes the first; the others are forgotten.
  virtual void keep_last() = 0;
  virtual void clear() = 0;
  // What it holds for groups and grows with them.
  virtual std::size_t bytes() const = 0;
};

// The column must outlive it. `width` is that of the rows, `is_single`: there is one group.
std::unique_ptr<GroupAggregate> make_group_aggregate(const AggregateColumn& column,
                                                     std::size_t width, bool is_single,
                                                     RunState& run);

}  // namespace helve::sparql
