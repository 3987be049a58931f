#include "sources/sparql/engine/row_operators.h"

#include <algorithm>
#include <utility>

namespace helve::sparql {

namespace {

class SeedRows final : public Operator {
 public:
  explicit SeedRows(const Seed& seed) : Operator(seed.schema), seed_(seed) {}

  Result<bool> next(Batch& batch) override {
    batch.reset(schema().size());
    if (is_given_) return false;
    is_given_ = true;
    if (schema().size() == 0) {
      batch.rows = 1;
    } else {
      batch = seed_.rows;
    }
    return batch.rows > 0;
  }
  void restart() override { is_given_ = false; }

 private:
  const Seed& seed_;
  bool is_given_ = false;
};

class Rows final : public Operator {
 public:
  Rows(Schema schema, std::vector<std::vector<Id>> rows)
      : Operator(std::move(schema)), rows_(std::move(rows)) {}

  Result<bool> next(Batch& batch) override {
    batch.reset(schema().size());
    for (; at_ < rows_.size() && batch.rows < rows_max(); ++at_, ++batch.rows) {
      for (std::size_t column = 0; column < batch.columns.size(); ++column) {
        batch.columns[column].push_back(rows_[at_][column]);
      }
    }
    return batch.rows > 0;
  }
  void restart() override { at_ = 0; }

 private:
  std::vector<std::vector<Id>> rows_;
  std::size_t at_ = 0;
};

class ExtendRows final : public RowExpander {
 public:
  ExtendRows(OperatorPtr input, Schema schema, std::vector<ComputedColumn> computed, RunState& run)
      : RowExpander(std::move(input), std::move(schema), run),
        computed_(std::move(computed)),
        run_(run) {
    for (const ComputedColumn& column : computed_) {
      columns_.push_back(*this->schema().find(column.name));
    }
  }

 protected:
  Result<void> begin_row() override { return {}; }
  Result<bool> produce(Batch& out) override {
    HELVE_TRY(pace(1));
    run_.expressions.begin_solution();
    append_input(out);
    for (std::size_t i = 0; i < computed_.size(); ++i) {
      HELVE_ASSIGN(const bool is_kept, compute(i, out));
      if (is_kept) continue;
      out.drop_last();
      return true;
    }
    return true;
  }

 private:
  // Into the last row, whose columns before this one are those that the expression knows.
  Result<bool> compute(std::size_t i, Batch& out) {
    const Value value = computed_[i].expression.value(out, out.rows - 1, run_.expressions);
    const Id id = run_.expressions.to_id(value);
    if (run_.expressions.failure()) {
      out.drop_last();
      return *run_.expressions.failure();
    }
    Id& cell = out.columns[columns_[i]].back();
    if (cell.is_defined() && id.is_defined() && cell != id) return false;
    if (id.is_defined()) cell = id;
    return true;
  }

  std::vector<ComputedColumn> computed_;
  std::vector<std::size_t> columns_;
  RunState& run_;
};

// Columns of a source put where a target wants them, each of them once.
class ColumnMap {
 public:
  ColumnMap(const Schema& from, const Schema& to) {
    for (const std::string& name : to.names()) source_.push_back(from.find(name));
  }
  // Leaves the columns of `from` in an unknown state.
  void move(Batch& from, Batch& to) const {
    to.reset(source_.size());
    to.rows = from.rows;
    for (std::size_t column = 0; column < source_.size(); ++column) {
      if (source_[column]) {
        std::swap(to.columns[column], from.columns[*source_[column]]);
      } else {
        to.columns[column].assign(from.rows, Id());
      }
    }
  }

 private:
  std::vector<std::optional<std::size_t>> source_;
};

Schema united_schema(const std::vector<OperatorPtr>& parts) {
  Schema schema;
  for (const OperatorPtr& part : parts) schema = joined_schema(schema, part->schema());
  return schema;
}

class UnionRows final : public Operator {
 public:
  explicit UnionRows(std::vector<OperatorPtr> parts)
      : Operator(united_schema(parts)), parts_(std::move(parts)) {
    for (const OperatorPtr& part : parts_) maps_.emplace_back(part->schema(), schema());
  }

  Result<bool> next(Batch& batch) override {
    for (; at_ < parts_.size(); ++at_) {
      HELVE_ASSIGN(const bool has_rows, parts_[at_]->next(found_));
      if (!has_rows) continue;
      maps_[at_].move(found_, batch);
      return true;
    }
    batch.reset(schema().size());
    return false;
  }
  void restart() override {
    for (const OperatorPtr& part : parts_) part->restart();
    at_ = 0;
  }

 private:
  std::vector<OperatorPtr> parts_;
  std::vector<ColumnMap> maps_;
  Batch found_;
  std::size_t at_ = 0;
};

class Projection final : public Operator {
 public:
  Projection(OperatorPtr input, std::vector<std::string> names)
      : Operator(Schema(std::move(names))),
        input_(std::move(input)),
        map_(input_->schema(), schema()) {}

  Result<bool> next(Batch& batch) override {
    HELVE_ASSIGN(const bool has_rows, input_->next(found_));
    map_.move(found_, batch);
    return has_rows;
  }
  void restart() override { input_->restart(); }

