#include "sources/sparql/engine/group_aggregate.h"

#include <bit>
#include <unordered_map>
#include <utility>

#include "sources/rdf/inline_value.h"
#include "sources/rdf/xsd_arithmetic.h"
#include "sources/sparql/engine/accumulator.h"
#include "sources/sparql/engine/charged_vector.h"
#include "sources/sparql/engine/function_values.h"
#include "sources/sparql/engine/id_order.h"
#include "sources/sparql/engine/id_table.h"
#include "sources/sparql/engine/row_table.h"
#include "sources/sparql/engine/sort_key.h"

namespace helve::sparql {

namespace {

using rdf::Tag;
using rdf::XsdValue;

constexpr std::string_view kGroups = "GROUP BY";
constexpr std::string_view kAggregates = "aggregates";
// What an accumulator and its place in a container take (accumulator.cc).
constexpr std::size_t kBytesPerAccumulator = 224;

// COUNT(*) and COUNT of an expression.
class CountRows final : public GroupAggregate {
 public:
  CountRows(const AggregateColumn& column, RunState& run)
      : argument_(column.argument ? &*column.argument : nullptr),
        run_(run),
        counts_(run.memory(), kGroups) {}

  Result<void> add(const GroupedRows& rows) override {
    HELVE_TRY(counts_.grow_to(rows.group_count, 0));
    if (argument_ == nullptr) {
      for (const std::uint32_t group : rows.groups) ++counts_[group];
    } else if (const auto column = argument_->column()) {
      const auto ids = rows.column(*column);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        counts_[rows.groups[i]] += ids[i].is_defined() ? 1 : 0;
      }
    } else {
      for (std::size_t i = 0; i < rows.groups.size(); ++i) {
        const Value value = argument_->value(rows.batch, rows.first + i, run_.expressions);
        counts_[rows.groups[i]] += is_error(value) ? 0 : 1;
      }
    }
    return {};
  }
  Value finish(std::uint32_t group) override { return integer_value(counts_[group]); }
  void keep_last() override { counts_.keep_last(); }
  void clear() override { counts_.clear(); }
  std::size_t bytes() const override { return counts_.bytes(); }

 private:
  const BoundExpression* argument_;
  RunState& run_;
  ChargedVector<std::int64_t> counts_;
};

// COUNT(DISTINCT expression): one set of groups and ids.
class CountDistinct final : public GroupAggregate {
 public:
  CountDistinct(const AggregateColumn& column, bool is_single, RunState& run)
      : argument_(*column.argument),
        is_single_(is_single),
        run_(run),
        counts_(run.memory(), kGroups),
        ids_seen_(run.memory(), kAggregates),
        pairs_seen_(run.memory(), kAggregates) {}

  Result<void> add(const GroupedRows& rows) override {
    HELVE_TRY(counts_.grow_to(rows.group_count, 0));
    read(rows);
    is_whole_batch_ = rows.first == 0;
    fresh_.clear();
    if (is_single_) {
      HELVE_TRY(ids_seen_.insert({ids_.data()}, ids_.size(), fresh_));
      counts_[0] += static_cast<std::int64_t>(fresh_.size());
      return {};
    }
    HELVE_TRY(pairs_seen_.insert({groups_.data(), ids_.data()}, ids_.size(), fresh_));
    for (const std::uint32_t row : fresh_) ++counts_[groups_[row].bits() - first_group_];
    return {};
  }
  Value finish(std::uint32_t group) override { return integer_value(counts_[group]); }

  void keep_last() override {
    if (counts_.size() > 1) {
      first_group_ += counts_.size() - 1;
      forget_others();
    }
    counts_.keep_last();
  }
  void clear() override {
    counts_.clear();
    ids_seen_.clear();
    pairs_seen_.clear();
    first_group_ = 0;
  }
  std::size_t bytes() const override {
    return counts_.bytes() + ids_seen_.bytes() + pairs_seen_.bytes();
  }

 private:
  // The groups as ids: their numbers, which go on where others are forgotten.
  void read(const GroupedRows& rows) {
    ids_.clear();
    groups_.clear();
    const auto column = argument_.column();
    for (std::size_t i = 0; i < rows.groups.size(); ++i) {
      const std::size_t row = rows.first + i;
      const Id id =
          column ? rows.batch.at(*column, row)
                 : run_.expressions.to_id(argument_.value(rows.batch, row, run_.expressions));
      if (!id.is_defined()) continue;
      ids_.push_back(id);
      if (!is_single_) groups_.push_back(Id::from_bits(first_group_ + rows.groups[i]));
    }
  }

