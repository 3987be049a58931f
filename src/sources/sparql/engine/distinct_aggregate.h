// DISTINCT within an aggregate: what is left of the rows of each group goes to the aggregate
// itself.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sources/sparql/engine/distinct_set.h"
#include "sources/sparql/engine/group_aggregate.h"

namespace helve::sparql {

// Values that find no room in memory come to the aggregate when groups are settled, still in the
// order in which they were first met; unbound ones, which are errors, at once and each time.
class DistinctAggregate final : public GroupAggregate {
 public:
  // `plain` takes the different values of a group in a column of their own, or, for COUNT(DISTINCT
  // *), its different rows, without columns. The column must outlive it.
  DistinctAggregate(const AggregateColumn& column, const GroupShape& shape, RunState& run,
                    std::unique_ptr<GroupAggregate> plain);

  Result<void> add(const GroupedRows& rows) override;
  Result<void> settle(std::uint32_t end) override;
  Value finish(std::uint32_t group) override { return plain_->finish(group); }
  void keep_last() override;
  void clear() override;
  std::size_t bytes() const override { return plain_->bytes() + seen_.bytes(); }

 private:
  void read(const GroupedRows& rows);
  const Id* read_values(const GroupedRows& rows);
  void take_unbound_out(const Id* values);
  Result<void> give();
  Result<void> give_held();
  Result<void> remember_open();

  const BoundExpression* argument_;  // null: of whole rows
  bool is_single_;
  RunState& run_;
  std::unique_ptr<GroupAggregate> plain_;
  DistinctSet seen_;               // the group, unless there is one, then the value or the row
  std::uint64_t first_group_ = 0;  // numbers of groups go on where others are forgotten
  std::uint64_t settled_ = 0;
  std::uint32_t group_count_ = 0;
  // Of the rows that were added last.
  std::vector<std::uint32_t> row_groups_;
  std::vector<Id> groups_;  // as they are numbered here
  std::vector<Id> values_;
  std::vector<const Id*> columns_;  // of `seen_`
  std::size_t rows_ = 0;
  std::vector<std::uint32_t> fresh_;
  // Of what is given.
  Batch given_;
  std::vector<std::uint32_t> given_groups_;
};

}  // namespace helve::sparql
