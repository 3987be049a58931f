// MergedRows: the rows that a load of a store with changes would have under a prefix of one order:
// those of the base that are still there, and those that came where their terms would stand.
// LiveScan, which has the rows of queries, gives them in the order of ids.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sources/store/live/live_snapshot.h"

namespace helve::store {

// The snapshot must outlive it. Takes the time of the changes under the prefix.
class MergedRows {
 public:
  // REQUIRES: one or two ids, the first parts of an order that has the graph last.
  MergedRows(const LiveSnapshot& snapshot, Order order, std::span<const Id> prefix);

  // One row for each graph that has a triple.
  std::uint64_t size() const { return range_.size() - removed_.size() + added_.size(); }
  // Parts of the triple behind the prefix.
  using Parts = std::array<Id, 2>;
  // REQUIRES: less than size(), and not less than the time before.
  Parts at(std::uint64_t rank);

 private:
  struct Added {
    std::uint64_t row = 0;  // of the base, which it stands before
    Parts parts;
  };

  std::uint64_t row_of(const Parts& parts) const;
  void add(const QuadEntry& entry);
  bool is_before(const Added& a, const Added& b) const;
  Parts parts_of_base(std::uint64_t row) const;

  const LiveSnapshot& snapshot_;
  const Permutation& rows_;
  std::size_t depth_;  // of the first part behind the prefix
  RowRange range_;     // of the base
  std::vector<Added> added_;
  std::vector<std::uint64_t> removed_;
  // Where the walk is.
  std::uint64_t rank_ = 0;
  std::uint64_t row_ = 0;
  std::size_t next_added_ = 0;
  std::size_t next_removed_ = 0;
};

}  // namespace helve::store
