#include "sources/sparql/engine/joins.h"

#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "sources/sparql/engine/join_overflow.h"
#include "sources/sparql/engine/join_side.h"

namespace helve::sparql {

namespace {

// Once the right side exceeds the memory, both are set aside, and what comes of them is given at
// the end of the left.
class HashJoin final : public RowExpander {
 public:
  HashJoin(JoinKind kind, OperatorPtr left, OperatorPtr right, Schema schema,
           std::vector<BoundExpression> conditions, bool is_right_seeded, RunState& run)
      : RowExpander(std::move(left), std::move(schema), run),
        run_(run),
        right_(std::move(right)),
        conditions_(std::move(conditions)),
        is_right_seeded_(is_right_seeded),
        shape_(kind, left_schema(), right_->schema(), this->schema(), conditions_),
        side_(std::make_unique<JoinSide>(shape_, run)) {}

  Result<bool> next(Batch& batch) override {
    if (!is_left_at_end_) {
      HELVE_ASSIGN(const bool has_rows, RowExpander::next(batch));
      if (has_rows || !overflow_) return has_rows;
      is_left_at_end_ = true;
    }
    batch.reset(schema().size());
    return take_rows(*overflow_, rows_max(), batch);
  }

  // What was set aside of the left cannot be given twice: then the right side is run again too.
  void restart() override {
    RowExpander::restart();
    is_left_at_end_ = false;
    if (!is_right_seeded_ && !overflow_) return;
    overflow_.reset();
    is_built_ = false;
    right_->restart();
  }

 protected:
  Result<void> begin_row() override {
    if (!is_built_) HELVE_TRY(build());
    if (!overflow_) side_->begin(input(), row());
    return {};
  }

  Result<bool> produce(Batch& out) override {
    if (!overflow_) return side_->produce(input(), row(), out, rows_wanted());
    HELVE_TRY(overflow_->add_left(input(), row()));
    return true;
  }

 private:
  // The columns of the input come first.
  Schema left_schema() const {
    const auto& names = schema().names();
    return Schema({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(input_columns())});
  }

  Result<void> build() {
    side_->clear();
    Batch batch;
    std::vector<Id> ids;
    std::vector<bool> is_always_bound(right_->schema().size(), true);
    while (true) {
      HELVE_ASSIGN(const bool has_rows, right_->next(batch));
      if (!has_rows) break;
      HELVE_TRY(pace(batch.rows));
      for (std::size_t row = 0; row < batch.rows; ++row) {
        HELVE_TRY(add_right(batch, row, ids));
        for (const SharedColumn& column : shape_.shared) {
          if (!batch.at(column.right, row).is_defined()) is_always_bound[column.right] = false;
        }
      }
    }
    std::vector<SharedColumn> key;
    for (const SharedColumn& column : shape_.shared) {
      if (is_always_bound[column.right]) key.push_back(column);
    }
    is_built_ = true;
    if (overflow_) return overflow_->begin_left(std::move(key));
    auto indexed = side_->index(key);
    if (indexed || !can_overflow()) return indexed;
    HELVE_TRY(run_.op.check());  // else it was memory
    HELVE_TRY(set_aside());
    return overflow_->begin_left(std::move(key));
  }

  bool can_overflow() const { return can_spill(run_) && shape_.right_width > 0; }

  Result<void> add_right(const Batch& batch, std::size_t row, std::vector<Id>& ids) {
    if (!overflow_) {
      auto appended = side_->rows().append(batch, row);
      if (!appended && !can_overflow()) return appended;
      // The index is about as large as rows of one column.
      constexpr std::size_t kRowsPerLook = 64;
      const bool is_looked_at = row % kRowsPerLook == 0 && shape_.right_width > 0;
      const std::size_t bytes = side_->bytes();
      if (appended && !(is_looked_at && is_table_large(run_, bytes + bytes / 2, bytes))) return {};
      HELVE_TRY(set_aside());
      if (appended) return {};
    }
    ids.clear();
    for (const auto& column : batch.columns) ids.push_back(column[row]);
    return overflow_->add_right(ids);
  }

  Result<void> set_aside() {
    HELVE_ASSIGN(overflow_, JoinOverflow::make(shape_, schema().size(), run_));
    for (std::uint32_t row = 0; row < side_->rows().rows(); ++row) {
      HELVE_TRY(overflow_->add_right(side_->rows().row(row)));
    }
    side_ = std::make_unique<JoinSide>(shape_, run_);  // gives its memory back
    return {};
  }

  RunState& run_;
  OperatorPtr right_;
  const std::vector<BoundExpression> conditions_;
  bool is_right_seeded_;
  JoinShape shape_;
  std::unique_ptr<JoinSide> side_;
  std::optional<JoinOverflow> overflow_;
  bool is_built_ = false;
  bool is_left_at_end_ = false;
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
