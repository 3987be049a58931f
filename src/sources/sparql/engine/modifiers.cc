#include "sources/sparql/engine/modifiers.h"

#include <compare>
#include <numeric>
#include <utility>

#include "sources/sparql/engine/accumulator.h"
#include "sources/sparql/engine/row_table.h"
#include "sources/sparql/engine/sort_key.h"

namespace helve::sparql {

namespace {

void read_row(const Batch& batch, std::size_t row, std::vector<Id>& ids) {
  ids.clear();
  for (const auto& column : batch.columns) ids.push_back(column[row]);
}

void append_row(std::span<const Id> ids, Batch& out) {
  for (std::size_t column = 0; column < ids.size(); ++column) {
    out.columns[column].push_back(ids[column]);
  }
  ++out.rows;
}

class Distinct final : public RowExpander {
 public:
  Distinct(OperatorPtr input, Schema schema, RunState& run)
      : RowExpander(std::move(input), std::move(schema), run),
        seen_(input_columns(), run.memory(), "DISTINCT") {}

  void restart() override {
    RowExpander::restart();
    seen_.clear();
  }

 protected:
  Result<void> begin_row() override { return {}; }
  Result<bool> produce(Batch& out) override {
    read_row(input(), row(), ids_);
    HELVE_ASSIGN(const RowSet::Inserted inserted, seen_.insert(ids_));
    if (inserted.is_new) append_input(out);
    return true;
  }

 private:
  RowSet seen_;
  std::vector<Id> ids_;
};

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

Schema group_schema(const std::vector<GroupColumn>& keys,
                    const std::vector<AggregateColumn>& aggregates) {
  Schema schema;
  for (const GroupColumn& key : keys) schema.add(key.name);
  for (const AggregateColumn& aggregate : aggregates) schema.add(aggregate.name);
  return schema;
}

class Group final : public Operator {
 public:
  Group(OperatorPtr input, std::vector<GroupColumn> keys, std::vector<AggregateColumn> aggregates,
        RunState& run)
      : Operator(group_schema(keys, aggregates)),
        input_(std::move(input)),
        keys_(std::move(keys)),
        aggregates_(std::move(aggregates)),
        run_(run),
        pace_(run.op),
        charge_(run.memory(), "GROUP BY"),
        groups_(keys_.size(), run.memory(), "GROUP BY"),
        star_rows_(input_->schema().size() + 1, run.memory(), "COUNT(DISTINCT *)") {}

  Result<bool> next(Batch& batch) override {
    batch.reset(schema().size());
    if (!is_grouped_) {
      HELVE_TRY(collect());
      is_grouped_ = true;
      at_ = 0;
    }
    for (; at_ < groups_.table().rows() && batch.rows < rows_max(); ++at_) {
      HELVE_TRY(pace_.add(0, 1));
      HELVE_TRY(append_group(batch));
    }
    return batch.rows > 0;
  }

  void restart() override {
    input_->restart();
    is_grouped_ = false;
    accumulators_.clear();
    groups_.clear();
    star_rows_.clear();
    charge_ = MemoryCharge(run_.memory(), "GROUP BY");
  }

 private:
  Result<void> collect() {
    if (keys_.empty()) HELVE_TRY(group_of({}));
    Batch batch;
    while (true) {
      HELVE_ASSIGN(const bool has_rows, input_->next(batch));
      if (!has_rows) return {};
      for (std::size_t row = 0; row < batch.rows; ++row) HELVE_TRY(add(batch, row));
    }
  }

  Result<std::uint32_t> group_of(std::span<const Id> key) {
    HELVE_ASSIGN(const RowSet::Inserted inserted, groups_.insert(key));
    if (inserted.is_new) {
      constexpr std::size_t kBytesPerAccumulator = 160;
      HELVE_TRY(charge_.add(64 + aggregates_.size() * kBytesPerAccumulator));
      for (const AggregateColumn& column : aggregates_) {
        accumulators_.emplace_back(column.aggregate, run_.expressions);
      }
    }
    return inserted.row;
  }

  Result<void> add(const Batch& batch, std::size_t row) {
    HELVE_TRY(pace_.add(0, 1 + keys_.size() + aggregates_.size()));
    run_.expressions.begin_solution();
    key_.clear();
    for (const GroupColumn& column : keys_) {
      key_.push_back(run_.expressions.to_id(column.expression.value(batch, row, run_.expressions)));
    }
    HELVE_ASSIGN(const std::uint32_t group, group_of(key_));
    for (std::size_t i = 0; i < aggregates_.size(); ++i) {
      HELVE_TRY(aggregate(aggregates_[i], accumulators_[group * aggregates_.size() + i], batch, row,
                          group));
    }
    if (run_.expressions.failure()) return *run_.expressions.failure();
    return {};
  }

  Result<void> aggregate(const AggregateColumn& column, Accumulator& accumulator,
                         const Batch& batch, std::size_t row, std::uint32_t group) {
    if (column.argument) {
      return accumulator.add(column.argument->value(batch, row, run_.expressions),
                             run_.expressions);
    }
    if (column.aggregate.is_distinct) {
      read_row(batch, row, row_);
      row_.push_back(Id::from_bits(group));
      HELVE_ASSIGN(const RowSet::Inserted inserted, star_rows_.insert(row_));
      if (!inserted.is_new) return {};
    }
    return accumulator.add(rdf::XsdValue::boolean(true), run_.expressions);
  }

  Result<void> append_group(Batch& batch) {
    for (std::size_t key = 0; key < keys_.size(); ++key) {
      batch.columns[key].push_back(groups_.table().at(at_, key));
    }
    for (std::size_t i = 0; i < aggregates_.size(); ++i) {
      const Value value = accumulators_[at_ * aggregates_.size() + i].finish(run_.expressions);
      batch.columns[keys_.size() + i].push_back(run_.expressions.to_id(value));
    }
    ++batch.rows;
    if (run_.expressions.failure()) return *run_.expressions.failure();
    return {};
  }

  OperatorPtr input_;
  std::vector<GroupColumn> keys_;
  std::vector<AggregateColumn> aggregates_;
  RunState& run_;
  PacedCheck pace_;
  MemoryCharge charge_;
  RowSet groups_;
  RowSet star_rows_;                       // of COUNT(DISTINCT *): the row and its group
  std::vector<Accumulator> accumulators_;  // group by group
  std::vector<Id> key_;
  std::vector<Id> row_;
  bool is_grouped_ = false;
  std::uint32_t at_ = 0;
};

}  // namespace

OperatorPtr make_distinct(OperatorPtr input, RunState& run) {
  Schema schema = input->schema();
  return std::make_unique<Distinct>(std::move(input), std::move(schema), run);
}

OperatorPtr make_sort(OperatorPtr input, std::vector<SortColumn> columns,
                      std::optional<std::uint64_t> rows_wanted, RunState& run) {
  Schema schema = input->schema();
  return std::make_unique<Sort>(std::move(input), std::move(schema), std::move(columns),
                                rows_wanted, run);
}

OperatorPtr make_group(OperatorPtr input, std::vector<GroupColumn> keys,
                       std::vector<AggregateColumn> aggregates, RunState& run) {
  return std::make_unique<Group>(std::move(input), std::move(keys), std::move(aggregates), run);
}

}  // namespace helve::sparql
