// Permutations: the quads of a store, sorted. The leading column of a permutation is not stored: a
// directory says where the rows of each leading code start, and orders with the same leading column
// share it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "sources/sparql/engine/dataset.h"
#include "sources/store/code_column.h"

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

// Immutable; thread-safe.
class Permutation {
 public:
  Permutation() = default;
  // `starts` has one entry for each code from `first_code` on and one more; `columns` are the parts
  // behind the leading one.
  Permutation(Code first_code, PackedColumn<std::uint32_t> starts,
              std::array<CodeColumn, 3> columns)
      : first_code_(first_code), starts_(std::move(starts)), columns_(std::move(columns)) {}

  std::uint64_t rows() const { return columns_[0].size(); }
  bool empty() const { return columns_[0].empty(); }

  // Rows whose first parts are these codes: a search for each part behind the first.
  RowRange find(std::span<const Code> prefix) const;
  RowRange all() const { return {0, rows()}; }
  // Those of `rows` whose part `depth` is `code`. REQUIRES: the parts before it are the same in all
  // of `rows`.
  RowRange narrow(RowRange rows, std::size_t depth, Code code) const {
    return columns_[depth - 1].narrow(rows, code);
  }
  // The first of such rows whose part is not less than `code`, searched from the front in growing
  // steps: near ones are found quickly.
  std::uint64_t seek(RowRange rows, std::size_t depth, Code code) const {
    return columns_[depth - 1].seek(rows, code);
  }
  // Part `depth` of all of `rows`. REQUIRES: room for them in `out`.
  void read(RowRange rows, std::size_t depth, Code* out) const {
    columns_[depth - 1].read(rows, out);
  }

  // Part `depth` (1 to 3) of a row.
  Code at(std::size_t depth, std::uint64_t row) const { return columns_[depth - 1][row]; }
  bool has_column(std::size_t depth) const { return !columns_[depth - 1].empty(); }

  // The leading code of a row: a binary search over the directory.
  Code leading(std::uint64_t row) const;
  // The same, and where its rows end: behind this one, even where the directory is damaged.
  std::pair<Code, std::uint64_t> leading_until(std::uint64_t row) const {
    const Code code = leading(row);
    return {code, std::max(rows_of(code).last, row + 1)};
  }
  // Codes that may lead: [first, last).
  std::pair<Code, Code> leading_codes() const {
    return {first_code_, first_code_ + static_cast<Code>(starts_.empty() ? 0 : starts_.size() - 1)};
  }
  RowRange rows_of(Code leading) const {
    const std::uint64_t place = std::uint64_t{leading} - first_code_;
    if (leading < first_code_ || place + 1 >= starts_.size()) return {};
    const auto [first, last] = starts_.pair_at(place);
    if (last < first) return {};  // a damaged directory
    return {first, last};
  }

  // Takes the directory of an order with the same leading part.
  void share_directory(const Permutation& with) {
    first_code_ = with.first_code_;
    starts_ = with.starts_;
  }

  // As they are stored.
  const PackedColumn<std::uint32_t>& starts() const { return starts_; }
  const CodeColumn& column(std::size_t depth) const { return columns_[depth - 1]; }
  // Without the directory, which orders share.
  std::size_t column_bytes() const;

 private:
  Code first_code_ = 0;
  PackedColumn<std::uint32_t> starts_;
  std::array<CodeColumn, 3> columns_;
};

}  // namespace helve::store