  // The last group has begun in the last batch: what else was seen is of no more use.
  void forget_others() {
    constexpr std::uint32_t kWorthForgetting = 16'384;
    if (!is_whole_batch_ || pairs_seen_.size() < kWorthForgetting) return;
    pairs_seen_.clear();
    const Id last = Id::from_bits(first_group_);
    std::size_t first = 0;
    while (first < groups_.size() && groups_[first] != last) ++first;
    fresh_.clear();
    // Another query may have taken the room meanwhile.
    const auto kept = pairs_seen_.insert({groups_.data() + first, ids_.data() + first},
                                         ids_.size() - first, fresh_);
    if (!kept) run_.expressions.fail(kept.error());
  }

  const BoundExpression& argument_;
  bool is_single_;
  RunState& run_;
  ChargedVector<std::int64_t> counts_;
  IdTable<1> ids_seen_;    // of a single group
  IdTable<2> pairs_seen_;  // group and id
  std::uint64_t first_group_ = 0;
  bool is_whole_batch_ = false;
  // Of a batch.
  std::vector<Id> ids_;
  std::vector<Id> groups_;
  std::vector<std::uint32_t> fresh_;
};

// SUM and AVG of a column: integers, decimals and doubles of inlined ids in 64 bits, as long as
// they fit.
class SumColumn final : public GroupAggregate {
 public:
  SumColumn(const AggregateColumn& column, RunState& run)
      : aggregate_(column.aggregate),
        column_(*column.argument->column()),
        run_(run),
        charge_(run.memory(), kGroups),
        sums_(run.memory(), kGroups) {}

  Result<void> add(const GroupedRows& rows) override {
    HELVE_TRY(sums_.grow_to(rows.group_count, {}));
    const auto ids = rows.column(column_);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      Sum& sum = sums_[rows.groups[i]];
      if (add_inlined(sum, ids[i])) {
        ++sum.rows;
      } else if (sum.kind != Kind::Error) {
        HELVE_TRY(add_other(rows.groups[i], ids[i]));
      }
    }
    return {};
  }

  Value finish(std::uint32_t group) override {
    const Sum& sum = sums_[group];
    if (sum.kind == Kind::Error) return error_value();
    if (sum.kind == Kind::Other) return others_.at(group).finish(run_.expressions);
    if (aggregate_.kind == AggregateKind::Sum || sum.rows == 0) return value_of(sum);
    return xsd_value(
        rdf::divide_values(value_of(sum), XsdValue::integer(sum.rows), run_.expressions.xsd()));
  }

  void keep_last() override {
    const auto last = static_cast<std::uint32_t>(sums_.size() - 1);
    auto other = others_.extract(last);
    others_.clear();
    if (other) {
      other.key() = 0;
      others_.insert(std::move(other));
    }
    static_cast<void>(charge_.resize(others_.size() * kBytesPerAccumulator));  // less
    sums_.keep_last();
  }
  void clear() override {
    sums_.clear();
    others_.clear();
    static_cast<void>(charge_.resize(0));
  }
  std::size_t bytes() const override { return sums_.bytes() + charge_.bytes(); }

 private:
  // The type of a sum is the widest that was met. Other: an accumulator has it.
  enum class Kind : std::uint8_t { Integer, Decimal, Double, Other, Error };
  struct Sum {
    std::int64_t number = 0;  // of a decimal its digits, of a double its bits
    std::int64_t rows = 0;
    Kind kind = Kind::Integer;

    double real() const { return std::bit_cast<double>(number); }
    void set_real(double value) { number = std::bit_cast<std::int64_t>(value); }
  };

  static XsdValue value_of(const Sum& sum) {
    if (sum.kind == Kind::Integer) return XsdValue::integer(sum.number);
    if (sum.kind == Kind::Double) return XsdValue::real(sum.real());
    return XsdValue::decimal(rdf::Decimal::scaled(rdf::Integer(sum.number),
                                                  static_cast<std::size_t>(rdf::kDecimalScale)));
  }

