// ORDER BY. What it holds is row_table.h's; the order is that of ids where those tell it
// (id_order.h), else of sort_key.h.
#include <algorithm>
#include <compare>
#include <utility>

#include "sources/sparql/engine/id_order.h"
#include "sources/sparql/engine/modifiers.h"
#include "sources/sparql/engine/row_table.h"
#include "sources/sparql/engine/sort_key.h"

namespace helve::sparql {

namespace {

constexpr std::string_view kName = "ORDER BY";

using RowNumber = std::uint32_t;

// A row and what its first key says of its place.
struct Item {
  std::uint64_t code = 0;
  RowNumber row = 0;
};

std::weak_ordering directed(std::weak_ordering order, bool is_descending) {
  if (!is_descending || std::is_eq(order)) return order;
  return std::is_lt(order) ? std::weak_ordering::greater : std::weak_ordering::less;
}

// The keys of one column for all rows: codes, or else keys.
struct PreparedColumn {
  bool is_descending = false;
  bool has_codes = false;
  std::vector<std::uint64_t> codes;
  std::vector<SortKey> keys;

  std::weak_ordering compare(RowNumber a, RowNumber b) const {
    if (has_codes) return codes[a] <=> codes[b];
    return directed(keys[a].compare(keys[b]), is_descending);
  }
};

// Beside the key itself.
std::size_t text_bytes(const SortKey& key) { return key.memory_bytes() - sizeof(SortKey); }

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
        id_order_(run.data()),
        charge_(run.memory(), kName),
        rows_(this->schema().size(), run.memory(), kName),
        computed_(columns_.size()) {}

  Result<bool> next(Batch& batch) override {
    batch.reset(schema().size());
    if (!is_sorted_) {
      HELVE_TRY(collect());
      HELVE_TRY(sort());
      if (rows_wanted_ && order_.size() > *rows_wanted_) order_.resize(*rows_wanted_);
      is_sorted_ = true;
      at_ = 0;
    }
    for (; at_ < order_.size() && batch.rows < rows_max(); ++at_) {
      append_row(rows_.row(order_[at_].row), batch);
    }
    return batch.rows > 0;
  }

  void restart() override {
    input_->restart();
    is_sorted_ = false;
    rows_.clear();
    for (auto& keys : computed_) keys.clear();
    order_.clear();
    bound_.clear();
    text_bytes_ = 0;
    static_cast<void>(charge_.resize(bytes_held()));  // less is always granted
  }

 private:
  // The first key that a row must be before, in one column.
  struct BoundKey {
    Id id;
    SortKey key;
  };

  Result<void> collect() {
    Batch batch;
    while (true) {
      HELVE_ASSIGN(const bool has_rows, input_->next(batch));
      if (!has_rows) return {};
      for (std::size_t row = 0; row < batch.rows; ++row) HELVE_TRY(add(batch, row));
      // Rows beyond the wanted ones are dropped now and then, so that the memory stays small.
      constexpr std::uint64_t kSpare = 1'000;
      constexpr std::uint64_t kFew = 100'000;
      if (rows_wanted_ && *rows_wanted_ < kFew && rows_.rows() > 2 * *rows_wanted_ + kSpare) {
        HELVE_TRY(sort());
        HELVE_TRY(keep(*rows_wanted_));
      }
    }
  }

