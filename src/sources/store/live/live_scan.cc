#include "sources/store/live/live_scan.h"

#include <algorithm>
#include <array>

#include "sources/store/live/bound_pattern.h"
#include "sources/store/live/key_stretch.h"

namespace helve::store {

namespace {

using Kind = GraphChoice::Kind;

constexpr std::size_t place_of_part(Part part) { return static_cast<std::size_t>(part); }

// The changes within a pattern, in the order of a scan: each says of a row whether it is there,
// whatever the base says.
class ChangedRows {
 public:
  void start(const LiveSnapshot& snapshot, const GraphChoice& graph, Order order,
             const KeyRange& range) {
    snapshot_ = &snapshot;
    graph_ = graph;
    order_ = order;
    end_ = range.last;
    cursor_ = snapshot.delta()[order].seek(range.first);
    settle();
  }

  bool is_at_end() const { return is_at_end_; }
  const Quad& quad() const { return quad_; }
  bool is_there() const { return is_there_; }
  void next() {
    if (graph_.kind != Kind::Union) cursor_.next();
    settle();
  }

 private:
  const QuadEntry* entry() const {
    const QuadEntry* const at = cursor_.entry();
    return at != nullptr && at->key < end_ ? at : nullptr;
  }

  void settle() {
    is_at_end_ = false;
    for (const QuadEntry* at = entry(); at != nullptr; at = entry()) {
      quad_ = quad_of(at->key, order_);
      is_there_ = at->presence == Presence::Added;
      if (graph_.kind == Kind::Union) return settle_union();
      if (is_wanted()) return;
      cursor_.next();
    }
    is_at_end_ = true;
  }

  bool is_wanted() const {
    if (graph_.kind == Kind::Named) return quad_.graph.is_defined();
    return quad_.graph == (graph_.kind == Kind::One ? graph_.graph : Id());
  }

  // A triple is there while any graph states it. Its entries stand side by side.
  void settle_union() {
    const Quad first = quad_;
    is_there_ =
        snapshot_->quads({first.subject, first.predicate, first.object, {Kind::Union, {}}}) > 0;
    for (const QuadEntry* at = entry(); at != nullptr; at = entry()) {
      const Quad quad = quad_of(at->key, order_);
      if (quad.subject != first.subject || quad.predicate != first.predicate ||
          quad.object != first.object) {
        break;
      }
      cursor_.next();
    }
  }

  const LiveSnapshot* snapshot_ = nullptr;
  GraphChoice graph_;
  Order order_ = Order::Spo;
  QuadKey end_;
  QuadTree::Cursor cursor_;
  Quad quad_;
  bool is_there_ = false;
  bool is_at_end_ = true;
};

class LiveScan final : public sparql::Scan {
 public:
  LiveScan(const LiveSnapshot& snapshot, const sparql::Snapshot& base, const QuadPattern& pattern,
           std::optional<Order> preferred, Parts wanted)
      : snapshot_(snapshot), base_(base), preferred_(preferred), wanted_(wanted) {
    restart(pattern);
  }

  void restart(const QuadPattern& pattern) override { restart_part(pattern, 0, 1); }

  void restart_part(const QuadPattern& pattern, std::uint32_t part, std::uint32_t parts) override {
    const bool has_graph_orders = snapshot_.base()->indexes().has_named_graphs;
    const BoundPattern bound(pattern, has_graph_orders);
    order_ = bound.choose(preferred_);
    kind_ = pattern.graph.kind;
    KeyRange range = bound.range(order_);
    is_merged_ = snapshot_.delta()[order_].has_any(range);
    if (!is_merged_) return restart_base(plain_, pattern, preferred_, wanted_, part, parts);
    // A change goes with the rows of the base between which it falls.
    if (part + 1 < parts) range.last = edge(pattern, part + 1, parts, range.last);
    if (part > 0) range.first = edge(pattern, part, parts, range.last);
    changes_.start(snapshot_, pattern.graph, order_, range);
    restart_base(merged_base_, pattern, order_, sparql::kAllParts, part, parts);
    rows_.rows = 0;
    at_ = 0;
    has_base_ = true;
    choose_compared();
  }

