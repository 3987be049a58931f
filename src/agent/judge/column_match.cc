#include "agent/judge/column_match.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace helve::agent {

namespace {

constexpr std::uint64_t kNodesMax = 200'000;  // of one search

// How many different values each pair of columns has in common.
using Overlaps = std::vector<std::vector<std::uint64_t>>;

Overlaps overlaps_of(const CodedTable& reference, const CodedTable& candidate) {
  Overlaps overlaps(reference.columns.size(), std::vector<std::uint64_t>(candidate.columns.size()));
  for (std::size_t code = 0; code < reference.masks.size(); ++code) {
    for (std::uint64_t left = reference.masks[code]; left != 0; left &= left - 1) {
      auto& row = overlaps[static_cast<std::size_t>(std::countr_zero(left))];
      for (std::uint64_t right = candidate.masks[code]; right != 0; right &= right - 1) {
        ++row[static_cast<std::size_t>(std::countr_zero(right))];
      }
    }
  }
  return overlaps;
}

class ColumnSearch {
 public:
  ColumnSearch(const CodedTable& reference, const CodedTable& candidate, const MatchSearch& search,
               const OpContext& context)
      : reference_(reference),
        candidate_(candidate),
        search_(search),
        context_(context),
        overlaps_(overlaps_of(reference, candidate)),
        tried_max_(tried_max()) {}

  Result<MatchedColumns> run() {
    // First those with the same values in every column: only such can be right.
    HELVE_TRY(try_all([this](std::size_t r, std::size_t c) { return can_be_same(r, c); }));
    if (best_.columns && best_.rows.is_same()) return std::move(best_);
    const bool was_complete = best_.is_complete;
    best_ = {};
    HELVE_TRY(try_all([this](std::size_t r, std::size_t c) { return overlaps_[r][c] > 0; }));
    best_.is_complete = best_.is_complete && was_complete;
    return std::move(best_);
  }

 private:
  std::uint64_t tried_max() const {
    const std::uint64_t rows = reference_.table->rows() + candidate_.table->rows();
    const std::uint64_t cells = std::max<std::uint64_t>(rows * reference_.columns.size(), 1);
    return std::clamp<std::uint64_t>(search_.cells_max / cells, 1, search_.matchings_max);
  }

  bool can_be_same(std::size_t r, std::size_t c) const {
    const CodedColumn& left = reference_.columns[r];
    const CodedColumn& right = candidate_.columns[c];
    if (search_.is_bag && left.bag_print != right.bag_print) return false;
    return left.distinct == right.distinct && left.distinct == overlaps_[r][c];
  }

  bool has_same_name(std::size_t r, std::size_t c) const {
    return reference_.table->columns()[r] == candidate_.table->columns()[c];
  }

  bool is_right() const {
    return best_.columns && best_.rows.is_same() &&
           (!search_.is_ordered || best_.rows.is_same_order);
  }

  template <typename MayBe>
  Result<void> try_all(const MayBe& may_be) {
    const std::size_t columns = reference_.columns.size();
    choices_.assign(columns, {});
    for (std::size_t r = 0; r < columns; ++r) {
      for (std::size_t c = 0; c < candidate_.columns.size(); ++c) {
        if (may_be(r, c)) choices_[r].push_back(c);
      }
      std::stable_sort(choices_[r].begin(), choices_[r].end(), [&](std::size_t a, std::size_t b) {
        if (overlaps_[r][a] != overlaps_[r][b]) return overlaps_[r][a] > overlaps_[r][b];
        return has_same_name(r, a) > has_same_name(r, b);
      });
    }
    // What leaves the least choice is settled first.
    order_.resize(columns);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return choices_[a].size() < choices_[b].size();
    });
    matching_.assign(columns, 0);
    taken_ = 0;
    nodes_ = 0;
    tried_ = 0;
    return settle(0);
  }

  // Columns that are alike in every row lead to the same.
  bool is_like_earlier(std::size_t r, std::size_t at) const {
    const std::size_t c = choices_[r][at];
    for (std::size_t i = 0; i < at; ++i) {
      const std::size_t other = choices_[r][i];
      const bool is_free = (taken_ & (std::uint64_t{1} << other)) == 0;
      if (is_free &&
          candidate_.columns[other].sequence_print == candidate_.columns[c].sequence_print) {
        return true;
      }
    }
    return false;
  }

  // Depth: at most kCodedColumnsMax.
  Result<void> settle(std::size_t depth) {
    if (depth == order_.size()) return try_matching();
    const std::size_t r = order_[depth];
    for (std::size_t at = 0; at < choices_[r].size(); ++at) {
      const std::uint64_t bit = std::uint64_t{1} << choices_[r][at];
      if ((taken_ & bit) != 0 || is_like_earlier(r, at)) continue;
      if (++nodes_ > kNodesMax) best_.is_complete = false;
      if (!best_.is_complete) return {};
      matching_[r] = choices_[r][at];
      taken_ |= bit;
      HELVE_TRY(settle(depth + 1));
      taken_ &= ~bit;
      if (is_right()) return {};
    }
    return {};
  }

  Result<void> try_matching() {
    if (tried_ == tried_max_) {
      best_.is_complete = false;
      return {};
    }
    ++tried_;
    HELVE_ASSIGN(const RowMatch rows,
                 match_rows(reference_, candidate_, matching_, search_.is_bag, context_));
    const auto is_better = [&] {
      if (!best_.columns) return true;
      if (rows.f1() != best_.rows.f1()) return rows.f1() > best_.rows.f1();
      return search_.is_ordered && rows.is_same_order && !best_.rows.is_same_order;
    };
    if (is_better()) {
      best_.columns = matching_;
      best_.rows = rows;
    }
    return {};
  }

  const CodedTable& reference_;
  const CodedTable& candidate_;
  const MatchSearch search_;
  const OpContext& context_;
  const Overlaps overlaps_;
  const std::uint64_t tried_max_;
  std::vector<std::vector<std::size_t>> choices_;  // for each column of the reference, best first
  std::vector<std::size_t> order_;                 // in which columns are settled
  ColumnMatching matching_;
  std::uint64_t taken_ = 0;  // a bit for each column of the candidate
  std::uint64_t nodes_ = 0;
  std::uint64_t tried_ = 0;
  MatchedColumns best_;
};

}  // namespace

Result<MatchedColumns> match_columns(const CodedTable& reference, const CodedTable& candidate,
                                     const MatchSearch& search, const OpContext& context) {
  return ColumnSearch(reference, candidate, search, context).run();
}

std::vector<std::optional<std::size_t>> similar_columns(const CodedTable& reference,
                                                        const CodedTable& candidate) {
  const Overlaps overlaps = overlaps_of(reference, candidate);
  std::vector<std::optional<std::size_t>> found(reference.columns.size());
  std::uint64_t taken = 0;
  for (std::size_t r = 0; r < found.size(); ++r) {
    for (std::size_t c = 0; c < candidate.columns.size(); ++c) {
      const bool is_free = (taken & (std::uint64_t{1} << c)) == 0;
      if (!is_free || overlaps[r][c] == 0) continue;
      if (!found[r] || overlaps[r][c] > overlaps[r][*found[r]]) found[r] = c;
    }
    if (found[r]) taken |= std::uint64_t{1} << *found[r];
  }
  return found;
}

}  // namespace helve::agent
