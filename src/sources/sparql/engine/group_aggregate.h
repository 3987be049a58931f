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
  // No more rows come for the groups before `end`. REQUIRES: the rows of the last add() are still
  // there, and the groups from `end` on have no others.
  virtual Result<void> settle(std::uint32_t /*end*/) { return {}; }
  // REQUIRES: each group once, when it is settled.
  virtual Value finish(std::uint32_t group) = 0;
  // The last group becomes the first; the others are forgotten.
  virtual void keep_last() = 0;
  virtual void clear() = 0;
  // What it holds for groups and grows with them.
  virtual std::size_t bytes() const = 0;
};

struct GroupShape {
  std::size_t width = 0;                // of the rows
  bool is_single = false;               // there is one group
  std::size_t distinct_aggregates = 1;  // that remember values, all of them together
};

// Whether it must remember values: of equal ones MIN, MAX and SAMPLE take one or all alike.
bool remembers_values(const Aggregate& aggregate);

// The column must outlive it.
std::unique_ptr<GroupAggregate> make_group_aggregate(const AggregateColumn& column,
                                                     const GroupShape& shape, RunState& run);

}  // namespace helve::sparql
