// Choosing an order for a pattern, and walking over its rows.
#include "sources/store/snapshot.h"

#include <algorithm>
#include <tuple>

namespace helve::store {

namespace {

constexpr std::size_t place(Part part) { return static_cast<std::size_t>(part); }

// The bound parts of a pattern, as codes; the graph is bound by the choice of graphs.
struct BoundParts {
  std::array<std::optional<Code>, 4> codes;
  bool is_impossible = false;  // a term that the store does not have

  std::size_t count() const {
    return static_cast<std::size_t>(std::count_if(
        codes.begin(), codes.end(), [](const auto& code) { return code.has_value(); }));
  }

  void bind(Part part, Id id, const Dictionary& dictionary) {
    if (!id.is_defined()) return;
    codes[place(part)] = dictionary.code_of(id);
    if (!codes[place(part)]) is_impossible = true;
  }

  // True when the first parts of the order are exactly the bound ones. An order that starts with
  // the graph is none for a pattern over several graphs, even where nothing is bound.
  bool lead(Order order) const {
    const auto parts = order_parts(order);
    if (parts[0] == Part::Graph && !codes[place(Part::Graph)]) return false;
    return std::all_of(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(count()),
                       [this](Part part) { return codes[place(part)].has_value(); });
  }
};

constexpr std::array<Order, kOrders> kAllOrders = {Order::Spo,  Order::Pos,  Order::Osp,
                                                   Order::Pso,  Order::Sop,  Order::Ops,
                                                   Order::Gspo, Order::Gpos, Order::Gosp};

}  // namespace

std::size_t Snapshot::memory_bytes() const {
  return dictionary_.memory_bytes() + indexes_.memory_bytes() + statistics_.memory_bytes();
}

Snapshot::Place Snapshot::find(const QuadPattern& pattern, std::optional<Order> preferred) const {
  BoundParts bound;
  bound.bind(Part::Subject, pattern.subject, dictionary_);
  bound.bind(Part::Predicate, pattern.predicate, dictionary_);
  bound.bind(Part::Object, pattern.object, dictionary_);
  using Kind = GraphChoice::Kind;
  if (is_everything_default()) {
    if (pattern.graph.kind == Kind::Named || pattern.graph.kind == Kind::One) return {};
  } else if (pattern.graph.kind == Kind::One) {
    bound.bind(Part::Graph, pattern.graph.graph, dictionary_);
    if (!pattern.graph.graph.is_defined()) return {};
  } else if (pattern.graph.kind == Kind::Default) {
    bound.codes[place(Part::Graph)] = indexes_.default_graph;
  }
  if (bound.is_impossible) return {};

  const auto* chosen = std::find_if(kAllOrders.begin(), kAllOrders.end(),
                                    [&](Order order) { return bound.lead(order); });
  const Order order = preferred && bound.lead(*preferred) ? *preferred : *chosen;
  std::array<Code, 4> prefix{};
  const auto parts = order_parts(order);
  for (std::size_t i = 0; i < bound.count(); ++i) prefix[i] = *bound.codes[place(parts[i])];
  return {order, indexes_[order].find({prefix.data(), bound.count()})};
}

Count Snapshot::count(const QuadPattern& pattern) const {
  const RowRange rows = find(pattern, std::nullopt).rows;
  using Kind = GraphChoice::Kind;
  const bool graphs_overlap = pattern.graph.kind == Kind::Union && indexes_.repeated_triples > 0;
  const bool default_in_between = pattern.graph.kind == Kind::Named &&
                                  !indexes_[Order::Gspo].rows_of(indexes_.default_graph).empty();
  return {rows.size(), rows.empty() || !(graphs_overlap || default_in_between)};
}

Scan Snapshot::scan(const QuadPattern& pattern, std::optional<Order> preferred,
                    Parts wanted) const {
  const Place found = find(pattern, preferred);
  return {*this, found.order, found.rows, pattern.graph.kind, wanted};
}

void Snapshot::sample(const QuadPattern& pattern, std::size_t rows_max, QuadBatch& batch) const {
  for (auto& column : batch.columns) column.clear();
  batch.rows = 0;
  const Place found = find(pattern, std::nullopt);
  const std::uint64_t step = std::max<std::uint64_t>(1, found.rows.size() / rows_max);
  Scan scan(*this, found.order, found.rows, pattern.graph.kind, sparql::kAllParts);
  for (std::uint64_t row = found.rows.first + step / 2;
       row < found.rows.last && batch.rows < rows_max; row += step) {
    if (!scan.has_unwanted() || scan.is_wanted(row)) scan.append(row, batch);
  }
}

Scan::Scan(const Snapshot& snapshot, Order order, RowRange rows, GraphChoice::Kind graphs,
           Parts wanted)
    : snapshot_(&snapshot), order_(order), rows_(rows), graphs_(graphs), wanted_(wanted) {}

void Scan::keep_part(std::uint32_t part, std::uint32_t parts) {
  const std::uint64_t size = rows_.size();
  const std::uint64_t first = rows_.first;
  rows_ = {first + size * part / parts, first + size * (part + 1) / parts};
  if (rows_.empty() || rows_.first == first || !has_unwanted()) return;
  // Whether the first row repeats a triple is seen from the row before it.
  const Permutation& from = snapshot_->indexes()[order_];
  const Code leading = from.leading(rows_.first);
  const RowRange of_leading = from.rows_of(leading);
  if (of_leading.first == rows_.first) return;
  leading_ = leading;
  leading_end_ = of_leading.last;
}

std::optional<Scan::Edge> Scan::edge(std::uint32_t part, std::uint32_t parts) const {
  const std::uint64_t row = rows_.first + rows_.size() * part / parts;
  if (row == rows_.last) return std::nullopt;
  QuadBatch batch;
  Scan here = *this;
  here.append(row, batch);
  Edge edge;
  for (std::size_t i = 0; i < edge.ids.size(); ++i) {
    if (!batch.columns[i].empty()) edge.ids[i] = batch.columns[i].front();
  }
  const Permutation& from = snapshot_->indexes()[order_];
  // As is_wanted() has it where the leading code of the row before is known.
  const bool is_next = row > rows_.first && from.leading(row - 1) == from.leading(row);
  here.leading_end_ = is_next ? rows_.last : row;
  edge.is_unwanted = here.has_unwanted() && !here.is_wanted(row);
  return edge;
}

// Rows of other graphs, or the same triple again, stand among the rows.
bool Scan::has_unwanted() const {
  const Indexes& indexes = snapshot_->indexes();
  return indexes.has_named_graphs && order_ < Order::Gspo;
}

bool Scan::is_wanted(std::uint64_t row) const {
  const Indexes& indexes = snapshot_->indexes();
  const Permutation& from = indexes[order_];
  if (graphs_ == GraphChoice::Kind::Named) return from.at(3, row) != indexes.default_graph;
  // A union: the same triple in the next graph is the next row.
  return row >= leading_end_ || from.at(1, row) != from.at(1, row - 1) ||
         from.at(2, row) != from.at(2, row - 1);
}

void Scan::append(std::uint64_t row, QuadBatch& batch) {
  const Permutation& from = snapshot_->indexes()[order_];
  const Dictionary& dictionary = snapshot_->dictionary();
  if (row >= leading_end_) {
    std::tie(leading_, leading_end_) = from.leading_until(row);
  }
  const auto parts = order_parts(order_);
  const auto id_of = [&](Code code) {
    return code == snapshot_->indexes().default_graph ? Id() : dictionary.id_of(code);
  };
  batch.columns[place(parts[0])].push_back(id_of(leading_));
  for (std::size_t depth = 1; depth < 4 && from.has_column(depth); ++depth) {
    batch.columns[place(parts[depth])].push_back(id_of(from.at(depth, row)));
  }
  ++batch.rows;
}

void Scan::append_leading(RowRange rows, std::vector<Id>& column) {
  const Permutation& from = snapshot_->indexes()[order_];
  while (!rows.empty()) {
    if (rows.first >= leading_end_) {
      std::tie(leading_, leading_end_) = from.leading_until(rows.first);
    }
    const std::uint64_t last = std::min(rows.last, leading_end_);
    const bool is_default = leading_ == snapshot_->indexes().default_graph;
    column.insert(column.end(), last - rows.first,
                  is_default ? Id() : snapshot_->dictionary().id_of(leading_));
    rows.first = last;
  }
}

void Scan::append_all(RowRange rows, QuadBatch& batch) {
  const Permutation& from = snapshot_->indexes()[order_];
  const auto parts = order_parts(order_);
  std::array<Code, QuadBatch::kRows> codes;
  if ((wanted_ & sparql::bit(parts[0])) != 0) append_leading(rows, batch.columns[place(parts[0])]);
  for (std::size_t depth = 1; depth < 4 && from.has_column(depth); ++depth) {
    if ((wanted_ & sparql::bit(parts[depth])) == 0 || parts[depth] == Part::Graph) continue;
    from.read(rows, depth, codes.data());
    auto& column = batch.columns[place(parts[depth])];
    column.resize(rows.size());
    IdReader id_of(snapshot_->dictionary());
    for (std::size_t i = 0; i < rows.size(); ++i) column[i] = id_of(codes[i]);
  }
  batch.rows += rows.size();
}

bool Scan::next(QuadBatch& batch, std::size_t rows_max) {
  for (auto& column : batch.columns) column.clear();
  batch.rows = 0;
  const std::size_t rows_end = std::min(rows_max, QuadBatch::kRows);
  if (!has_unwanted()) {
    const std::uint64_t count = std::min<std::uint64_t>(rows_.size(), rows_end);
    append_all({rows_.first, rows_.first + count}, batch);
    rows_.first += count;
    if (graphs_ != GraphChoice::Kind::Named) batch.columns[place(Part::Graph)].clear();
    return batch.rows > 0;
  }
  while (!rows_.empty() && batch.rows < rows_end) {
    if (is_wanted(rows_.first)) append(rows_.first, batch);
    ++rows_.first;
  }
  if (graphs_ != GraphChoice::Kind::Named) batch.columns[place(Part::Graph)].clear();
  return batch.rows > 0;
}

}  // namespace helve::store
