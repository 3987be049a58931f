// RowMerge: sequences of rows that are in order each, merged into one. For sorted runs on disk.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "sources/sparql/engine/spilled_rows.h"

namespace helve::sparql {

// A Cursor has next() (false at the end), row() and is_before(other), which is strict. Of equal
// rows those of an earlier cursor come first.
template <typename Cursor>
class RowMerge {
 public:
  explicit RowMerge(std::vector<Cursor> cursors) : cursors_(std::move(cursors)) {}

  // To the next row; false at the end.
  Result<bool> next() {
    if (!has_begun_) {
      has_begun_ = true;
      for (std::size_t i = 0; i < cursors_.size(); ++i) {
        HELVE_ASSIGN(const bool has_row, cursors_[i].next());
        if (has_row) heap_.push_back(i);
      }
      std::make_heap(heap_.begin(), heap_.end(), Later{this});
    } else {
      if (heap_.empty()) return false;
      std::pop_heap(heap_.begin(), heap_.end(), Later{this});
      HELVE_ASSIGN(const bool has_row, cursors_[heap_.back()].next());
      if (has_row) {
        std::push_heap(heap_.begin(), heap_.end(), Later{this});
      } else {
        heap_.pop_back();
      }
    }
    return !heap_.empty();
  }
  std::span<const Id> row() const { return cursors_[heap_.front()].row(); }

 private:
  // The heap has its greatest in front: what comes later is less.
  struct Later {
    RowMerge* merge;
    bool operator()(std::size_t a, std::size_t b) const {
      Cursor& left = merge->cursors_[a];
      Cursor& right = merge->cursors_[b];
      return a < b ? right.is_before(left) : a != b && !left.is_before(right);
    }
  };

  std::vector<Cursor> cursors_;
  std::vector<std::size_t> heap_;
  bool has_begun_ = false;
};

// Merges neighbours into longer runs until all can be read at once. `make_cursor` takes a run.
template <typename Cursor, typename MakeCursor>
Result<void> merge_down(std::vector<SpilledRows>& runs, const MakeCursor& make_cursor,
                        RunState& run, std::string_view what) {
  for (std::size_t fan_in = spill_fan_in(run); runs.size() > fan_in; fan_in = spill_fan_in(run)) {
    std::vector<SpilledRows> merged;
    HELVE_ASSIGN(const std::shared_ptr<SpillFile> file, make_spill_file(run, what));
    for (std::size_t first = 0; first < runs.size(); first += fan_in) {
      const std::size_t last = std::min(first + fan_in, runs.size());
      std::vector<Cursor> cursors;
      for (std::size_t i = first; i < last; ++i) cursors.push_back(make_cursor(runs[i]));
      RowMerge<Cursor> merge(std::move(cursors));
      SpilledRows& to = merged.emplace_back(file, runs[first].width(), run, what);
      while (true) {
        HELVE_ASSIGN(const bool has_row, merge.next());
        if (!has_row) break;
        HELVE_TRY(run.pace.add(0, 1));
        HELVE_TRY(to.append(merge.row()));
      }
      HELVE_TRY(to.finish());
    }
    runs = std::move(merged);
  }
  return {};
}

}  // namespace helve::sparql
