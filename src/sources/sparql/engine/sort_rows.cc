// ORDER BY. What it holds is row_table.h's; the order is that of ids where those tell it
// (id_order.h), else of sort_key.h. What exceeds the memory is sorted in parts that are set aside
// (sort_runs.h).
#include <algorithm>
#include <compare>
#include <utility>

#include "sources/sparql/engine/id_order.h"
#include "sources/sparql/engine/modifiers.h"
#include "sources/sparql/engine/row_table.h"
#include "sources/sparql/engine/sort_key.h"
#include "sources/sparql/engine/sort_runs.h"

namespace helve::sparql {

namespace {

constexpr std::string_view kSortName = "ORDER BY";

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
std::size_t key_text_bytes(const SortKey& key) { return key.memory_bytes() - sizeof(SortKey); }

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
        order_of_runs_{columns_, id_order_, this->schema().size(), kept_columns(), run},
        runs_(order_of_runs_),
        charge_(run.memory(), kSortName),
        rows_(row_width(), run.memory(), kSortName),
        computed_(columns_.size()) {}

  Result<bool> next(Batch& batch) override {
    batch.reset(schema().size());
    if (!is_sorted_) {
      HELVE_TRY(collect());
      HELVE_TRY(finish());
      is_sorted_ = true;
      at_ = 0;
    }
    if (!runs_.empty()) return next_of_runs(batch);
    for (; at_ < order_.size() && batch.rows < rows_max(); ++at_) {
      append_row(rows_.row(order_[at_].row).first(schema().size()), batch);
    }
    return batch.rows > 0;
  }

  void restart() override {
    input_->restart();
    is_sorted_ = false;
    runs_.clear();
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
      for (std::size_t row = 0; row < batch.rows; ++row) {
        constexpr std::size_t kRowsPerLook = 128;
        if (row % kRowsPerLook == 0) HELVE_TRY(make_room());
        HELVE_TRY(add(batch, row));
      }
      // Rows beyond the wanted ones are dropped now and then, so that the memory stays small.
      constexpr std::uint64_t kSpare = 1'000;
      constexpr std::uint64_t kFew = 100'000;
      if (rows_wanted_ && *rows_wanted_ < kFew && rows_.rows() > 2 * *rows_wanted_ + kSpare) {
        HELVE_ASSIGN(const bool is_kept, keep_first());
        if (!is_kept) HELVE_TRY(set_aside());
      }
    }
  }