  bool next(QuadBatch& batch, std::size_t rows_max) override {
    if (!is_merged_) return plain_->next(batch, rows_max);
    for (auto& column : batch.columns) column.clear();
    batch.rows = 0;
    const std::size_t rows_end = std::min(rows_max, QuadBatch::kRows);
    while (batch.rows < rows_end) {
      if (at_ == rows_.rows && !refill()) {
        if (changes_.is_at_end()) break;
        take_change(batch);
        continue;
      }
      if (changes_.is_at_end()) {
        take_rows(std::min(rows_.rows, at_ + rows_end - batch.rows), batch);
        continue;
      }
      const std::size_t before = rows_before_change();
      if (before > at_) {
        take_rows(std::min(before, at_ + rows_end - batch.rows), batch);
        continue;
      }
      if (compare(at_) == std::strong_ordering::equal) ++at_;  // the change has the word
      take_change(batch);
    }
    return batch.rows > 0;
  }

  Order order() const override { return order_; }

 private:
  void restart_base(std::unique_ptr<sparql::Scan>& scan, const QuadPattern& pattern,
                    std::optional<Order> preferred, Parts wanted, std::uint32_t part,
                    std::uint32_t parts) {
    if (scan == nullptr) {
      scan = base_.scan(pattern, preferred, wanted);
    } else if (parts == 1) {
      scan->restart(pattern);
    }
    if (parts > 1) scan->restart_part(pattern, part, parts);
  }

  // The first key of a part, which is that of its first row in the base.
  QuadKey edge(const QuadPattern& pattern, std::uint32_t part, std::uint32_t parts,
               const QuadKey& end) const {
    const auto row = snapshot_.base()->scan(pattern, order_).edge(part, parts);
    if (!row) return end;
    Quad quad{row->ids[0], row->ids[1], row->ids[2], row->ids[3]};
    if (kind_ != Kind::Named) quad.graph = kind_ == Kind::One ? pattern.graph.graph : Id();
    const QuadKey key = key_of(quad, order_);
    // The triple, with its changes, belongs to the part that delivers it. (The default graph, first
    // among the keys, is the last in the base.)
    return row->is_unwanted ? KeyRange::of_prefix({key.parts.data(), 3}).last : key;
  }

  // Rows of one graph, or of all graphs as one, are the same where their triples are.
  void choose_compared() {
    const auto parts = order_parts(order_);
    compared_ = 0;
    for (const Part part : parts) {
      if (part == Part::Graph && kind_ != Kind::Named) continue;
      parts_[compared_++] = part;
    }
  }

  bool refill() {
    if (!has_base_) return false;
    at_ = 0;
    has_base_ = merged_base_->next(rows_, QuadBatch::kRows);
    return has_base_;
  }

  std::strong_ordering compare(std::size_t row) const {
    for (std::size_t i = 0; i < compared_; ++i) {
      const auto order = rows_[parts_[i]][row] <=> changes_.quad()[parts_[i]];
      if (order != std::strong_ordering::equal) return order;
    }
    return std::strong_ordering::equal;
  }

