// OrderStream: packs the rows of one order, which come sorted, into a Permutation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/packed_column_stream.h"
#include "sources/store/part_names.h"
#include "sources/store/permutation.h"

namespace helve::store {

// A statement as an order sees it: codes of its parts, the most significant first. The fourth is
// not used without named graphs.
using OrderRow = std::array<Code, 4>;

// What all orders of one index have in common.
struct OrderPlan {
  bool has_named_graphs = false;
  PartNames predicates;
  PartNames graphs;

  const PartNames* names_of(Part part) const {
    if (part == Part::Predicate) return &predicates;
    return part == Part::Graph ? &graphs : nullptr;
  }
};

// Not thread-safe. The plan and the context must outlive it.
class OrderStream {
 public:
  OrderStream(Order order, const OrderPlan& plan, const BuildPlace& place,
              const OpContext& context);

  // REQUIRES: behind the row before it. Errors: LimitExceeded beyond Limits::quads_max;
  // Unavailable for a part that the plan does not name; those of writing and of OpContext::check().
  Result<void> add(const OrderRow& row) {
    if (row[0] != leading_ || rows_ == 0) HELVE_TRY(lead(row[0]));
    if (held_ == kBlock) HELVE_TRY(pack());
    const bool is_repeat = row[0] == last_[0] && row[1] == last_[1] && row[2] == last_[2];
    repeated_ += is_repeat && rows_ > 0 ? 1 : 0;
    last_ = row;
    for (std::size_t depth = 1; depth < 4; ++depth) blocks_[depth - 1][held_] = row[depth];
    ++held_;
    ++rows_;
    return {};
  }
  std::uint64_t rows() const { return rows_; }
  // Rows whose first three parts are those of the row before: of an order that ends with the graph,
  // triples that several graphs have.
  std::uint64_t repeated_triples() const { return repeated_; }
  // Call once, last. The permutation has a directory of its own.
  Result<Permutation> finish();

 private:
  static constexpr std::size_t kBlock = PackedColumn<Code>::kBlockValues;

  struct Depth {
    explicit Depth(const BuildPlace& place) : column(place) {}
    PackedColumnStream<Code> column;
    const PartNames* names = nullptr;
  };

  Result<void> lead(Code code);
  Result<void> pack();

  const OpContext& context_;
  const std::size_t depths_;  // behind the leading part
  std::array<Depth, 3> columns_;
  PackedColumnStream<std::uint32_t> starts_;
  Code first_code_ = 0;
  Code leading_ = 0;
  OrderRow last_{};
  std::uint64_t rows_ = 0;
  std::uint64_t repeated_ = 0;
  std::size_t held_ = 0;
  std::array<std::array<Code, kBlock>, 3> blocks_;  // rows that are not packed yet, by depth
};

}  // namespace helve::store