 private:
  OperatorPtr input_;
  ColumnMap map_;
  Batch found_;
};

// https://www.w3.org/TR/sparql11-query/#defn_evalGraph: the graph's name is joined with what the
// inner pattern gives.
class GraphLoop final : public Operator {
 public:
  GraphLoop(OperatorPtr inner, Schema schema, std::size_t column, std::vector<Id> graphs,
            GraphScope& scope, const RunState& run)
      : Operator(std::move(schema)),
        inner_(std::move(inner)),
        column_(column),
        graphs_(std::move(graphs)),
        scope_(scope),
        pace_(run.op) {}

  Result<bool> next(Batch& batch) override {
    while (true) {
      if (is_running_) {
        HELVE_ASSIGN(const bool has_rows, inner_->next(found_));
        if (has_rows) {
          copy_compatible(batch);
          if (batch.rows > 0) return true;
          continue;
        }
        is_running_ = false;
        ++at_;
      }
      if (at_ == graphs_.size()) {
        batch.reset(schema().size());
        return false;
      }
      HELVE_TRY(pace_.add(0, 1));
      scope_.graph = graphs_[at_];
      inner_->restart();
      is_running_ = true;
    }
  }
  void restart() override {
    at_ = 0;
    is_running_ = false;
  }

 private:
  void copy_compatible(Batch& batch) const {
    batch.reset(schema().size());
    const Id graph = graphs_[at_];
    const bool has_column = column_ < found_.columns.size();
    for (std::size_t row = 0; row < found_.rows; ++row) {
      const Id before = has_column ? found_.at(column_, row) : Id();
      if (before.is_defined() && before != graph) continue;
      for (std::size_t column = 0; column < found_.columns.size(); ++column) {
        if (column != column_) batch.columns[column].push_back(found_.at(column, row));
      }
      batch.columns[column_].push_back(graph);
      ++batch.rows;
    }
  }

  OperatorPtr inner_;
  std::size_t column_;
  std::vector<Id> graphs_;
  GraphScope& scope_;
  PacedCheck pace_;
  Batch found_;
  std::size_t at_ = 0;
  bool is_running_ = false;
};

class Slice final : public Operator {
 public:
  Slice(OperatorPtr input, std::uint64_t offset, std::optional<std::uint64_t> limit)
      : Operator(input->schema()), input_(std::move(input)), offset_(offset), limit_(limit) {}

  Result<bool> next(Batch& batch) override {
    batch.reset(schema().size());
    while (!limit_ || given_ < *limit_) {
      HELVE_ASSIGN(const bool has_rows, input_->next(batch));
      if (!has_rows) return false;
      const std::uint64_t dropped = std::min<std::uint64_t>(offset_ - skipped_, batch.rows);
      skipped_ += dropped;
      const std::uint64_t left = batch.rows - dropped;
      const std::uint64_t wanted = limit_ ? std::min(left, *limit_ - given_) : left;
      if (wanted == 0) continue;
      given_ += wanted;
      cut(batch, dropped, wanted);
      return true;
    }
    return false;
  }
  void restart() override {
    input_->restart();
    skipped_ = 0;
    given_ = 0;
  }

 private:
  static void cut(Batch& batch, std::uint64_t first, std::uint64_t count) {
    for (auto& column : batch.columns) {
      const auto begin = column.begin() + static_cast<std::ptrdiff_t>(first);
      column.erase(begin + static_cast<std::ptrdiff_t>(count), column.end());
      column.erase(column.begin(), begin);
    }
    batch.rows = count;
  }

  OperatorPtr input_;
  std::uint64_t offset_;
  std::optional<std::uint64_t> limit_;
  std::uint64_t skipped_ = 0;
  std::uint64_t given_ = 0;
};

}  // namespace

OperatorPtr make_seed(const Seed& seed) { return std::make_unique<SeedRows>(seed); }

OperatorPtr make_rows(Schema schema, std::vector<std::vector<Id>> rows) {
  return std::make_unique<Rows>(std::move(schema), std::move(rows));
}

OperatorPtr make_extend(OperatorPtr input, std::vector<ComputedColumn> computed, RunState& run) {
  Schema schema = input->schema();
  for (const ComputedColumn& column : computed) schema.add(column.name);
  return std::make_unique<ExtendRows>(std::move(input), std::move(schema), std::move(computed),
                                      run);
}

OperatorPtr make_union(std::vector<OperatorPtr> parts) {
  return std::make_unique<UnionRows>(std::move(parts));
}

OperatorPtr make_graph_loop(OperatorPtr inner, const std::string& variable, std::vector<Id> graphs,
                            GraphScope& scope, const RunState& run) {
  Schema schema = inner->schema();
  const std::size_t column = schema.add(variable);
  return std::make_unique<GraphLoop>(std::move(inner), std::move(schema), column, std::move(graphs),
                                     scope, run);
}

OperatorPtr make_projection(OperatorPtr input, std::vector<std::string> names) {
  return std::make_unique<Projection>(std::move(input), std::move(names));
}

OperatorPtr make_slice(OperatorPtr input, std::uint64_t offset,
                       std::optional<std::uint64_t> limit) {
  return std::make_unique<Slice>(std::move(input), offset, limit);
}

}  // namespace helve::sparql
