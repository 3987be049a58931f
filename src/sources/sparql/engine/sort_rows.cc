// ORDER BY. What it holds is row_table.h's, the order is sort_key.h's.
#include <compare>
#include <numeric>
#include <utility>

#include "sources/sparql/engine/modifiers.h"
#include "sources/sparql/engine/row_table.h"
#include "sources/sparql/engine/sort_key.h"

namespace helve::sparql {

namespace {

void append_row(std::span<const Id> ids, Batch& out) {
  for (std::size_t column = 0; column < ids.size(); ++column) {
    out.columns[column].push_back(ids[column]);
  }
  ++out.rows;
}

class Sort final : public Operator {
 public:
  Sort(OperatorPtr input, Schema schema, std::vector<SortColumn> columns,
       std::optional<std::uint64_t> rows_wanted, RunState& run)
      : Operator(std::move(schema)),
        input_(std::move(input)),
        columns_(std::move(columns)),
        rows_wanted_(rows_wanted),
        run_(run),
        pace_(run.op),
        charge_(run.memory(), "ORDER BY"),
        rows_(this->schema().size(), run.memory(), "ORDER BY") {}

  Result<bool> next(Batch& batch) override {
    batch.reset(schema().size());
    if (!is_sorted_) {
      HELVE_TRY(collect());
      HELVE_TRY(sort());
      is_sorted_ = true;
      at_ = 0;
    }
    for (; at_ < order_.size() && batch.rows < rows_max(); ++at_) {
      append_row(rows_.row(order_[at_]), batch);
    }
    return batch.rows > 0;
  }

  void restart() override {
    input_->restart();
    is_sorted_ = false;
    clear();
  }

 private:
  using RowNumber = std::uint32_t;

  void clear() {
    rows_.clear();
    keys_.clear();
    order_.clear();
    charge_.reset();
    charge_ = MemoryCharge(run_.memory(), "ORDER BY");
  }

  Result<void> collect() {
    Batch batch;
    while (true) {
      HELVE_ASSIGN(const bool has_rows, input_->next(batch));
      if (!has_rows) return {};
      for (std::size_t row = 0; row < batch.rows; ++row) HELVE_TRY(add(batch, row));
      // Rows beyond the wanted ones are dropped now and then, so that the memory stays small.
      constexpr std::uint64_t kSpare = 10'000;
      if (rows_wanted_ && *rows_wanted_ < kSpare * 10 &&
          rows_.rows() > 2 * *rows_wanted_ + kSpare) {
        HELVE_TRY(sort());
        HELVE_TRY(keep(*rows_wanted_));
      }
    }
  }

  Result<void> add(const Batch& batch, std::size_t row) {
    HELVE_TRY(pace_.add(0, 1 + columns_.size()));
    HELVE_TRY(rows_.append(batch, row));
    run_.expressions.begin_solution();
    std::size_t bytes = sizeof(RowNumber) * 2;
    for (const SortColumn& column : columns_) {
      keys_.push_back(
          SortKey::of(column.expression.value(batch, row, run_.expressions), run_.expressions));
      bytes += sizeof(SortKey) + keys_.back().memory_bytes();
    }
    if (run_.expressions.failure()) return *run_.expressions.failure();
    return charge_.add(bytes);
  }

  bool is_before(RowNumber a, RowNumber b) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto order = keys_[a * columns_.size() + i].compare(keys_[b * columns_.size() + i]);
      if (std::is_eq(order)) continue;
      return columns_[i].is_descending ? std::is_gt(order) : std::is_lt(order);
    }
    return false;
  }

  // A merge sort of our own, for it can be interrupted.
  Result<void> sort() {
    order_.resize(rows_.rows());
    std::iota(order_.begin(), order_.end(), RowNumber{0});
    std::vector<RowNumber> merged(order_.size());
    for (std::size_t width = 1; width < order_.size(); width *= 2) {
      for (std::size_t first = 0; first < order_.size(); first += 2 * width) {
        const std::size_t middle = std::min(first + width, order_.size());
        const std::size_t last = std::min(first + 2 * width, order_.size());
        HELVE_TRY(merge(first, middle, last, merged));
      }
      std::swap(order_, merged);
    }
    return {};
  }

  Result<void> merge(std::size_t first, std::size_t middle, std::size_t last,
                     std::vector<RowNumber>& merged) {
    std::size_t left = first;
    std::size_t right = middle;
    for (std::size_t to = first; to < last; ++to) {
      HELVE_TRY(
          pace_.add(left < middle ? keys_[order_[left] * columns_.size()].memory_bytes() : 0));
      const bool takes_right =
          left == middle || (right < last && is_before(order_[right], order_[left]));
      merged[to] = order_[takes_right ? right++ : left++];
    }
    return {};
  }

  Result<void> keep(std::uint64_t count) {
    RowTable kept(rows_.width(), run_.memory(), "ORDER BY");
    std::vector<SortKey> kept_keys;
    std::size_t bytes = 0;
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, order_.size()); ++i) {
      HELVE_TRY(kept.append(rows_.row(order_[i])));
      bytes += sizeof(RowNumber) * 2;
      for (std::size_t column = 0; column < columns_.size(); ++column) {
        kept_keys.push_back(std::move(keys_[order_[i] * columns_.size() + column]));
        bytes += sizeof(SortKey) + kept_keys.back().memory_bytes();
      }
    }
    rows_ = std::move(kept);
    keys_ = std::move(kept_keys);
    return charge_.resize(bytes);
  }

  OperatorPtr input_;
  std::vector<SortColumn> columns_;
  std::optional<std::uint64_t> rows_wanted_;
  RunState& run_;
  PacedCheck pace_;
  MemoryCharge charge_;
  RowTable rows_;
  std::vector<SortKey> keys_;  // row by row
  std::vector<RowNumber> order_;
  bool is_sorted_ = false;
  std::size_t at_ = 0;
};

}  // namespace

OperatorPtr make_sort(OperatorPtr input, std::vector<SortColumn> columns,
                      std::optional<std::uint64_t> rows_wanted, RunState& run) {
  Schema schema = input->schema();
  return std::make_unique<Sort>(std::move(input), std::move(schema), std::move(columns),
                                rows_wanted, run);
}

}  // namespace helve::sparql
