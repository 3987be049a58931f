#include "sources/store/key_ranges.h"

#include <algorithm>
#include <array>

#include "sources/store/code_cursor.h"

namespace helve::store {

namespace {

using sparql::KeyPart;
using sparql::LookupKeys;

const KeyPart& key_part(const LookupKeys& keys, Part part) {
  return keys.parts[static_cast<std::size_t>(part)];
}

// How early in an order a part should stand: a column of keys, a constant, what is wanted sorted,
// anything else. Ascending keys stand behind the constant.
int rank(const LookupKeys& keys, Part part, bool is_ascending, std::optional<Part> sorted_by) {
  const KeyPart& of = key_part(keys, part);
  if (of.ids != nullptr) return is_ascending ? 1 : 0;
  if (!of.is_free()) return is_ascending ? 0 : 1;
  return sorted_by == part ? 2 : 3;
}

}  // namespace

std::size_t KeyRanges::depth(Part part) const {
  const auto parts = order_parts(order_);
  return static_cast<std::size_t>(std::find(parts.begin(), parts.end(), part) - parts.begin());
}

bool KeyRanges::is_wanted(std::uint64_t row, std::uint64_t first) const {
  const Permutation& in = permutation();
  if (graphs_ == Graphs::One) return in.at(3, row) == graph_;
  if (row == first || in.at(1, row) != in.at(1, row - 1) || in.at(2, row) != in.at(2, row - 1)) {
    return true;
  }
  return bound_ == 0 && in.leading(row) != in.leading(row - 1);
}

// False: there are no such triples at all.
bool KeyRanges::choose_graph(const sparql::GraphChoice& choice) {
  using Kind = sparql::GraphChoice::Kind;
  const Indexes& indexes = snapshot_->indexes();
  graphs_ = Graphs::Any;
  if (!indexes.has_named_graphs) return choice.kind != Kind::One;
  if (choice.kind == Kind::Union) {
    if (indexes.repeated_triples > 0) graphs_ = Graphs::Once;
    return true;
  }
  graphs_ = Graphs::One;
  graph_ = indexes.default_graph;
  if (choice.kind == Kind::Default) return true;
  graph_ = code_of_(choice.graph);
  return graph_ != CodeReader::kNone;
}

void KeyRanges::choose_order(const LookupKeys& keys, std::optional<Part> sorted_by) {
  bound_ = 0;
  columns_ = 0;
  for (const KeyPart& part : keys.parts) {
    bound_ += part.is_free() ? 0 : 1;
    columns_ += part.ids != nullptr ? 1 : 0;
  }
  is_ascending_ = keys.is_ascending && columns_ == 1 && bound_ == 2;
  int best = 1 << 30;
  for (std::size_t i = 0; i < kTripleOrders; ++i) {
    const auto order = static_cast<Order>(i);
    int cost = 0;
    for (const Part part : order_parts(order)) {
      if (part != Part::Graph) cost = cost * 4 + rank(keys, part, is_ascending_, sorted_by);
    }
    if (cost >= best) continue;
    best = cost;
    order_ = order;
  }
}

// The keys stand behind a constant, one after the other.
void KeyRanges::find_ascending(const LookupKeys& keys) {
  const auto parts = order_parts(order_);
  const Code constant = code_of_(key_part(keys, parts[0]).constant);
  if (constant == CodeReader::kNone) return;
  RowRange rest = permutation().rows_of(constant);
  CodeCursor codes(permutation().column(1));
  const Id* const ids = key_part(keys, parts[1]).ids;
  for (std::size_t key = 0; key < keys.rows; ++key) {
    if (key > 0 && ids[key] == ids[key - 1]) {
      ranges_[key] = ranges_[key - 1];
      continue;
    }
    const Code code = code_of_(ids[key]);
    if (code == CodeReader::kNone) continue;
    rest.first = codes.seek(rest, code);
    const std::uint64_t first = rest.first;
    while (!rest.empty() && codes.at(rest.first) == code) ++rest.first;
    ranges_[key] = {first, rest.first};
  }
}

// Each key by itself; neighbours are often the same.
void KeyRanges::find_each(const LookupKeys& keys) {
  const Permutation& in = permutation();
  const auto parts = order_parts(order_);
  std::array<const Id*, 3> ids{};
  std::array<Code, 3> codes{};
  for (std::size_t depth = 0; depth < bound_; ++depth) {
    ids[depth] = key_part(keys, parts[depth]).ids;
    if (ids[depth] != nullptr) continue;
    codes[depth] = code_of_(key_part(keys, parts[depth]).constant);
    if (codes[depth] == CodeReader::kNone) return;
  }
  for (std::size_t key = 0; key < keys.rows; ++key) {
    bool is_same = key > 0;
    for (std::size_t depth = 0; depth < bound_; ++depth) {
      if (ids[depth] == nullptr) continue;
      if (is_same && ids[depth][key] == ids[depth][key - 1]) continue;
      is_same = false;
      codes[depth] = code_of_(ids[depth][key]);
    }
    const bool is_known =
        std::none_of(codes.begin(), codes.begin() + static_cast<std::ptrdiff_t>(bound_),
                     [](Code code) { return code == CodeReader::kNone; });
    if (is_same) {
      ranges_[key] = ranges_[key - 1];
    } else if (is_known) {
      RowRange range = bound_ > 0 ? in.rows_of(codes[0]) : in.all();
      for (std::size_t depth = 1; depth < bound_ && !range.empty(); ++depth) {
        range = in.narrow(range, depth, codes[depth]);
      }
      ranges_[key] = range;
    }
  }
}

// Constants alone: the orders that the graph leads have just its rows. False: none of them suits.
bool KeyRanges::find_in_graph(const LookupKeys& keys, std::optional<Part> sorted_by) {
  const auto suits = [&](Order order) {
    const auto parts = order_parts(order);
    const auto bound_end = parts.begin() + 1 + static_cast<std::ptrdiff_t>(bound_);
    if (sorted_by && bound_ < 3 && *bound_end != *sorted_by) return false;
    return std::all_of(parts.begin() + 1, bound_end,
                       [&](Part part) { return !key_part(keys, part).is_free(); });
  };
  constexpr std::array<Order, 3> kOrdersOfGraph = {Order::Gspo, Order::Gpos, Order::Gosp};
  const auto* const order = std::find_if(kOrdersOfGraph.begin(), kOrdersOfGraph.end(), suits);
  if (order == kOrdersOfGraph.end()) return false;
  order_ = *order;
  graphs_ = Graphs::Any;
  RowRange range = permutation().rows_of(graph_);
  for (std::size_t depth = 1; depth <= bound_ && !range.empty(); ++depth) {
    const Code code = code_of_(key_part(keys, order_parts(order_)[depth]).constant);
    range = code != CodeReader::kNone ? permutation().narrow(range, depth, code) : RowRange();
  }
  std::fill(ranges_.begin(), ranges_.end(), range);
  return true;
}

void KeyRanges::find(const LookupKeys& keys, std::optional<Part> sorted_by) {
  ranges_.assign(keys.rows, RowRange());
  if (!choose_graph(keys.graph)) return;
  choose_order(keys, sorted_by);
  if (graphs_ == Graphs::One && columns_ == 0 && find_in_graph(keys, sorted_by)) return;
  if (is_ascending_) {
    find_ascending(keys);
  } else {
    find_each(keys);
  }
}

}  // namespace helve::store
