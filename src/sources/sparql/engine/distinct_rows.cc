// DISTINCT: by hash, or by comparing neighbours where equal rows come together.
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "sources/sparql/engine/distinct_overflow.h"
#include "sources/sparql/engine/id_table.h"
#include "sources/sparql/engine/modifiers.h"
#include "sources/sparql/engine/row_selector.h"
#include "sources/sparql/engine/row_table.h"

namespace helve::sparql {

namespace {

constexpr std::string_view kName = "DISTINCT";

// Once the table of what was seen has no more room, rows that are not in it are set aside; they
// come last, as they were met later than all others.
class HashedDistinct : public RowSelector {
 public:
  void restart() override {
    RowSelector::restart();
    overflow_.reset();
    clear();
  }

 protected:
  HashedDistinct(OperatorPtr input, Schema schema, RunState& run)
      : RowSelector(std::move(input), std::move(schema), run), run_(run) {}

  // Appends the rows that are new to `fresh`; `taken` rows were looked at where memory ends.
  virtual Result<void> insert(const Batch& batch, std::vector<std::uint32_t>& fresh,
                              std::size_t& taken) = 0;
  virtual bool contains(std::span<const Id> row) const = 0;
  virtual std::size_t bytes() const = 0;
  virtual void clear() = 0;
  virtual void release() = 0;

  void select(const Batch& batch, Selection& selection) override {
    selection.rows.clear();
    std::size_t taken = 0;
    if (!overflow_) {
      auto inserted = insert(batch, selection.rows, taken);
      if (inserted && !is_table_large(run_, bytes(), bytes())) return;
      if (!inserted && (!can_spill(run_) || schema().size() == 0)) {
        selection.failure = std::move(inserted).error();
        return;
      }
      auto made = DistinctOverflow::make(schema().size(), run_, kName);
      if (!made) {
        selection.failure = std::move(made).error();
        return;
      }
      overflow_.emplace(*std::move(made));
      if (inserted) return;
    }
    auto done = set_aside(batch, taken);
    if (!done) selection.failure = std::move(done).error();
  }

  Result<bool> next_held(Batch& batch) override {
    batch.reset(schema().size());
    if (!overflow_) return false;
    release();
    return take_rows(*overflow_, rows_max(), batch);
  }

 private:
  Result<void> set_aside(const Batch& batch, std::size_t first) {
    for (std::size_t row = first; row < batch.rows; ++row) {
      ids_.clear();
      for (const auto& column : batch.columns) ids_.push_back(column[row]);
      if (!contains(ids_)) HELVE_TRY(overflow_->append(ids_));
    }
    return {};
  }

  RunState& run_;
  std::optional<DistinctOverflow> overflow_;
  std::vector<Id> ids_;
};

template <std::size_t kWidth>
class NarrowDistinct final : public HashedDistinct {
 public:
  NarrowDistinct(OperatorPtr input, Schema schema, RunState& run)
      : HashedDistinct(std::move(input), std::move(schema), run), seen_(run.memory(), kName) {}

 protected:
  Result<void> insert(const Batch& batch, std::vector<std::uint32_t>& fresh,
                      std::size_t& /*taken*/) override {
    typename IdTable<kWidth>::Columns columns;
    for (std::size_t i = 0; i < kWidth; ++i) columns[i] = batch.columns[i].data();
    return seen_.insert(columns, batch.rows, fresh);
  }
  bool contains(std::span<const Id> row) const override { return seen_.find(row).has_value(); }
  std::size_t bytes() const override { return seen_.bytes(); }
  void clear() override { seen_.clear(); }
  void release() override { seen_.release(); }

 private:
  IdTable<kWidth> seen_;
};

class WideDistinct final : public HashedDistinct {
 public:
  WideDistinct(OperatorPtr input, Schema schema, RunState& run)
      : HashedDistinct(std::move(input), std::move(schema), run),
        memory_(run.memory()),
        seen_(std::make_unique<RowSet>(this->schema().size(), memory_, kName)) {}

 protected:
  Result<void> insert(const Batch& batch, std::vector<std::uint32_t>& fresh,
                      std::size_t& taken) override {
    for (std::uint32_t row = 0; row < batch.rows; ++row) {
      ids_.clear();
      for (const auto& column : batch.columns) ids_.push_back(column[row]);
      HELVE_ASSIGN(const RowSet::Inserted inserted, seen_->insert(ids_));
      if (inserted.is_new) fresh.push_back(row);
      ++taken;
    }
    return {};
  }
  bool contains(std::span<const Id> row) const override { return seen_->contains(row); }
  std::size_t bytes() const override { return seen_->bytes(); }
  void clear() override { seen_->clear(); }
  void release() override { seen_ = std::make_unique<RowSet>(schema().size(), memory_, kName); }

 private:
  MemoryBudget& memory_;
  std::unique_ptr<RowSet> seen_;
  std::vector<Id> ids_;
};

// Equal rows stand together: remembers one.
class SortedDistinct final : public RowSelector {
 public:
  SortedDistinct(OperatorPtr input, Schema schema, const RunState& run)
      : RowSelector(std::move(input), std::move(schema), run) {}

  void restart() override {
    RowSelector::restart();
    has_last_ = false;
  }

 protected:
  void select(const Batch& batch, Selection& selection) override {
    is_new_.assign(batch.rows, 0);
    for (std::size_t i = 0; i < batch.columns.size(); ++i) {
      const std::vector<Id>& column = batch.columns[i];
      is_new_[0] |= static_cast<std::uint8_t>(!has_last_ || last_[i] != column[0]);
      for (std::size_t row = 1; row < batch.rows; ++row) {
        is_new_[row] |= static_cast<std::uint8_t>(column[row] != column[row - 1]);
      }
    }
    if (batch.columns.empty()) is_new_[0] = static_cast<std::uint8_t>(!has_last_);
    std::erase_if(selection.rows, [&](std::uint32_t row) { return is_new_[row] == 0; });
    last_.clear();
    for (const auto& column : batch.columns) last_.push_back(column[batch.rows - 1]);
    has_last_ = true;
  }

 private:
  std::vector<std::uint8_t> is_new_;
  std::vector<Id> last_;
  bool has_last_ = false;
};

}  // namespace

OperatorPtr make_distinct(OperatorPtr input, RunState& run, bool is_sorted) {
  Schema schema = input->schema();
  if (is_sorted) {
    return std::make_unique<SortedDistinct>(std::move(input), std::move(schema), run);
  }
  switch (schema.size()) {
    case 1:
      return std::make_unique<NarrowDistinct<1>>(std::move(input), std::move(schema), run);
    case 2:
      return std::make_unique<NarrowDistinct<2>>(std::move(input), std::move(schema), run);
    default:
      return std::make_unique<WideDistinct>(std::move(input), std::move(schema), run);
  }
}

}  // namespace helve::sparql
