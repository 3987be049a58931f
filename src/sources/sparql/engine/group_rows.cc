// GROUP BY: by hash, or group after group where the rows of one come together.
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "sources/sparql/engine/group_overflow.h"
#include "sources/sparql/engine/group_table.h"
#include "sources/sparql/engine/modifiers.h"

namespace helve::sparql {

namespace {

constexpr std::uint32_t kPreliminaryMax = 4'096;  // groups in hand: their table stays in the cache

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
        GroupMode mode, RunState& run)
      : Operator(group_schema(keys, aggregates)),
        input_(std::move(input)),
        keys_(std::move(keys)),
        columns_(std::move(aggregates)),
        is_sorted_(mode == GroupMode::Sorted && !keys_.empty()),
        is_preliminary_(mode == GroupMode::Preliminary),
        run_(run),
        pace_(run.op),
        table_(make_table()),
        computed_(keys_.size()) {
    for (const AggregateColumn& column : columns_) {
      is_repeatable_ = is_repeatable_ && (!column.argument || column.argument->is_repeatable());
    }
    for (const GroupColumn& key : keys_) {
      is_repeatable_ = is_repeatable_ && key.expression.is_repeatable();
    }
  }

  Result<bool> next(Batch& batch) override {
    batch.reset(schema().size());
    while (true) {
      for (; at_ < done_ && batch.rows < rows_max(); ++at_) {
        HELVE_TRY(pace_.add(0, 1));
        HELVE_TRY(append_group(batch));
      }
      if (is_at_end_ && overflow_ && batch.rows < rows_max()) HELVE_TRY(append_held(batch));
      if (is_at_end_ || batch.rows > 0) return batch.rows > 0;
      HELVE_TRY(collect());
    }
  }

  void restart() override {
    input_->restart();
    overflow_.reset();
    table_->clear();
    is_at_end_ = false;
    at_ = 0;
    done_ = 0;
  }

 private:
  // Takes rows until some groups are done: those of a key that was left, or all at the end.
  Result<void> collect() {
    if (keys_.empty() && !is_preliminary_) table_->add_single();
    if (done_ > 0) forget_given();
    while (done_ == 0 && !is_at_end_) {
      HELVE_ASSIGN(const bool has_rows, input_->next(rows_));
      is_at_end_ = !has_rows;
      if (has_rows) HELVE_TRY(add_batch());
      if (is_at_end_ || (is_preliminary_ && table_->count() >= kPreliminaryMax)) {
        done_ = table_->count();
        if (done_ > 0) HELVE_TRY(table_->finish());  // the single group may have had no rows
      } else if (is_sorted_) {
        done_ = table_->count() - 1;
      }
    }
    return {};
  }

  void forget_given() {
    if (is_preliminary_) {
      table_->clear();
    } else {
      table_->keep_last();
    }
    at_ = 0;
    done_ = 0;
  }

  // BNODE("label") is the same within a row, in keys and aggregates: then row by row.
  Result<void> add_batch() {
    if (keys_.empty()) table_->add_single();
    HELVE_TRY(pace_.add(0, rows_.rows * (1 + keys_.size() + columns_.size())));
    const std::size_t at_once = is_repeatable_ ? GroupTable::rows_at_once(run_) : 1;
    for (std::size_t first = 0; first < rows_.rows; first += at_once) {
      run_.expressions.begin_solution();
      if (overflow_) return add_to_known(first);
      const std::size_t count = std::min(at_once, rows_.rows - first);
      HELVE_TRY(find_keys(first, count));
      HELVE_TRY(table_->add(rows_, first, count, key_columns_));
      if (is_sorted_) HELVE_TRY(table_->settle(table_->count() - 1));
      if (!can_overflow() || !table_->is_large()) continue;
      HELVE_ASSIGN(overflow_,
                   GroupOverflow::make(keys_.size(), columns_, input_->schema().size(), run_));
    }
    return {};
  }

  std::unique_ptr<GroupTable> make_table() const {
    return std::make_unique<GroupTable>(keys_.size(), columns_, input_->schema().size(), is_sorted_,
                                        run_);
  }

  bool can_overflow() const {
    return can_spill(run_) && is_repeatable_ && !is_sorted_ && !is_preliminary_ && !keys_.empty();
  }

  // Groups that are not in the table any more come behind those that are.
  Result<void> add_to_known(std::size_t first) {
    HELVE_TRY(find_keys(first, rows_.rows - first));
    unknown_.clear();
    HELVE_TRY(table_->add_known(rows_, first, key_columns_, unknown_));
    return overflow_->append(rows_, first, key_columns_, unknown_);
  }

  Result<void> find_keys(std::size_t first, std::size_t count) {
    key_columns_.clear();
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const BoundExpression& expression = keys_[i].expression;
      if (const auto column = expression.column()) {
        key_columns_.push_back(rows_.columns[*column].data() + first);
        continue;
      }
      computed_[i].clear();
      for (std::size_t row = first; row < first + count; ++row) {
        const Value value = expression.value(rows_, row, run_.expressions);
        computed_[i].push_back(run_.expressions.to_id(value));
        if (run_.expressions.failure()) return *run_.expressions.failure();
      }
      key_columns_.push_back(computed_[i].data());
    }
    return {};
  }

  Result<void> append_group(Batch& batch) {
    row_.clear();
    HELVE_TRY(table_->append(at_, row_));
    append_row(row_, batch);
    return {};
  }

  Result<void> append_held(Batch& batch) {
    if (table_->count() > 0) table_ = make_table();  // gives its memory back
    while (batch.rows < rows_max()) {
      HELVE_TRY(pace_.add(0, 1));
      HELVE_ASSIGN(const bool has_group, overflow_->next());
      if (!has_group) break;
      append_row(overflow_->row(), batch);
    }
    return {};
  }

  static void append_row(std::span<const Id> row, Batch& batch) {
    for (std::size_t i = 0; i < row.size(); ++i) batch.columns[i].push_back(row[i]);
    ++batch.rows;
  }

  OperatorPtr input_;
  std::vector<GroupColumn> keys_;
  const std::vector<AggregateColumn> columns_;
  bool is_sorted_;
  bool is_preliminary_;
  bool is_repeatable_ = true;
  RunState& run_;
  PacedCheck pace_;
  std::unique_ptr<GroupTable> table_;
  std::optional<GroupOverflow> overflow_;
  bool is_at_end_ = false;
  std::uint32_t at_ = 0;    // the group that is given next
  std::uint32_t done_ = 0;  // groups that may be given
  // Of a batch.
  Batch rows_;
  std::vector<std::vector<Id>> computed_;  // by key
  KeyColumns key_columns_;
  std::vector<std::uint32_t> unknown_;
  std::vector<Id> row_;
};

}  // namespace

OperatorPtr make_group(OperatorPtr input, std::vector<GroupColumn> keys,
                       std::vector<AggregateColumn> aggregates, RunState& run, GroupMode mode) {
  return std::make_unique<Group>(std::move(input), std::move(keys), std::move(aggregates), mode,
                                 run);
}

}  // namespace helve::sparql
