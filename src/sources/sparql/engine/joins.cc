#include "sources/sparql/engine/joins.h"

#include <utility>

#include "sources/sparql/engine/row_table.h"

namespace helve::sparql {

namespace {

void drop_last_row(Batch& batch) {
  for (auto& column : batch.columns) column.pop_back();
  --batch.rows;
}

// A column that both sides have.
struct SharedColumn {
  std::size_t left;
  std::size_t right;
};

std::string_view name_of(JoinKind kind) {
  switch (kind) {
    case JoinKind::Inner:
      return "hash join";
    case JoinKind::Left:
      return "hash join of OPTIONAL";
    case JoinKind::Minus:
      return "hash join of MINUS";
  }
  return "";
}

class HashJoin final : public RowExpander {
 public:
  HashJoin(JoinKind kind, OperatorPtr left, OperatorPtr right, Schema schema,
           std::vector<BoundExpression> conditions, bool is_right_seeded, RunState& run)
      : RowExpander(std::move(left), std::move(schema), run),
        kind_(kind),
        run_(run),
        right_(std::move(right)),
        conditions_(std::move(conditions)),
        is_right_seeded_(is_right_seeded),
        rows_(right_->schema().size(), run.memory(), name_of(kind)) {
    for (std::size_t column = 0; column < right_->schema().size(); ++column) {
      const auto in_left = this->schema().find(right_->schema().names()[column]);
      if (in_left && *in_left < input_columns()) {
        shared_.push_back({*in_left, column});
      } else if (in_left) {
        added_.push_back({*in_left, column});
      }
    }
  }

  void restart() override {
    RowExpander::restart();
    if (!is_right_seeded_) return;
    is_built_ = false;
    right_->restart();
  }

 protected:
  Result<void> begin_row() override {
    if (!is_built_) HELVE_TRY(build());
    has_match_ = false;
    uses_index_ = true;
    key_values_.clear();
    for (const SharedColumn& column : key_) {
      const Id id = input().at(column.left, row());
      if (!id.is_defined()) uses_index_ = false;
      key_values_.push_back(id);
    }
    uses_index_ = uses_index_ && !key_.empty();
    if (uses_index_) {
      at_ = index_->find(key_values_);
    } else {
      at_ = rows_.rows() > 0 ? 0 : RowTable::kNone;
    }
    return {};
  }

  Result<bool> produce(Batch& out) override {
    std::uint64_t tried = 0;
    constexpr std::uint64_t kTriedMax = 4'096;
    while (at_ != RowTable::kNone) {
      if (is_full(out)) {
        HELVE_TRY(pace(tried));
        return false;
      }
      if (++tried > kTriedMax) {
        HELVE_TRY(pace(tried));
        return false;
      }
      const std::uint32_t candidate = at_;
      move_on();
      HELVE_TRY(try_candidate(candidate, out));
      if (kind_ == JoinKind::Minus && has_match_) return true;
    }
    HELVE_TRY(pace(tried));
    if (kind_ != JoinKind::Inner && !has_match_) {
      if (is_full(out)) return false;
      append_input(out);
    }
    return true;
  }

 private:
  Result<void> build() {
    if (index_) index_->clear();
    rows_.clear();
    Batch batch;
    std::vector<bool> is_always_bound(right_->schema().size(), true);
    while (true) {
      HELVE_ASSIGN(const bool has_rows, right_->next(batch));
      if (!has_rows) break;
      HELVE_TRY(pace(batch.rows));
      for (std::size_t row = 0; row < batch.rows; ++row) {
        HELVE_TRY(rows_.append(batch, row));
        for (const SharedColumn& column : shared_) {
          if (!batch.at(column.right, row).is_defined()) is_always_bound[column.right] = false;
        }
      }
    }
    key_.clear();
    std::vector<std::size_t> key_columns;
    for (const SharedColumn& column : shared_) {
      if (!is_always_bound[column.right]) continue;
      key_.push_back(column);
      key_columns.push_back(column.right);
    }
    index_ = std::make_unique<RowIndex>(rows_, key_columns, run_.memory(), name_of(kind_));
    for (std::uint32_t row = 0; row < rows_.rows() && !key_.empty(); ++row) {
      HELVE_TRY(pace(1));
      HELVE_TRY(index_->add(row));
    }
    is_built_ = true;
    return {};
  }

  void move_on() {
    if (uses_index_) {
      at_ = index_->next(at_, key_values_);
    } else {
      ++at_;
      if (at_ == rows_.rows()) at_ = RowTable::kNone;
    }
  }

  // https://www.w3.org/TR/sparql11-query/#defn_algCompatibleMapping
  bool is_compatible(std::uint32_t candidate, bool& shares_variable) const {
    for (const SharedColumn& column : shared_) {
      const Id left = input().at(column.left, row());
      const Id right = rows_.at(candidate, column.right);
      if (!left.is_defined() || !right.is_defined()) continue;
      if (left != right) return false;
      shares_variable = true;
    }
    return true;
  }

  Result<void> try_candidate(std::uint32_t candidate, Batch& out) {
    bool shares_variable = false;
    if (!is_compatible(candidate, shares_variable)) return {};
    if (kind_ == JoinKind::Minus) {
      has_match_ = shares_variable;
      return {};
    }
    append_input(out);
    for (const SharedColumn& column : shared_) {
      Id& target = out.columns[column.left].back();
      if (!target.is_defined()) target = rows_.at(candidate, column.right);
    }
    for (const SharedColumn& column : added_) {
      out.columns[column.left].back() = rows_.at(candidate, column.right);
    }
    HELVE_ASSIGN(const bool is_wanted, all_true(conditions_, out, out.rows - 1, run_));
    if (is_wanted) {
      has_match_ = true;
    } else {
      drop_last_row(out);
    }
    return {};
  }