  Result<void> add(const Batch& batch, std::size_t row) {
    HELVE_TRY(pace_.add(0, 1 + columns_.size()));
    run_.expressions.begin_solution();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].expression.column()) continue;
      computed_[i].push_back(SortKey::of(columns_[i].expression.value(batch, row, run_.expressions),
                                         run_.expressions));
    }
    if (run_.expressions.failure()) return *run_.expressions.failure();
    if (is_beyond_bound(batch, row)) {
      for (auto& keys : computed_) {
        if (!keys.empty()) keys.pop_back();
      }
      return {};
    }
    HELVE_TRY(rows_.append(batch, row));
    for (const auto& keys : computed_) {
      if (!keys.empty()) text_bytes_ += text_bytes(keys.back());
    }
    return charge_.resize(bytes_held());
  }

  // Whether there are enough rows before this one already; equal ones are.
  bool is_beyond_bound(const Batch& batch, std::size_t row) {
    if (bound_.empty()) return false;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto order = compare_with_bound(i, batch, row);
      if (std::is_eq(order)) continue;
      return columns_[i].is_descending ? std::is_lt(order) : std::is_gt(order);
    }
    return true;
  }

  std::weak_ordering compare_with_bound(std::size_t i, const Batch& batch, std::size_t row) {
    const auto column = columns_[i].expression.column();
    if (!column) return computed_[i].back().compare(bound_[i].key);
    const Id id = batch.at(*column, row);
    if (const auto order = id_order_.compare(id, bound_[i].id)) return *order;
    return key_of(id).compare(bound_[i].key);
  }

  SortKey key_of(Id id) {
    return SortKey::of(id.is_defined() ? Value(id) : Value(), run_.expressions);
  }

  Result<void> sort() {
    HELVE_TRY(prepare());
    const std::size_t run_length = has_codes_only_ ? kSortedAtOnce : 1;
    for (std::size_t first = 0; first < order_.size() && run_length > 1; first += run_length) {
      const std::size_t last = std::min(first + run_length, order_.size());
      HELVE_TRY(pace_.add(0, (last - first) * kStepsPerRow));
      std::sort(order_.begin() + static_cast<std::ptrdiff_t>(first),
                order_.begin() + static_cast<std::ptrdiff_t>(last),
                [this](const Item& a, const Item& b) { return is_before(a, b); });
    }
    HELVE_TRY(merge_runs(run_length));
    for (PreparedColumn& column : prepared_) column = {};
    return charge_.resize(bytes_held());
  }

  // Beside the rows; vectors that were emptied keep their memory.
  std::size_t bytes_held() const {
    std::size_t bytes = text_bytes_ + order_.capacity() * sizeof(Item);
    for (const auto& keys : computed_) bytes += keys.capacity() * sizeof(SortKey);
    return bytes;
  }

  // Codes where a column has them, keys where it does not.
  Result<void> prepare() {
    const std::size_t rows = rows_.rows();
    std::size_t bytes = bytes_held() + 2 * rows * sizeof(Item) + rows * sizeof(Id);
    HELVE_TRY(charge_.resize(bytes));
    prepared_.clear();
    prepared_.resize(columns_.size());
    has_codes_only_ = true;
    std::vector<Id> ids(rows);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      PreparedColumn& column = prepared_[i];
      column.is_descending = columns_[i].is_descending;
      const auto place = columns_[i].expression.column();
      if (!place) {
        has_codes_only_ = false;
        continue;
      }
      HELVE_TRY(charge_.resize(bytes += rows * sizeof(std::uint64_t)));
      for (RowNumber row = 0; row < rows; ++row) ids[row] = rows_.at(row, *place);
      column.has_codes = id_order_.encode(ids, column.codes);
      if (column.has_codes) {
        if (column.is_descending) {
          for (std::uint64_t& code : column.codes) code = ~code;
        }
        continue;
      }
      has_codes_only_ = false;
      HELVE_TRY(make_keys(ids, column.keys, bytes));
    }
    order_.resize(rows);
    const bool has_code = !prepared_.empty() && prepared_[0].has_codes;
    for (RowNumber row = 0; row < rows; ++row) {
      order_[row] = {has_code ? prepared_[0].codes[row] : 0, row};
    }
    return {};
  }

  Result<void> make_keys(std::span<const Id> ids, std::vector<SortKey>& keys, std::size_t& bytes) {
    HELVE_TRY(charge_.resize(bytes += ids.size() * sizeof(SortKey)));
    keys.reserve(ids.size());
    for (const Id id : ids) {
      HELVE_TRY(pace_.add(0, 1));
      keys.push_back(key_of(id));
      HELVE_TRY(charge_.resize(bytes += text_bytes(keys.back())));
    }
    return {};
  }

  bool is_before(const Item& a, const Item& b) const {
    if (a.code != b.code) return a.code < b.code;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto order = compare(i, a.row, b.row);
      if (std::is_neq(order)) return std::is_lt(order);
    }
    return a.row < b.row;
  }

  std::weak_ordering compare(std::size_t i, RowNumber a, RowNumber b) const {
    if (computed_[i].empty()) return prepared_[i].compare(a, b);
    return directed(computed_[i][a].compare(computed_[i][b]), columns_[i].is_descending);
  }

  // A merge sort of our own, for it can be interrupted. Runs of that length are sorted.
  Result<void> merge_runs(std::size_t run_length) {
    std::vector<Item> merged(order_.size());
    for (std::size_t width = run_length; width < order_.size(); width *= 2) {
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
                     std::vector<Item>& merged) {
    std::size_t left = first;
    std::size_t right = middle;
    for (std::size_t to = first; to < last; ++to) {
      HELVE_TRY(pace_.add(left < middle ? bytes_compared(order_[left].row) : 0));
      const bool takes_right =
          left == middle || (right < last && is_before(order_[right], order_[left]));
      merged[to] = order_[takes_right ? right++ : left++];
    }
    return {};
  }

  std::size_t bytes_compared(RowNumber row) const {
    if (!computed_[0].empty()) return computed_[0][row].memory_bytes();
    return prepared_[0].has_codes ? 0 : prepared_[0].keys[row].memory_bytes();
  }

  Result<void> keep(std::uint64_t count) {
    const std::size_t kept_rows = std::min<std::uint64_t>(count, order_.size());
    RowTable kept(rows_.width(), run_.memory(), kName);
    for (std::size_t i = 0; i < kept_rows; ++i) HELVE_TRY(kept.append(rows_.row(order_[i].row)));
    text_bytes_ = 0;
    for (auto& keys : computed_) {
      if (keys.empty()) continue;
      std::vector<SortKey> kept_keys;
      kept_keys.reserve(kept_rows);
      for (std::size_t i = 0; i < kept_rows; ++i) {
        kept_keys.push_back(std::move(keys[order_[i].row]));
        text_bytes_ += text_bytes(kept_keys.back());
      }
      keys = std::move(kept_keys);
    }
    rows_ = std::move(kept);
    order_.clear();
    HELVE_TRY(charge_.resize(bytes_held()));
    if (kept_rows == count) set_bound();
    return {};
  }

  void set_bound() {
    if (rows_.rows() == 0) return;
    const RowNumber last = rows_.rows() - 1;
    bound_.clear();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (const auto column = columns_[i].expression.column()) {
        const Id id = rows_.at(last, *column);
        bound_.push_back({id, key_of(id)});
      } else {
        bound_.push_back({Id(), computed_[i].back()});
      }
    }
  }

  static constexpr std::size_t kSortedAtOnce = 1'024;
  static constexpr std::size_t kStepsPerRow = 10;  // the logarithm

  OperatorPtr input_;
  std::vector<SortColumn> columns_;
  std::optional<std::uint64_t> rows_wanted_;
  RunState& run_;
  PacedCheck pace_;
  IdOrder id_order_;
  MemoryCharge charge_;
  RowTable rows_;
  std::vector<std::vector<SortKey>> computed_;  // by column, by row; empty for those of the input
  std::size_t text_bytes_ = 0;                  // of computed_
  std::vector<BoundKey> bound_;                 // by column, once there are enough rows
  std::vector<Item> order_;
  std::vector<PreparedColumn> prepared_;  // while sort() runs
  bool has_codes_only_ = false;
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
