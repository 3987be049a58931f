// GROUP BY: by hash, or group after group where the rows of one come together.
#include <numeric>
#include <utility>

#include "sources/sparql/engine/charged_vector.h"
#include "sources/sparql/engine/group_aggregate.h"
#include "sources/sparql/engine/id_table.h"
#include "sources/sparql/engine/modifiers.h"
#include "sources/sparql/engine/row_table.h"

namespace helve::sparql {

namespace {

constexpr std::string_view kName = "GROUP BY";
constexpr std::uint32_t kPreliminaryMax = 4'096;  // groups in hand: their table stays in the cache

Schema group_schema(const std::vector<GroupColumn>& keys,
                    const std::vector<AggregateColumn>& aggregates) {
  Schema schema;
  for (const GroupColumn& key : keys) schema.add(key.name);
  for (const AggregateColumn& aggregate : aggregates) schema.add(aggregate.name);
  return schema;
}

// Numbers the groups and holds their keys.
class GroupKeys {
 public:
  GroupKeys(std::size_t width, bool is_sorted, MemoryBudget& budget)
      : is_sorted_(is_sorted),
        one_(budget, kName),
        two_(budget, kName),
        many_(width, budget, kName) {
    for (std::size_t i = 0; i < width; ++i) keys_.emplace_back(budget, kName);
  }

  std::uint32_t count() const { return count_; }
  Id key(std::uint32_t group, std::size_t column) const { return keys_[column][group]; }

  // Without keys there is one group, whether there are rows or not.
  void add_single() { count_ = 1; }

  // The columns of keys, each with `rows` ids.
  Result<void> number(const std::vector<const Id*>& columns, std::size_t rows,
                      std::vector<std::uint32_t>& groups) {
    groups.resize(rows);
    if (columns.empty()) {
      std::fill(groups.begin(), groups.end(), 0);
      return {};
    }
    if (is_sorted_) {
      HELVE_TRY(number_runs(columns, groups));
    } else if (columns.size() == 1) {
      HELVE_TRY(one_.number({columns[0]}, rows, groups.data()));
    } else if (columns.size() == 2) {
      HELVE_TRY(two_.number({columns[0], columns[1]}, rows, groups.data()));
    } else {
      HELVE_TRY(number_wide(columns, groups));
    }
    return add_keys(columns, groups);
  }

  void keep_last() {
    for (auto& column : keys_) column.keep_last();
    count_ = 1;
  }
  void clear() {
    one_.clear();
    two_.clear();
    many_.clear();
    for (auto& column : keys_) column.clear();
    count_ = 0;
  }

 private:
  bool is_last_key(const std::vector<const Id*>& columns, std::size_t row) const {
    if (row == 0 && count_ == 0) return false;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Id before = row > 0 ? columns[i][row - 1] : keys_[i][count_ - 1];
      if (columns[i][row] != before) return false;
    }
    return true;
  }

  // A group ends where another key begins.
  Result<void> number_runs(const std::vector<const Id*>& columns,
                           std::vector<std::uint32_t>& groups) const {
    std::uint32_t next = count_;
    for (std::size_t row = 0; row < groups.size(); ++row) {
      if (!is_last_key(columns, row)) ++next;
      groups[row] = next - 1;
    }
    return {};
  }

  Result<void> number_wide(const std::vector<const Id*>& columns,
                           std::vector<std::uint32_t>& groups) {
    for (std::size_t row = 0; row < groups.size(); ++row) {
      ids_.clear();
      for (const Id* column : columns) ids_.push_back(column[row]);
      HELVE_ASSIGN(const RowSet::Inserted inserted, many_.insert(ids_));
      groups[row] = inserted.row;
    }
    return {};
  }

  // New groups come in the order of their numbers.
  Result<void> add_keys(const std::vector<const Id*>& columns,
                        const std::vector<std::uint32_t>& groups) {
    for (std::size_t row = 0; row < groups.size(); ++row) {
      if (groups[row] < count_) continue;
      ++count_;
      for (std::size_t i = 0; i < columns.size(); ++i) {
        HELVE_TRY(keys_[i].grow_to(count_, columns[i][row]));
      }
    }
    return {};
  }