  // False, and nothing is changed, for what does not fit.
  static bool add_inlined(Sum& sum, Id id) {
    if (id.tag() == Tag::Integer) {
      if (sum.kind == Kind::Integer) return add_number(sum, rdf::inlined_number(id));
      if (sum.kind == Kind::Double) {
        sum.set_real(sum.real() + static_cast<double>(rdf::inlined_number(id)));
        return true;
      }
      std::int64_t scaled = 0;
      if (sum.kind != Kind::Decimal || !scale(rdf::inlined_number(id), scaled)) return false;
      return add_number(sum, scaled);
    }
    if (id.tag() == Tag::Decimal) {
      if (sum.kind == Kind::Decimal) return add_number(sum, rdf::inlined_number(id));
      std::int64_t scaled = 0;
      if (sum.kind != Kind::Integer || !scale(sum.number, scaled)) return false;
      if (__builtin_add_overflow(scaled, rdf::inlined_number(id), &scaled)) return false;
      sum.number = scaled;
      sum.kind = Kind::Decimal;
      return true;
    }
    if (id.tag() != Tag::Double || (sum.kind != Kind::Integer && sum.kind != Kind::Double)) {
      return false;
    }
    const double before = sum.kind == Kind::Double ? sum.real() : static_cast<double>(sum.number);
    sum.set_real(before + rdf::as_double(rdf::inlined_value(id)));
    sum.kind = Kind::Double;
    return true;
  }

  static bool add_number(Sum& sum, std::int64_t number) {
    return !__builtin_add_overflow(sum.number, number, &sum.number) || undo(sum, number);
  }
  // The sum has wrapped around.
  static bool undo(Sum& sum, std::int64_t number) {
    sum.number = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum.number) -
                                           static_cast<std::uint64_t>(number));
    return false;
  }
  static bool scale(std::int64_t whole, std::int64_t& scaled) {
    constexpr std::int64_t kUnit = 100'000'000;  // 10^kDecimalScale
    static_assert(rdf::kDecimalScale == 8);
    return !__builtin_mul_overflow(whole, kUnit, &scaled);
  }

  Result<void> add_other(std::uint32_t group, Id id) {
    Sum& sum = sums_[group];
    if (!id.is_defined()) {
      sum.kind = Kind::Error;
      return {};
    }
    if (sum.kind != Kind::Other) {
      HELVE_TRY(charge_.add(kBytesPerAccumulator));
      Accumulator accumulator(aggregate_, run_.expressions);
      accumulator.start_from(value_of(sum), sum.rows);
      others_.emplace(group, std::move(accumulator));
      sum.kind = Kind::Other;
    }
    return others_.at(group).add(id, run_.expressions);
  }

  const Aggregate& aggregate_;
  std::size_t column_;
  RunState& run_;
  MemoryCharge charge_;
  ChargedVector<Sum> sums_;
  std::unordered_map<std::uint32_t, Accumulator> others_;  // by group
};

// MIN, MAX and SAMPLE of a column: an id for each group.
class ChosenId final : public GroupAggregate {
 public:
  ChosenId(const AggregateColumn& column, RunState& run)
      : kind_(column.aggregate.kind),
        column_(*column.argument->column()),
        run_(run),
        order_(run.data()),
        chosen_(run.memory(), kGroups) {}

  Result<void> add(const GroupedRows& rows) override {
    HELVE_TRY(chosen_.grow_to(rows.group_count, Id()));
    const auto ids = rows.column(column_);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      Id& chosen = chosen_[rows.groups[i]];
      if (kind_ == AggregateKind::Sample) {
        if (!chosen.is_defined()) chosen = ids[i];
      } else if (chosen != kError) {
        choose(chosen, ids[i]);
      }
    }
    return {};
  }
  Value finish(std::uint32_t group) override {
    const Id chosen = chosen_[group];
    return chosen.is_defined() && chosen != kError ? Value(chosen) : error_value();
  }
  void keep_last() override { chosen_.keep_last(); }
  void clear() override { chosen_.clear(); }
  std::size_t bytes() const override { return chosen_.bytes(); }

 private:
  static constexpr Id kError = Id::from_bits(UINT64_MAX);

  void choose(Id& chosen, Id id) {
    if (!id.is_defined()) {
      chosen = kError;
    } else if (!chosen.is_defined() || is_better(id, chosen)) {
      chosen = id;
    }
  }

  bool is_better(Id id, Id chosen) {
    const bool is_maximum = kind_ == AggregateKind::Max;
    // Of equal ones, such as the same instant in several time zones, the first stays.
    if (const auto order = order_.compare(id, chosen)) {
      return is_maximum ? std::is_gt(*order) : std::is_lt(*order);
    }
    const SortKey key = SortKey::of(id, run_.expressions);
    const SortKey best = SortKey::of(chosen, run_.expressions);
    run_.expressions.spend(key.memory_bytes() + best.memory_bytes());
    const auto order = key.compare(best);
    return is_maximum ? std::is_gt(order) : std::is_lt(order);
  }

  AggregateKind kind_;
  std::size_t column_;
  RunState& run_;
  IdOrder order_;
  ChargedVector<Id> chosen_;
};

