// A range of leading codes is counted, its rows are put where they belong, and are sent. A code
// with too many rows for that needs no sorting: its rows are sent as they come.
#include "sources/store/order_derivation.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace helve::store {

namespace {

constexpr std::uint64_t kWalkRows = 4'096;

// Walks over the rows of an order, some thousands at a time.
class RowWalk {
 public:
  RowWalk(const Permutation& rows, std::size_t parts) : rows_(rows), parts_(parts) {}

  // False at the end. The parts that are wanted of the next rows are in part().
  bool next(bool with_all, std::size_t wanted) {
    if (first_ == rows_.rows()) return false;
    size_ = std::min(kWalkRows, rows_.rows() - first_);
    for (std::size_t depth = 1; depth < parts_; ++depth) {
      if (!with_all && depth != wanted) continue;
      rows_.read({first_, first_ + size_}, depth, columns_[depth].data());
    }
    if (with_all) fill_leading();
    first_ += size_;
    return true;
  }
  std::uint64_t size() const { return size_; }
  const Code* part(std::size_t depth) const { return columns_[depth].data(); }

 private:
  void fill_leading() {
    for (std::uint64_t i = 0; i < size_;) {
      while (first_ + i >= leading_end_) {
        // The next code that has rows follows the directory, which is cheaper than a search.
        leading_ = has_leading_ ? leading_ + 1 : rows_.leading_codes().first;
        has_leading_ = true;
        leading_end_ =
            rows_.rows_of(leading_).empty() ? leading_end_ : rows_.rows_of(leading_).last;
      }
      const std::uint64_t end = std::min(size_, leading_end_ - first_);
      std::fill(columns_[0].begin() + static_cast<std::ptrdiff_t>(i),
                columns_[0].begin() + static_cast<std::ptrdiff_t>(end), leading_);
      i = end;
    }
  }

  const Permutation& rows_;
  const std::size_t parts_;
  std::uint64_t first_ = 0;
  std::uint64_t size_ = 0;
  Code leading_ = 0;
  bool has_leading_ = false;
  std::uint64_t leading_end_ = 0;
  std::array<std::array<Code, kWalkRows>, 4> columns_;
};

struct CodeRange {
  std::uint64_t first = 0;  // codes [first, last)
  std::uint64_t last = 0;
  std::uint64_t rows = 0;

  bool has(Code code) const { return code - first < last - first; }
};

template <std::size_t kParts>
class Derivation {
 public:
  Derivation(const DerivationSource& from, Order to, std::size_t bytes_max, OrderStream& out,
             const OpContext& context, std::atomic<std::uint64_t>& done)
      : from_(from.rows),
        code_max_(from.code_max),
        bytes_max_(bytes_max),
        out_(out),
        context_(context),
        done_(done),
        charge_(*context.memory, "sorting an index") {
    const auto parts = order_parts(from.order);
    const Part leading = order_parts(to)[0];
    for (std::size_t depth = 0, behind = 0; depth < kParts; ++depth) {
      if (parts[depth] == leading) {
        leading_depth_ = depth;
      } else {
        others_[behind++] = depth;
      }
    }
  }

  Result<void> run() {
    if (from_.empty()) return {};
    HELVE_TRY(plan());
    for (const CodeRange& range : ranges_) {
      if (range.rows == 0) continue;
      HELVE_TRY(range.last - range.first == 1 ? send_code(range) : send_range(range));
      done_.fetch_add(range.rows, std::memory_order_relaxed);
    }
    return {};
  }

 private:
  using Rest = std::array<Code, kParts - 1>;  // a row without its leading part

  // visit(walk) for all rows, of which the leading part to come, or all parts, are read.
  template <typename Visit>
  Result<void> walk(bool with_all, Visit&& visit) {
    const auto walk = std::make_unique<RowWalk>(from_, kParts);
    while (walk->next(with_all, leading_depth_)) {
      HELVE_TRY(context_.check());
      HELVE_TRY(visit(*walk));
    }
    return {};
  }

  // Rows of each of the codes [first, first + counts.size() << shift).
  Result<void> count(std::uint64_t first, unsigned shift, std::vector<std::uint64_t>& counts) {
    return walk(false, [&](const RowWalk& rows) -> Result<void> {
      const Code* const codes = rows.part(leading_depth_);
      for (std::uint64_t i = 0; i < rows.size(); ++i) {
        const std::uint64_t place = (codes[i] - first) >> shift;
        if (place < counts.size()) ++counts[place];
      }
      return {};
    });
  }