  bool is_sorted_;
  IdTable<1> one_;
  IdTable<2> two_;
  RowSet many_;
  std::vector<ChargedVector<Id>> keys_;  // by column, by group
  std::uint32_t count_ = 0;
  std::vector<Id> ids_;
};

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
        groups_(keys_.size(), is_sorted_, run.memory()),
        computed_(keys_.size()) {
    for (const AggregateColumn& column : columns_) {
      aggregates_.push_back(
          make_group_aggregate(column, input_->schema().size(), keys_.empty(), run));
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
      if (is_at_end_ || batch.rows > 0) return batch.rows > 0;
      HELVE_TRY(collect());
    }
  }

  void restart() override {
    input_->restart();
    forget_all();
    is_at_end_ = false;
    at_ = 0;
    done_ = 0;
  }

 private:
  // Takes rows until some groups are done: those of a key that was left, or all at the end.
  Result<void> collect() {
    if (keys_.empty() && !is_preliminary_) groups_.add_single();
    if (done_ > 0) forget_given();
    while (done_ == 0 && !is_at_end_) {
      HELVE_ASSIGN(const bool has_rows, input_->next(rows_));
      is_at_end_ = !has_rows;
      if (has_rows) {
        HELVE_TRY(add_batch());
      } else if (groups_.count() > 0) {  // the single group may have had no rows
        HELVE_TRY(add({rows_, 0, {}, groups_.count()}));
      }
      if (is_at_end_ || (is_preliminary_ && groups_.count() >= kPreliminaryMax)) {
        done_ = groups_.count();
      } else if (is_sorted_) {
        done_ = groups_.count() - 1;
      }
    }
    return {};
  }

  void forget_given() {
    if (is_preliminary_) {
      forget_all();
    } else {
      groups_.keep_last();
      for (const auto& aggregate : aggregates_) aggregate->keep_last();
    }
    at_ = 0;
    done_ = 0;
  }
  void forget_all() {
    groups_.clear();
    for (const auto& aggregate : aggregates_) aggregate->clear();
  }

  // BNODE("label") is the same within a row, in keys and aggregates: then row by row.
  Result<void> add_batch() {
    if (keys_.empty()) groups_.add_single();
    HELVE_TRY(pace_.add(0, rows_.rows * (1 + keys_.size() + columns_.size())));
    const std::size_t step = is_repeatable_ ? rows_.rows : 1;
    for (std::size_t first = 0; first < rows_.rows; first += step) {
      run_.expressions.begin_solution();
      HELVE_TRY(number_groups(first, step));
      HELVE_TRY(add({rows_, first, row_groups_, groups_.count()}));
    }
    return {};
  }

  Result<void> number_groups(std::size_t first, std::size_t count) {
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
    return groups_.number(key_columns_, count, row_groups_);
  }

  Result<void> add(const GroupedRows& rows) {
    for (const auto& aggregate : aggregates_) {
      HELVE_TRY(aggregate->add(rows));
      if (run_.expressions.failure()) return *run_.expressions.failure();
    }
    return {};
  }

  Result<void> append_group(Batch& batch) {
    for (std::size_t key = 0; key < keys_.size(); ++key) {
      batch.columns[key].push_back(groups_.key(at_, key));
    }
    for (std::size_t i = 0; i < aggregates_.size(); ++i) {
      const Value value = aggregates_[i]->finish(at_);
      batch.columns[keys_.size() + i].push_back(run_.expressions.to_id(value));
    }
    ++batch.rows;
    if (run_.expressions.failure()) return *run_.expressions.failure();
    return {};
  }

  OperatorPtr input_;
  std::vector<GroupColumn> keys_;
  const std::vector<AggregateColumn> columns_;
  bool is_sorted_;
  bool is_preliminary_;
  bool is_repeatable_ = true;
  RunState& run_;
  PacedCheck pace_;
  GroupKeys groups_;
  std::vector<std::unique_ptr<GroupAggregate>> aggregates_;
  bool is_at_end_ = false;
  std::uint32_t at_ = 0;    // the group that is given next
  std::uint32_t done_ = 0;  // groups that may be given
  // Of a batch.
  Batch rows_;
  std::vector<std::vector<Id>> computed_;  // by key
  std::vector<const Id*> key_columns_;
  std::vector<std::uint32_t> row_groups_;
};

}  // namespace

OperatorPtr make_group(OperatorPtr input, std::vector<GroupColumn> keys,
                       std::vector<AggregateColumn> aggregates, RunState& run, GroupMode mode) {
  return std::make_unique<Group>(std::move(input), std::move(keys), std::move(aggregates), mode,
                                 run);
}

}  // namespace helve::sparql