  Result<void> add(const Batch& batch, std::size_t row) {
    HELVE_TRY(pace_.add(0, 1 + columns_.size()));
    if (can_be_set_aside()) HELVE_TRY(make_room_for_keys());
    run_.expressions.begin_solution();
    kept_.clear();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].expression.column()) continue;
      const Value value = columns_[i].expression.value(batch, row, run_.expressions);
      if (order_of_runs_.kept_at[i]) {
        kept_.push_back(run_.expressions.to_id(value));
        computed_[i].push_back(key_of(kept_.back()));
      } else {
        computed_[i].push_back(SortKey::of(value, run_.expressions));
      }
    }
    if (run_.expressions.failure()) return *run_.expressions.failure();
    if (is_beyond_bound(batch, row)) {
      for (auto& keys : computed_) {
        if (!keys.empty()) keys.pop_back();
      }
      return {};
    }
    if (auto appended = append(batch, row); !appended) {
      if (!can_be_set_aside()) return appended;
      HELVE_TRY(set_aside());
      HELVE_TRY(append(batch, row));
    }
    for (const auto& keys : computed_) {
      if (!keys.empty()) text_bytes_ += key_text_bytes(keys.back());
    }
    auto charged = charge_.resize(bytes_held());
    return charged || !can_be_set_aside() ? charged : set_aside();
  }

  Result<void> make_room() {
    const bool is_short = is_memory_short(run_, bytes_to_sort(), rows_.bytes() + charge_.bytes());
    return is_short ? set_aside() : Result<void>();
  }

  // Of keys that are computed. Growing, their old memory is there too.
  Result<void> make_room_for_keys() {
    bool is_granted = true;
    for (const auto& keys : computed_) {
      if (keys.empty() || keys.size() < keys.capacity()) continue;
      is_granted = is_granted && charge_.resize(bytes_held() + 2 * keys.size() * sizeof(SortKey));
    }
    return is_granted ? Result<void>() : set_aside();
  }

  Result<void> append(const Batch& batch, std::size_t row) {
    if (kept_.empty()) return rows_.append(batch, row);
    row_.clear();
    for (const auto& column : batch.columns) row_.push_back(column[row]);
    row_.insert(row_.end(), kept_.begin(), kept_.end());
    return rows_.append(row_);
  }

  // Keys that would be others when they are computed again are kept as columns.
  std::vector<std::optional<std::size_t>> kept_columns() const {
    std::vector<std::optional<std::size_t>> kept_at(columns_.size());
    std::size_t width = schema().size();
    for (std::size_t i = 0; i < columns_.size() && can_spill(run_); ++i) {
      const BoundExpression& expression = columns_[i].expression;
      if (!expression.column() && !expression.is_repeatable()) kept_at[i] = width++;
    }
    return kept_at;
  }
  std::size_t row_width() const {
    const auto& kept_at = order_of_runs_.kept_at;
    return schema().size() + static_cast<std::size_t>(std::count_if(
                                 kept_at.begin(), kept_at.end(),
                                 [](const auto& column) { return column.has_value(); }));
  }

  bool can_be_set_aside() const { return can_spill(run_) && rows_.width() > 0 && rows_.rows() > 0; }

  // What sorting the rows takes, keys that are texts left out.
  std::size_t bytes_to_sort() const {
    const std::size_t per_row =
        2 * sizeof(Item) + sizeof(Id) + columns_.size() * sizeof(std::uint64_t);
    return rows_.width() > 0 ? rows_.bytes() + bytes_held() + rows_.rows() * per_row : 0;
  }

  // The rows as sorted runs on disk; several where their keys do not fit the memory at once.
  Result<void> set_aside() {
    std::size_t count = rows_.rows();
    if (count > 0) HELVE_TRY(runs_.begin());
    for (std::size_t first = 0; first < rows_.rows();) {
      count = std::min<std::size_t>(count, rows_.rows() - first);
      HELVE_ASSIGN(const bool is_sorted, sort(first, count));
      if (!is_sorted) {
        if (count == 1) return *shortage_;
        count /= 2;
        continue;
      }
      if (rows_wanted_ && order_.size() > *rows_wanted_) order_.resize(*rows_wanted_);
      for (const Item& item : order_) HELVE_TRY(runs_.append(rows_.row(item.row)));
      HELVE_TRY(runs_.end());
      first += count;
      order_.clear();
      if (first < rows_.rows()) HELVE_TRY(runs_.begin());
    }
    forget_rows();
    return {};
  }

  // All but keys of a row that is not in the table yet.
  void forget_rows() {
    for (auto& keys : computed_) {
      std::vector<SortKey> left;
      if (keys.size() > rows_.rows()) left.push_back(std::move(keys.back()));
      keys = std::move(left);
    }
    rows_ = RowTable(rows_.width(), run_.memory(), kSortName);
    order_ = {};
    text_bytes_ = 0;
    static_cast<void>(charge_.resize(bytes_held()));  // less is always granted
  }

  // Sorts what was collected, or the rest of it.
  Result<void> finish() {
    if (runs_.empty()) {
      HELVE_ASSIGN(const bool is_sorted, sort(0, rows_.rows()));
      if (is_sorted) {
        if (rows_wanted_ && order_.size() > *rows_wanted_) order_.resize(*rows_wanted_);
        return {};
      }
      if (!can_be_set_aside()) return *shortage_;
    }
    return set_aside();
  }

  Result<bool> next_of_runs(Batch& batch) {
    while (batch.rows < rows_max() && (!rows_wanted_ || at_ < *rows_wanted_)) {
      HELVE_TRY(pace_.add(0, 1 + columns_.size()));
      HELVE_ASSIGN(const bool has_row, runs_.next());
      if (!has_row) break;
      append_row(runs_.row().first(schema().size()), batch);
      ++at_;
    }
    return batch.rows > 0;
  }

  // False, and the reason in shortage_: there is not enough memory.
  bool is_granted(std::size_t bytes) {
    auto charged = charge_.resize(bytes);
    if (charged) return true;
    shortage_ = std::move(charged).error();
    return false;
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

  // So many rows from `first` on into order_; false: see shortage_.
  Result<bool> sort(std::size_t first_row, std::size_t count) {
    first_ = static_cast<RowNumber>(first_row);
    HELVE_ASSIGN(const bool is_prepared, prepare(count));
    if (!is_prepared) {
      prepared_ = {};
      order_ = {};
      static_cast<void>(charge_.resize(bytes_held()));  // less is always granted
      return false;
    }
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
    HELVE_TRY(charge_.resize(bytes_held()));
    return true;
  }

  // Beside the rows; vectors that were emptied keep their memory.
  std::size_t bytes_held() const {
    std::size_t bytes = text_bytes_ + order_.capacity() * sizeof(Item);
    for (const auto& keys : computed_) bytes += keys.capacity() * sizeof(SortKey);
    return bytes;
  }

  // Codes where a column has them, keys where it does not.
  Result<bool> prepare(std::size_t rows) {
    std::size_t bytes = bytes_held() + 2 * rows * sizeof(Item) + rows * sizeof(Id);
    if (!is_granted(bytes)) return false;
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
      if (!is_granted(bytes += rows * sizeof(std::uint64_t))) return false;
      for (RowNumber row = 0; row < rows; ++row) ids[row] = rows_.at(first_ + row, *place);
      column.has_codes = id_order_.encode(ids, column.codes);
      if (column.has_codes) {
        if (column.is_descending) {
          for (std::uint64_t& code : column.codes) code = ~code;
        }
        continue;
      }
      has_codes_only_ = false;
      HELVE_ASSIGN(const bool has_keys, make_keys(ids, column.keys, bytes));
      if (!has_keys) return false;
    }
    order_.resize(rows);
    const bool has_code = !prepared_.empty() && prepared_[0].has_codes;
    for (RowNumber row = 0; row < rows; ++row) {
      order_[row] = {has_code ? prepared_[0].codes[row] : 0, first_ + row};
    }
    return true;
  }

  Result<bool> make_keys(std::span<const Id> ids, std::vector<SortKey>& keys, std::size_t& bytes) {
    if (!is_granted(bytes += ids.size() * sizeof(SortKey))) return false;
    keys.reserve(ids.size());
    for (const Id id : ids) {
      HELVE_TRY(pace_.add(0, 1));
      keys.push_back(key_of(id));
      if (!is_granted(bytes += key_text_bytes(keys.back()))) return false;
    }
    return true;
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
    if (computed_[i].empty()) return prepared_[i].compare(a - first_, b - first_);
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
    return prepared_[0].has_codes ? 0 : prepared_[0].keys[row - first_].memory_bytes();
  }

  // False: there is not enough memory.
  Result<bool> keep_first() {
    HELVE_ASSIGN(const bool is_sorted, sort(0, rows_.rows()));
    if (!is_sorted) return can_be_set_aside() ? Result<bool>(false) : *shortage_;
    auto kept = keep(*rows_wanted_);
    if (!kept && !can_be_set_aside()) return std::move(kept).error();
    return static_cast<bool>(kept);
  }

  Result<void> keep(std::uint64_t count) {
    const std::size_t kept_rows = std::min<std::uint64_t>(count, order_.size());
    RowTable kept(rows_.width(), run_.memory(), kSortName);
    for (std::size_t i = 0; i < kept_rows; ++i) HELVE_TRY(kept.append(rows_.row(order_[i].row)));
    text_bytes_ = 0;
    for (auto& keys : computed_) {
      if (keys.empty()) continue;
      std::vector<SortKey> kept_keys;
      kept_keys.reserve(kept_rows);
      for (std::size_t i = 0; i < kept_rows; ++i) {
        kept_keys.push_back(std::move(keys[order_[i].row]));
        text_bytes_ += key_text_bytes(kept_keys.back());
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
  RowOrder order_of_runs_;
  SortRuns runs_;
  MemoryCharge charge_;
  RowTable rows_;
  std::vector<std::vector<SortKey>> computed_;  // by column, by row; empty for those of the input
  std::size_t text_bytes_ = 0;                  // of computed_
  std::vector<BoundKey> bound_;                 // by column, once there are enough rows
  std::vector<Item> order_;
  RowNumber first_ = 0;                   // of those that are sorted
  std::vector<PreparedColumn> prepared_;  // while sort() runs
  bool has_codes_only_ = false;
  bool is_sorted_ = false;
  std::size_t at_ = 0;
  std::optional<Error> shortage_;  // of memory, that was met last
  // Of the row that is added.
  std::vector<Id> kept_;  // its keys that are columns
  std::vector<Id> row_;
};

}  // namespace

OperatorPtr make_sort(OperatorPtr input, std::vector<SortColumn> columns,
                      std::optional<std::uint64_t> rows_wanted, RunState& run) {
  Schema schema = input->schema();
  return std::make_unique<Sort>(std::move(input), std::move(schema), std::move(columns),
                                rows_wanted, run);
}

}  // namespace helve::sparql