  // Behind the last row in memory that stands before the change.
  std::size_t rows_before_change() const {
    std::size_t first = at_;
    std::size_t step = 1;
    while (first + step <= rows_.rows && compare(first + step - 1) == std::strong_ordering::less) {
      first += step;
      step *= 2;
    }
    std::size_t last = std::min(first + step - 1, rows_.rows);
    while (first < last) {
      const std::size_t middle = (first + last) / 2;
      if (compare(middle) == std::strong_ordering::less) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    return first;
  }

  bool is_given(Part part) const {
    if (part == Part::Graph) return kind_ == Kind::Named;
    return (wanted_ & sparql::bit(part)) != 0;
  }

  void take_rows(std::size_t last, QuadBatch& batch) {
    for (const Part part : {Part::Subject, Part::Predicate, Part::Object, Part::Graph}) {
      if (!is_given(part)) continue;
      const auto& from = rows_[part];
      auto& column = batch.columns[place_of_part(part)];
      column.insert(column.end(), from.begin() + static_cast<std::ptrdiff_t>(at_),
                    from.begin() + static_cast<std::ptrdiff_t>(last));
    }
    batch.rows += last - at_;
    at_ = last;
  }

  void take_change(QuadBatch& batch) {
    if (changes_.is_there()) {
      for (const Part part : {Part::Subject, Part::Predicate, Part::Object, Part::Graph}) {
        if (is_given(part)) batch.columns[place_of_part(part)].push_back(changes_.quad()[part]);
      }
      ++batch.rows;
    }
    changes_.next();
  }

  const LiveSnapshot& snapshot_;
  const sparql::Snapshot& base_;
  std::optional<Order> preferred_;
  Parts wanted_;
  Order order_ = Order::Spo;
  Kind kind_ = Kind::Default;
  std::unique_ptr<sparql::Scan> plain_;  // without changes
  bool is_merged_ = false;
  std::unique_ptr<sparql::Scan> merged_base_;
  ChangedRows changes_;
  std::array<Part, 4> parts_{};
  std::size_t compared_ = 0;  // of parts_
  QuadBatch rows_;            // of the base
  std::size_t at_ = 0;        // in rows_
  bool has_base_ = false;
};

// Stretches of keys that no change falls on are the base's; the others are scanned one by one.
class LiveLookup final : public sparql::Lookup {
 public:
  LiveLookup(const LiveSnapshot& snapshot, const sparql::Snapshot& base, sparql::LookupKind kind,
             Parts wanted)
      : snapshot_(snapshot),
        plain_(base.lookup(kind, wanted)),
        merged_(snapshot.sparql::Snapshot::lookup(kind, wanted)) {}

  void start(const sparql::LookupKeys& keys) override {
    keys_ = keys;
    first_ = 0;
    last_ = 0;
    is_open_ = false;
    are_any_ = snapshot_.is_touched(constants_of(keys_));
  }

  bool next(sparql::Matches& matches, std::size_t rows_max) override {
    const std::size_t end = matches.rows.size() + rows_max;
    std::size_t stretches = 0;
    while (matches.rows.size() < end) {
      if (!is_open_ && !open()) return false;
      if (++stretches > sparql::kSkippedMax) return true;
      const std::size_t before = matches.rows.size();
      is_open_ = current_->next(matches, end - before);
      for (std::size_t i = before; i < matches.rows.size(); ++i) {
        matches.rows[i] += static_cast<std::uint32_t>(first_);
      }
      if (is_open_) return true;  // it has its own reasons to come back
      first_ = last_;
    }
    return is_open_ || first_ < keys_.rows;
  }

 private:
  bool open() {
    if (first_ == keys_.rows) return false;
    const auto is_changed = [&](std::size_t row) {
      return are_any_ && snapshot_.is_touched(pattern_of(keys_, row));
    };
    const bool is_merged = is_changed(first_);
    last_ = are_any_ ? first_ + 1 : keys_.rows;
    while (last_ < keys_.rows && is_changed(last_) == is_merged) ++last_;
    current_ = is_merged ? merged_.get() : plain_.get();
    current_->start(stretch_of(keys_, first_, last_));
    is_open_ = true;
    return true;
  }

  const LiveSnapshot& snapshot_;
  std::unique_ptr<sparql::Lookup> plain_;
  std::unique_ptr<sparql::Lookup> merged_;
  sparql::Lookup* current_ = nullptr;
  sparql::LookupKeys keys_;
  std::size_t first_ = 0;  // of the stretch
  std::size_t last_ = 0;
  bool is_open_ = false;
  bool are_any_ = false;  // changes that keys may fall on
};

}  // namespace

std::unique_ptr<sparql::Scan> make_live_scan(const LiveSnapshot& snapshot,
                                             const sparql::Snapshot& base,
                                             const QuadPattern& pattern,
                                             std::optional<Order> preferred, Parts wanted) {
  return std::make_unique<LiveScan>(snapshot, base, pattern, preferred, wanted);
}

std::unique_ptr<sparql::Lookup> make_live_lookup(const LiveSnapshot& snapshot,
                                                 const sparql::Snapshot& base,
                                                 sparql::LookupKind kind, Parts wanted) {
  return std::make_unique<LiveLookup>(snapshot, base, kind, wanted);
}

}  // namespace helve::store
