#include "sources/store/live/live_intersection.h"

#include <algorithm>
#include <vector>

#include "sources/store/live/key_stretch.h"

namespace helve::store {

namespace {

using sparql::kSkippedMax;
using sparql::LookupKeys;

// The values of a pattern's free part, ascending.
class ValueList {
 public:
  explicit ValueList(Part free) : free_(free) {}

  void start(const LiveSnapshot& snapshot, const QuadPattern& pattern) {
    if (scan_ == nullptr) {
      scan_ = snapshot.scan(pattern, std::nullopt, sparql::bit(free_));
    } else {
      scan_->restart(pattern);
    }
    at_ = 0;
    scan_->next(batch_, QuadBatch::kRows);
  }
  Part free() const { return free_; }
  bool is_at_end() const { return batch_.rows == 0; }
  Id value() const { return batch_[free_][at_]; }
  // To the first value in memory that is not less, or to the next ones; tells how many it passed.
  std::size_t seek(Id value) {
    const auto& values = batch_[free_];
    const std::size_t from = at_;
    at_ = static_cast<std::size_t>(
        std::lower_bound(values.begin() + static_cast<std::ptrdiff_t>(at_), values.end(), value) -
        values.begin());
    const std::size_t passed = at_ - from;
    if (at_ == batch_.rows) refill();
    return passed;
  }
  void next() {
    if (++at_ == batch_.rows) refill();
  }

 private:
  void refill() {
    at_ = 0;
    scan_->next(batch_, QuadBatch::kRows);
  }

  Part free_;
  std::unique_ptr<sparql::Scan> scan_;
  QuadBatch batch_;
  std::size_t at_ = 0;
};

// Stretches of keys that no change falls on are the base's. Of the others the shortest list is
// walked, with those that are not much longer; the rest are asked for each value.
class LiveIntersection final : public sparql::Intersection {
 public:
  LiveIntersection(const LiveSnapshot& snapshot, const sparql::Snapshot& base,
                   std::span<const Part> free)
      : snapshot_(snapshot), plain_(base.intersect(free)), lists_(free.begin(), free.end()) {}

  void start(std::span<const LookupKeys> patterns) override {
    patterns_.assign(patterns.begin(), patterns.end());
    keys_ = patterns.empty() ? 0 : patterns.front().rows;
    first_ = 0;
    last_ = 0;
    is_open_ = false;
    are_any_ = std::any_of(patterns_.begin(), patterns_.end(), [&](const LookupKeys& pattern) {
      return snapshot_.is_touched(constants_of(pattern));
    });
  }

  bool next(std::vector<std::uint32_t>& rows, std::vector<Id>& values,
            std::size_t rows_max) override {
    const std::size_t end = rows.size() + rows_max;
    skipped_ = 0;
    while (rows.size() < end && skipped_ < kSkippedMax) {
      if (!is_open_ && !open()) return false;
      if (is_walked_) {
        is_open_ = walk(rows, values, end);
      } else {
        const std::size_t before = rows.size();
        is_open_ = plain_->next(rows, values, end - before);
        for (std::size_t i = before; i < rows.size(); ++i) {
          rows[i] += static_cast<std::uint32_t>(first_);
        }
        if (is_open_) return true;  // it has its own reasons to come back
      }
      if (is_open_) continue;
      first_ = last_;
      ++skipped_;
    }
    return is_open_ || first_ < keys_;
  }

 private:
  bool is_changed(std::size_t row) const {
    return are_any_ &&
           std::any_of(patterns_.begin(), patterns_.end(), [&](const LookupKeys& pattern) {
             return snapshot_.is_touched(pattern_of(pattern, row));
           });
  }

  bool open() {
    if (first_ == keys_) return false;
    is_open_ = true;
    is_walked_ = is_changed(first_);
    if (is_walked_) {
      last_ = first_ + 1;
      choose_walked();
      return true;
    }
    last_ = are_any_ ? first_ + 1 : keys_;
    while (last_ < keys_ && !is_changed(last_)) ++last_;
    stretches_.clear();
    for (const LookupKeys& pattern : patterns_) {
      stretches_.push_back(stretch_of(pattern, first_, last_));
    }
    plain_->start(stretches_);
    return true;
  }

  // Without any list where one is empty.
  void choose_walked() {
    std::vector<std::uint64_t> sizes;
    asked_.clear();
    walked_.clear();
    for (const LookupKeys& keys : patterns_) {
      sizes.push_back(snapshot_.count(pattern_of(keys, first_)).n);
    }
    const std::uint64_t least = *std::min_element(sizes.begin(), sizes.end());
    if (least == 0) return;
    for (std::size_t i = 0; i < lists_.size(); ++i) {
      const QuadPattern pattern = pattern_of(patterns_[i], first_);
      // Of all named graphs, how many there are is not exact.
      if (sizes[i] / kAskedFrom >= least && pattern.graph.kind != GraphChoice::Kind::Named) {
        asked_.push_back({pattern, lists_[i].free()});
      } else {
        lists_[i].start(snapshot_, pattern);
        walked_.push_back(&lists_[i]);
      }
    }
  }

  // Values that all lists have. False: a list has ended.
  bool walk(std::vector<std::uint32_t>& rows, std::vector<Id>& values, std::size_t end) {
    if (walked_.empty()) return false;
    while (rows.size() < end && skipped_ < kSkippedMax) {
      Id most;
      for (const ValueList* list : walked_) {
        if (list->is_at_end()) return false;
        most = std::max(most, list->value());
      }
      bool is_common = true;
      for (ValueList* list : walked_) {
        if (list->value() == most) continue;
        is_common = false;
        skipped_ += 1 + list->seek(most);
        if (list->is_at_end()) return false;
      }
      if (!is_common) continue;
      if (asked_have(most)) {
        rows.push_back(static_cast<std::uint32_t>(first_));
        values.push_back(most);
      } else {
        ++skipped_;
      }
      walked_.front()->next();
    }
    return true;
  }

  bool asked_have(Id value) const {
    return std::all_of(asked_.begin(), asked_.end(), [&](const Asked& one) {
      QuadPattern pattern = one.pattern;
      (one.free == Part::Subject     ? pattern.subject
       : one.free == Part::Predicate ? pattern.predicate
                                     : pattern.object) = value;
      return snapshot_.count(pattern).n > 0;
    });
  }

  // Walking over a value is so many times as quick as asking for one.
  static constexpr std::uint64_t kAskedFrom = 16;
  struct Asked {
    QuadPattern pattern;
    Part free;
  };

  const LiveSnapshot& snapshot_;
  std::unique_ptr<sparql::Intersection> plain_;
  std::vector<ValueList> lists_;
  std::vector<ValueList*> walked_;  // of the key
  std::vector<Asked> asked_;
  std::vector<LookupKeys> patterns_;
  std::vector<LookupKeys> stretches_;  // of the patterns
  std::size_t keys_ = 0;
  std::size_t first_ = 0;  // of the stretch
  std::size_t last_ = 0;
  std::size_t skipped_ = 0;
  bool is_open_ = false;
  bool is_walked_ = false;
  bool are_any_ = false;  // changes that keys may fall on
};

}  // namespace

std::unique_ptr<sparql::Intersection> make_live_intersection(const LiveSnapshot& snapshot,
                                                             const sparql::Snapshot& base,
                                                             std::span<const Part> free) {
  return std::make_unique<LiveIntersection>(snapshot, base, free);
}

}  // namespace helve::store
