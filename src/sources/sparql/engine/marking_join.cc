#include "sources/sparql/engine/marking_join.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sources/sparql/engine/batch_operator.h"

namespace helve::sparql {

namespace {

// What all of them do with the left side: a batch becomes the seed of the right one.
class MarkingJoin : public BatchOperator {
 public:
  void restart() override {
    BatchOperator::restart();
    left_->restart();
    is_open_ = false;
  }

 protected:
  MarkingJoin(OperatorPtr left, std::unique_ptr<Seed> seed, OperatorPtr right, Schema schema,
              const BatchJoinOptions& options, RunState& run)
      : BatchOperator(std::move(schema), run),
        run_(run),
        kind_(options.kind),
        seed_(std::move(seed)),
        left_(std::move(left)),
        right_(std::move(right)),
        row_column_(*right_->schema().find(options.row_column)) {}

  // False at the end of the left side.
  Result<bool> open() {
    HELVE_ASSIGN(const bool has_rows, left_->next(batch_));
    if (!has_rows) return false;
    HELVE_TRY(pace(batch_.rows));
    marks_.assign(batch_.rows, 0);
    unmarked_ = batch_.rows;
    seed_->set_numbered(batch_);
    right_->restart();
    is_open_ = true;
    return true;
  }

  // The next rows of the right, with the numbers of those of the left; false at its end.
  Result<bool> next_right() {
    HELVE_ASSIGN(const bool has_rows, right_->next(found_));
    if (!has_rows) return false;
    HELVE_TRY(pace(found_.rows));
    numbers_.resize(found_.rows);
    for (std::size_t i = 0; i < found_.rows; ++i) {
      const auto row = static_cast<std::uint32_t>(found_.columns[row_column_][i].payload());
      numbers_[i] = row;
      unmarked_ -= marks_[row] == 0 ? 1 : 0;
      marks_[row] = 1;
    }
    return true;
  }

  // Rows of the left with this mark.
  std::vector<std::uint32_t> rows_with(std::uint8_t mark) const {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < marks_.size(); ++row) {
      if (marks_[row] == mark) rows.push_back(row);
    }
    return rows;
  }

  RunState& run_;
  BatchJoinKind kind_;
  std::unique_ptr<Seed> seed_;
  OperatorPtr left_;
  OperatorPtr right_;
  std::size_t row_column_;
  Batch batch_;  // of the left
  Batch found_;  // of the right
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint8_t> marks_;
  std::size_t unmarked_ = 0;
  bool is_open_ = false;
};

// Inner and Optional.
class ExtendingJoin final : public MarkingJoin {
 public:
  ExtendingJoin(OperatorPtr left, std::unique_ptr<Seed> seed, OperatorPtr right, Schema schema,
                const BatchJoinOptions& options, RunState& run)
      : MarkingJoin(std::move(left), std::move(seed), std::move(right), std::move(schema), options,
                    run) {
    for (const std::string& name : this->schema().names()) {
      columns_.push_back({left_->schema().find(name), right_->schema().find(name)});
    }
  }

 protected:
  Result<bool> fill(Batch& out) override {
    while (!is_full(out)) {
      if (!is_open_) {
        HELVE_ASSIGN(const bool has_rows, open());
        if (!has_rows) return true;
      }
      HELVE_ASSIGN(const bool has_matches, next_right());
      if (has_matches) {
        append_matches(out);
      } else {
        if (kind_ == BatchJoinKind::Optional && unmarked_ > 0) append_others(out);
        is_open_ = false;
      }
    }
    return false;
  }

 private:
  struct Source {
    std::optional<std::size_t> left;
    std::optional<std::size_t> right;
  };

  void append_matches(Batch& out) {
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      auto& to = out.columns[column];
      if (columns_[column].right) {
        const auto& from = found_.columns[*columns_[column].right];
        to.insert(to.end(), from.begin(), from.end());
      } else {
        gather(batch_.columns[*columns_[column].left], numbers_, to);
      }
    }
    out.rows += found_.rows;
  }

  void append_others(Batch& out) {
    const std::vector<std::uint32_t> rows = rows_with(0);
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      auto& to = out.columns[column];
      if (columns_[column].left) {
        gather(batch_.columns[*columns_[column].left], rows, to);
      } else {
        to.resize(out.rows + rows.size());
      }
    }
    out.rows += rows.size();
  }

  std::vector<Source> columns_;
};

// Semi and Anti.
class ExistsJoin final : public MarkingJoin {
 public:
  ExistsJoin(OperatorPtr left, std::unique_ptr<Seed> seed, OperatorPtr right, Schema schema,
             const BatchJoinOptions& options, RunState& run)
      : MarkingJoin(std::move(left), std::move(seed), std::move(right), std::move(schema), options,
                    run) {
    for (const std::string& name : this->schema().names()) {
      columns_.push_back(*left_->schema().find(name));
    }
  }

 protected:
  Result<bool> fill(Batch& out) override {
    while (!is_full(out)) {
      HELVE_ASSIGN(const bool has_rows, open());
      if (!has_rows) return true;
      // The solutions inside have blank nodes of their own.
      auto labels = std::exchange(run_.expressions.labelled_blanks(), {});
      const Result<void> marked = mark();
      run_.expressions.labelled_blanks() = std::move(labels);
      HELVE_TRY(marked);
      const std::vector<std::uint32_t> rows = rows_with(kind_ == BatchJoinKind::Anti ? 0 : 1);
      for (std::size_t column = 0; column < columns_.size(); ++column) {
        gather(batch_.columns[columns_[column]], rows, out.columns[column]);
      }
      out.rows += rows.size();
    }
    return false;
  }

 private:
  Result<void> mark() {
    while (unmarked_ > 0) {
      HELVE_ASSIGN(const bool has_more, next_right());
      if (!has_more) break;
    }
    return {};
  }

  std::vector<std::size_t> columns_;
};

}  // namespace

OperatorPtr make_batch_join(OperatorPtr left, std::unique_ptr<Seed> seed, OperatorPtr right,
                            const BatchJoinOptions& options, RunState& run) {
  if (options.kind == BatchJoinKind::Semi || options.kind == BatchJoinKind::Anti) {
    Schema schema = kept_schema(left->schema(), options.kept);
    return std::make_unique<ExistsJoin>(std::move(left), std::move(seed), std::move(right),
                                        std::move(schema), options, run);
  }
  Schema schema = left->schema();
  for (const std::string& name : right->schema().names()) {
    if (name != options.row_column) schema.add(name);
  }
  schema = kept_schema(schema, options.kept);
  return std::make_unique<ExtendingJoin>(std::move(left), std::move(seed), std::move(right),
                                         std::move(schema), options, run);
}

}  // namespace helve::sparql
