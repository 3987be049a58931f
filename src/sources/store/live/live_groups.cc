#include "sources/store/live/live_groups.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sources/store/live/bound_pattern.h"

namespace helve::store {

namespace {

using Kind = GraphChoice::Kind;

constexpr std::uint64_t kChangesMax = 65'536;  // that are looked at one by one

struct ChangedGroup {
  Id value;
  std::int64_t by = 0;
};

KeyRange range_of(const QuadPattern& pattern, Order& order) {
  return pattern.graph.kind == Kind::Union
             ? BoundPattern::range_of_triples(pattern, order)
             : BoundPattern::range_of_graph(pattern, pattern.graph.graph, order);
}

std::vector<ChangedGroup> changed_groups(const Delta& delta, const QuadPattern& pattern, Part by) {
  Order order = Order::Spo;
  const KeyRange range = range_of(pattern, order);
  std::vector<ChangedGroup> groups;
  for (auto at = delta[order].seek(range.first);
       at.entry() != nullptr && at.entry()->key < range.last; at.next()) {
    const std::int64_t change = at.entry()->presence == Presence::Added ? 1 : -1;
    groups.push_back({quad_of(at.entry()->key, order)[by], change});
  }
  std::sort(groups.begin(), groups.end(),
            [](const ChangedGroup& a, const ChangedGroup& b) { return a.value < b.value; });
  std::size_t kept = 0;
  for (const ChangedGroup& one : groups) {
    if (kept > 0 && groups[kept - 1].value == one.value) {
      groups[kept - 1].by += one.by;
    } else {
      groups[kept++] = one;
    }
  }
  groups.resize(kept);
  return groups;
}

class LiveGroups final : public sparql::GroupScan {
 public:
  LiveGroups(const LiveSnapshot& snapshot, std::unique_ptr<sparql::GroupScan> base,
             const QuadPattern& pattern, Part by)
      : snapshot_(snapshot), base_(std::move(base)), pattern_(pattern), by_(by) {}

  bool next(sparql::GroupBatch& batch, std::size_t rows_max) override {
    if (!std::exchange(has_changes_, true)) {
      changes_ = changed_groups(snapshot_.delta(), pattern_, by_);
    }
    batch.values.clear();
    batch.counts.clear();
    while (batch.values.size() < rows_max && (has_row() || change_ < changes_.size())) {
      const bool is_new =
          !has_row() || (change_ < changes_.size() && changes_[change_].value < rows_.values[row_]);
      const Id value = is_new ? changes_[change_].value : rows_.values[row_];
      auto count = static_cast<std::int64_t>(is_new ? 0 : rows_.counts[row_++]);
      if (change_ < changes_.size() && changes_[change_].value == value) {
        count += changes_[change_++].by;
      }
      if (count <= 0) continue;
      batch.values.push_back(value);
      batch.counts.push_back(static_cast<std::uint64_t>(count));
    }
    return !batch.values.empty();
  }

 private:
  bool has_row() {
    if (row_ < rows_.values.size()) return true;
    row_ = 0;
    return base_->next(rows_, QuadBatch::kRows);
  }

  const LiveSnapshot& snapshot_;
  std::unique_ptr<sparql::GroupScan> base_;
  QuadPattern pattern_;
  Part by_;
  bool has_changes_ = false;  // in changes_
  std::vector<ChangedGroup> changes_;
  std::size_t change_ = 0;
  sparql::GroupBatch rows_;  // of the base
  std::size_t row_ = 0;
};

}  // namespace

std::unique_ptr<sparql::GroupScan> make_live_groups(const LiveSnapshot& snapshot,
                                                    const sparql::Snapshot& base,
                                                    const QuadPattern& pattern, Part by) {
  auto groups = base.groups(pattern, by);
  if (groups == nullptr || !snapshot.is_touched(pattern)) return groups;
  // A triple of several graphs counts once.
  const bool is_once = pattern.graph.kind != Kind::Union || !snapshot.has_repeated_triples();
  Order order = Order::Spo;
  const KeyRange range = range_of(pattern, order);
  const EntryCounts changes = snapshot.delta()[order].counts(range);
  if (!is_once || changes.added + changes.removed > kChangesMax) return nullptr;
  return std::make_unique<LiveGroups>(snapshot, std::move(groups), pattern, by);
}

}  // namespace helve::store