  JoinKind kind_;
  RunState& run_;
  OperatorPtr right_;
  std::vector<BoundExpression> conditions_;
  bool is_right_seeded_;
  std::vector<SharedColumn> shared_;
  std::vector<SharedColumn> added_;  // `left`: the column of the result
  RowTable rows_;
  std::unique_ptr<RowIndex> index_;
  std::vector<SharedColumn> key_;  // of the shared ones: bound in every row of the right
  bool is_built_ = false;

  std::vector<Id> key_values_;
  bool uses_index_ = false;
  bool has_match_ = false;
  std::uint32_t at_ = RowTable::kNone;
};

class SeededJoin final : public RowExpander {
 public:
  SeededJoin(JoinKind kind, OperatorPtr left, std::unique_ptr<Seed> seed, OperatorPtr right,
             std::vector<BoundExpression> conditions, RunState& run)
      : RowExpander(std::move(left), right->schema(), run),
        kind_(kind),
        run_(run),
        seed_(std::move(seed)),
        right_(std::move(right)),
        conditions_(std::move(conditions)) {}

 protected:
  Result<void> begin_row() override {
    seed_->set(input(), row());
    right_->restart();
    found_.rows = 0;
    at_ = 0;
    has_match_ = false;
    is_at_end_ = false;
    return {};
  }

  Result<bool> produce(Batch& out) override {
    while (!is_full(out)) {
      if (at_ == found_.rows) {
        if (!is_at_end_) {
          HELVE_ASSIGN(const bool has_rows, right_->next(found_));
          is_at_end_ = !has_rows;
        }
        at_ = 0;
        if (!is_at_end_) continue;
        found_.rows = 0;
        if (kind_ == JoinKind::Left && !has_match_) append_input(out);
        return true;
      }
      HELVE_ASSIGN(const bool is_wanted, all_true(conditions_, found_, at_, run_));
      if (is_wanted) append_found(out);
      ++at_;
    }
    return false;
  }

 private:
  void append_found(Batch& out) {
    has_match_ = true;
    for (std::size_t column = 0; column < out.columns.size(); ++column) {
      out.columns[column].push_back(found_.at(column, at_));
    }
    ++out.rows;
  }

  JoinKind kind_;
  RunState& run_;
  std::unique_ptr<Seed> seed_;
  OperatorPtr right_;
  std::vector<BoundExpression> conditions_;
  Batch found_;
  std::size_t at_ = 0;
  bool has_match_ = false;
  bool is_at_end_ = false;
};

}  // namespace

std::unique_ptr<Seed> Seed::of(const Schema& outer, const std::set<std::string>* wanted) {
  auto seed = std::make_unique<Seed>();
  for (std::size_t column = 0; column < outer.size(); ++column) {
    const std::string& name = outer.names()[column];
    if (wanted != nullptr && !wanted->contains(name)) continue;
    seed->schema.add(name);
    seed->from.push_back(column);
  }
  return seed;
}

void Seed::set(const Batch& batch, std::size_t row) {
  rows.reset(schema.size());
  for (std::size_t column = 0; column < from.size(); ++column) {
    rows.columns[column].push_back(batch.at(from[column], row));
  }
  rows.rows = 1;
}

void Seed::set_numbered(const Batch& batch) {
  rows.reset(schema.size());
  for (std::size_t column = 0; column < from.size(); ++column) {
    rows.columns[column] = batch.columns[from[column]];
  }
  auto& numbers = rows.columns[from.size()];
  numbers.resize(batch.rows);
  for (std::size_t row = 0; row < batch.rows; ++row) numbers[row] = Id(rdf::Tag::Local, row);
  rows.rows = batch.rows;
}

Schema joined_schema(const Schema& left, const Schema& right) {
  Schema schema = left;
  for (const std::string& name : right.names()) schema.add(name);
  return schema;
}

OperatorPtr make_hash_join(JoinKind kind, OperatorPtr left, OperatorPtr right,
                           std::vector<BoundExpression> conditions, bool is_right_seeded,
                           RunState& run) {
  Schema schema =
      kind == JoinKind::Minus ? left->schema() : joined_schema(left->schema(), right->schema());
  return std::make_unique<HashJoin>(kind, std::move(left), std::move(right), std::move(schema),
                                    std::move(conditions), is_right_seeded, run);
}

OperatorPtr make_seeded_join(JoinKind kind, OperatorPtr left, std::unique_ptr<Seed> seed,
                             OperatorPtr right, std::vector<BoundExpression> conditions,
                             RunState& run) {
  return std::make_unique<SeededJoin>(kind, std::move(left), std::move(seed), std::move(right),
                                      std::move(conditions), run);
}

Result<bool> all_true(const std::vector<BoundExpression>& conditions, const Batch& batch,
                      std::size_t row, RunState& run) {
  if (conditions.empty()) return true;
  run.expressions.begin_solution();
  for (const BoundExpression& condition : conditions) {
    const bool holds = condition.truth(batch, row, run.expressions).value_or(false);
    if (run.expressions.failure()) return *run.expressions.failure();
    if (!holds) return false;
  }
  return true;
}

}  // namespace helve::sparql