  Result<void> plan() {
    // One range has all codes where they and the rows fit.
    const std::uint64_t codes = std::uint64_t{code_max_} + 1;
    if (bytes_for(codes, from_.rows()) <= bytes_max_) {
      ranges_ = {{0, codes, from_.rows()}};
      return {};
    }
    constexpr unsigned kCoarseBits = 16;
    const unsigned bits = static_cast<unsigned>(std::bit_width(code_max_));
    const unsigned shift = bits > kCoarseBits ? bits - kCoarseBits : 0;
    std::vector<std::uint64_t> coarse(((codes - 1) >> shift) + 1);
    HELVE_TRY(count(0, shift, coarse));
    for (std::size_t i = 0; i < coarse.size(); ++i) {
      const std::uint64_t first = std::uint64_t{i} << shift;
      const CodeRange bucket{first, first + (std::uint64_t{1} << shift), coarse[i]};
      if (shift == 0 || bytes_for(bucket.last - bucket.first, bucket.rows) <= bytes_max_) {
        extend(bucket);
        continue;
      }
      std::vector<std::uint64_t> fine(std::size_t{1} << shift);
      HELVE_TRY(count(first, 0, fine));
      for (std::size_t k = 0; k < fine.size(); ++k) extend({first + k, first + k + 1, fine[k]});
    }
    return {};
  }

  // Adds to the last range what still fits there. A code that is a range is never added to.
  void extend(const CodeRange& more) {
    if (!ranges_.empty()) {
      CodeRange& last = ranges_.back();
      const bool has_room = bytes_for(more.last - last.first, last.rows + more.rows) <= bytes_max_;
      if (has_room) {
        last.last = more.last;
        last.rows += more.rows;
        return;
      }
    }
    ranges_.push_back(more);
  }

  static std::uint64_t bytes_for(std::uint64_t codes, std::uint64_t rows) {
    return (codes + 1) * sizeof(std::uint32_t) + rows * sizeof(Rest);
  }

  Rest rest_of(const RowWalk& rows, std::uint64_t i) const {
    Rest rest;
    for (std::size_t k = 0; k < rest.size(); ++k) rest[k] = rows.part(others_[k])[i];
    return rest;
  }

  Result<void> send(Code leading, const Rest& rest) {
    OrderRow row{leading};
    std::copy(rest.begin(), rest.end(), row.begin() + 1);
    return out_.add(row);
  }

  Result<void> send_code(const CodeRange& range) {
    const auto code = static_cast<Code>(range.first);
    return walk(true, [&](const RowWalk& rows) -> Result<void> {
      const Code* const codes = rows.part(leading_depth_);
      for (std::uint64_t i = 0; i < rows.size(); ++i) {
        if (codes[i] == code) HELVE_TRY(send(code, rest_of(rows, i)));
      }
      return {};
    });
  }

  Result<void> send_range(const CodeRange& range) {
    const std::uint64_t codes = range.last - range.first;
    HELVE_TRY(charge_.resize(bytes_for(codes, range.rows)));
    std::vector<std::uint32_t> ends(codes + 1);
    HELVE_TRY(walk(false, [&](const RowWalk& rows) -> Result<void> {
      const Code* const leading = rows.part(leading_depth_);
      for (std::uint64_t i = 0; i < rows.size(); ++i) {
        if (range.has(leading[i])) ++ends[leading[i] - range.first + 1];
      }
      return {};
    }));
    for (std::size_t i = 1; i < ends.size(); ++i) ends[i] += ends[i - 1];
    const auto sorted = std::make_unique_for_overwrite<Rest[]>(range.rows);
    HELVE_TRY(walk(true, [&](const RowWalk& rows) -> Result<void> {
      const Code* const leading = rows.part(leading_depth_);
      for (std::uint64_t i = 0; i < rows.size(); ++i) {
        if (range.has(leading[i])) sorted[ends[leading[i] - range.first]++] = rest_of(rows, i);
      }
      return {};
    }));
    std::uint64_t row = 0;
    for (std::uint64_t i = 0; i < codes; ++i) {
      const auto leading = static_cast<Code>(range.first + i);
      for (; row < ends[i]; ++row) HELVE_TRY(send(leading, sorted[row]));
    }
    charge_.reset();
    return {};
  }

  const Permutation& from_;
  const Code code_max_;
  const std::size_t bytes_max_;
  OrderStream& out_;
  const OpContext& context_;
  std::atomic<std::uint64_t>& done_;
  MemoryCharge charge_;
  std::size_t leading_depth_ = 0;
  std::array<std::size_t, 3> others_{};  // depths of the rest
  std::vector<CodeRange> ranges_;
};

}  // namespace

Result<void> derive_order(const DerivationSource& from, Order to, std::size_t bytes_max,
                          OrderStream& out, const OpContext& context,
                          std::atomic<std::uint64_t>& done) {
  if (from.rows.has_column(3)) {
    return Derivation<4>(from, to, bytes_max, out, context, done).run();
  }
  return Derivation<3>(from, to, bytes_max, out, context, done).run();
}

}  // namespace helve::store