// Everything else.
class AnyAggregate final : public GroupAggregate {
 public:
  AnyAggregate(const AggregateColumn& column, std::size_t width, RunState& run)
      : column_(column),
        run_(run),
        charge_(run.memory(), kGroups),
        star_rows_(width + 1, run.memory(), "COUNT(DISTINCT *)") {}

  Result<void> add(const GroupedRows& rows) override {
    if (accumulators_.size() < rows.group_count) {
      HELVE_TRY(charge_.resize(rows.group_count * kBytesPerAccumulator));
      while (accumulators_.size() < rows.group_count) {
        accumulators_.emplace_back(column_.aggregate, run_.expressions);
      }
    }
    for (std::size_t i = 0; i < rows.groups.size(); ++i) {
      HELVE_TRY(add_row(rows.batch, rows.first + i, rows.groups[i]));
      if (run_.expressions.failure()) return {};
    }
    return {};
  }
  Value finish(std::uint32_t group) override {
    return accumulators_[group].finish(run_.expressions);
  }
  void keep_last() override {
    if (accumulators_.size() < 2) return;
    first_group_ += accumulators_.size() - 1;
    accumulators_.erase(accumulators_.begin(), accumulators_.end() - 1);
    static_cast<void>(charge_.resize(kBytesPerAccumulator));  // less
  }
  void clear() override {
    accumulators_.clear();
    star_rows_.clear();
    first_group_ = 0;
    static_cast<void>(charge_.resize(0));
  }
  std::size_t bytes() const override { return charge_.bytes() + star_rows_.bytes(); }

 private:
  Result<void> add_row(const Batch& batch, std::size_t row, std::uint32_t group) {
    Accumulator& accumulator = accumulators_[group];
    if (column_.argument) {
      return accumulator.add(column_.argument->value(batch, row, run_.expressions),
                             run_.expressions);
    }
    // COUNT(DISTINCT *)
    row_.clear();
    for (const auto& column : batch.columns) row_.push_back(column[row]);
    row_.push_back(Id::from_bits(first_group_ + group));
    HELVE_ASSIGN(const RowSet::Inserted inserted, star_rows_.insert(row_));
    if (!inserted.is_new) return {};
    return accumulator.add(XsdValue::boolean(true), run_.expressions);
  }

  const AggregateColumn& column_;
  RunState& run_;
  MemoryCharge charge_;
  std::vector<Accumulator> accumulators_;
  RowSet star_rows_;  // the row and its group
  std::uint64_t first_group_ = 0;
  std::vector<Id> row_;
};

}  // namespace

std::unique_ptr<GroupAggregate> make_group_aggregate(const AggregateColumn& column,
                                                     std::size_t width, bool is_single,
                                                     RunState& run) {
  const Aggregate& aggregate = column.aggregate;
  const bool is_of_column = column.argument && column.argument->column();
  if (aggregate.kind == AggregateKind::Count && !aggregate.is_distinct) {
    return std::make_unique<CountRows>(column, run);
  }
  if (aggregate.kind == AggregateKind::Count && column.argument) {
    return std::make_unique<CountDistinct>(column, is_single, run);
  }
  const bool adds = aggregate.kind == AggregateKind::Sum || aggregate.kind == AggregateKind::Avg;
  if (!is_of_column || aggregate.kind == AggregateKind::GroupConcat ||
      (adds && aggregate.is_distinct)) {
    return std::make_unique<AnyAggregate>(column, width, run);
  }
  if (adds) return std::make_unique<SumColumn>(column, run);
  return std::make_unique<ChosenId>(column, run);
}

}  // namespace helve::sparql
