// Permutations: the quads of a store, sorted. The leading column of a permutation is not stored: a
// directory says where the rows of each leading code start, and orders with the same leading column
// share it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "sources/sparql/engine/dataset.h"
#include "sources/store/column.h"
#include "sources/store/dictionary.h"

namespace helve::store {

using sparql::Order;
using sparql::Part;

inline constexpr std::size_t kTripleOrders = 6;
inline constexpr std::size_t kOrders = 9;

// The parts of an order, most significant first. The fourth is absent without named graphs.
constexpr std::array<Part, 4> order_parts(Order order) {
  using enum Part;
  switch (order) {
    case Order::Spo:
      return {Subject, Predicate, Object, Graph};
    case Order::Sop:
      return {Subject, Object, Predicate, Graph};
    case Order::Pso:
      return {Predicate, Subject, Object, Graph};
    case Order::Pos:
      return {Predicate, Object, Subject, Graph};
    case Order::Osp:
      return {Object, Subject, Predicate, Graph};
    case Order::Ops:
      return {Object, Predicate, Subject, Graph};
    case Order::Gspo:
      return {Graph, Subject, Predicate, Object};
    case Order::Gpos:
      return {Graph, Predicate, Object, Subject};
    case Order::Gosp:
      return {Graph, Object, Subject, Predicate};
  }
  return {};
}

// A stretch of rows of one permutation.
struct RowRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  std::uint64_t size() const { return last - first; }
  bool empty() const { return first == last; }
};

// Immutable; thread-safe.
class Permutation {
 public:
  Permutation() = default;
  // `starts` has one entry for each code from `first_code` on and one more; `columns` are the parts
  // behind the leading one.
  Permutation(Code first_code, Column<std::uint32_t> starts, std::array<Column<Code>, 3> columns)
      : first_code_(first_code), starts_(std::move(starts)), columns_(std::move(columns)) {}

  std::uint64_t rows() const { return columns_[0].size(); }
  bool empty() const { return columns_[0].empty(); }

  // Rows whose first parts are these codes: two binary searches for each part behind the first.
  RowRange find(std::span<const Code> prefix) const;
  RowRange all() const { return {0, rows()}; }
  // Those of `rows` whose part `depth` is `code`. REQUIRES: the parts before it are the same in all
  // of `rows`.
  RowRange narrow(RowRange rows, std::size_t depth, Code code) const;
  // The first of such rows whose part is not less than `code`, searched from the front in growing
  // steps: near ones are found quickly.
  std::uint64_t seek(RowRange rows, std::size_t depth, Code code) const;
  // Part `depth` of all of `rows`. REQUIRES: room for them in `out`.
  void read(RowRange rows, std::size_t depth, Code* out) const;

  // Part `depth` (1 to 3) of a row.
  Code at(std::size_t depth, std::uint64_t row) const { return columns_[depth - 1][row]; }
  const Column<Code>& column(std::size_t depth) const { return columns_[depth - 1]; }
  bool has_column(std::size_t depth) const { return !columns_[depth - 1].empty(); }

  // The leading code of a row: a binary search over the directory.
  Code leading(std::uint64_t row) const;
  // Codes that may lead: [first, last).
  std::pair<Code, Code> leading_codes() const {
    return {first_code_, first_code_ + static_cast<Code>(starts_.empty() ? 0 : starts_.size() - 1)};
  }
  RowRange rows_of(Code leading) const;
  const Column<std::uint32_t>& starts() const { return starts_; }

  // Without the directory, which orders share.
  std::size_t column_bytes() const;

 private:
  Code first_code_ = 0;
  Column<std::uint32_t> starts_;
  std::array<Column<Code>, 3> columns_;
};

}  // namespace helve::store
