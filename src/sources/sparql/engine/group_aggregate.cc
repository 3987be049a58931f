#include "sources/sparql/engine/group_aggregate.h"

#include <bit>
#include <optional>
#include <unordered_map>
#include <utility>

#include "sources/rdf/inline_value.h"
#include "sources/rdf/xsd_arithmetic.h"
#include "sources/sparql/engine/accumulator.h"
#include "sources/sparql/engine/charged_vector.h"
#include "sources/sparql/engine/distinct_aggregate.h"
#include "sources/sparql/engine/function_values.h"
#include "sources/sparql/engine/id_order.h"
#include "sources/sparql/engine/sort_key.h"

namespace helve::sparql {

namespace {

using rdf::Tag;
using rdf::XsdValue;

constexpr std::string_view kGroups = "GROUP BY";
// What an accumulator and its place in a container take (accumulator.cc).
constexpr std::size_t kBytesPerAccumulator = 224;

// What an aggregate is of: an expression over the rows, or one of their columns.
class Argument {
 public:
  explicit Argument(const BoundExpression& expression)
      : expression_(&expression), column_(expression.column()) {}
  explicit Argument(std::size_t column) : column_(column) {}

  std::optional<std::size_t> column() const { return column_; }
  Value value(const Batch& batch, std::size_t row, EvaluationContext& context) const {
    if (!column_) return expression_->value(batch, row, context);
    const Id id = batch.at(*column_, row);
    return id.is_defined() ? Value(id) : error_value();
  }

 private:
  const BoundExpression* expression_ = nullptr;
  std::optional<std::size_t> column_;
};

// COUNT(*) and COUNT of an expression.
class CountRows final : public GroupAggregate {
 public:
  CountRows(std::optional<Argument> argument, RunState& run)
      : argument_(argument), run_(run), counts_(run.memory(), kGroups) {}

  Result<void> add(const GroupedRows& rows) override {
    HELVE_TRY(counts_.grow_to(rows.group_count, 0));
    if (!argument_) {
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
  std::optional<Argument> argument_;
  RunState& run_;
  ChargedVector<std::int64_t> counts_;
};

// SUM and AVG of a column: integers, decimals and doubles of inlined ids in 64 bits, as long as
// they fit.
class SumColumn final : public GroupAggregate {
 public:
  SumColumn(const Aggregate& aggregate, std::size_t column, RunState& run)
      : aggregate_(aggregate),
        column_(column),
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
  ChosenId(AggregateKind kind, std::size_t column, RunState& run)
      : kind_(kind),
        column_(column),
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
  AnyAggregate(const Aggregate& aggregate, Argument argument, RunState& run)
      : aggregate_(aggregate), argument_(argument), run_(run), charge_(run.memory(), kGroups) {}

  Result<void> add(const GroupedRows& rows) override {
    if (accumulators_.size() < rows.group_count) {
      HELVE_TRY(charge_.resize(rows.group_count * kBytesPerAccumulator));
      while (accumulators_.size() < rows.group_count) {
        accumulators_.emplace_back(aggregate_, run_.expressions);
      }
    }
    for (std::size_t i = 0; i < rows.groups.size(); ++i) {
      const Value value = argument_.value(rows.batch, rows.first + i, run_.expressions);
      HELVE_TRY(accumulators_[rows.groups[i]].add(value, run_.expressions));
      if (run_.expressions.failure()) return {};
    }
    return {};
  }
  Value finish(std::uint32_t group) override {
    return accumulators_[group].finish(run_.expressions);
  }
  void keep_last() override {
    if (accumulators_.size() < 2) return;
    accumulators_.erase(accumulators_.begin(), accumulators_.end() - 1);
    static_cast<void>(charge_.resize(kBytesPerAccumulator));  // less
  }
  void clear() override {
    accumulators_.clear();
    static_cast<void>(charge_.resize(0));
  }
  std::size_t bytes() const override { return charge_.bytes(); }

 private:
  const Aggregate& aggregate_;
  Argument argument_;
  RunState& run_;
  MemoryCharge charge_;
  std::vector<Accumulator> accumulators_;
};

// As if it had no DISTINCT.
std::unique_ptr<GroupAggregate> make_plain(const Aggregate& aggregate,
                                           std::optional<Argument> argument, RunState& run) {
  if (aggregate.kind == AggregateKind::Count) return std::make_unique<CountRows>(argument, run);
  const auto column = argument->column();
  if (!column || aggregate.kind == AggregateKind::GroupConcat) {
    return std::make_unique<AnyAggregate>(aggregate, *argument, run);
  }
  if (aggregate.kind == AggregateKind::Sum || aggregate.kind == AggregateKind::Avg) {
    return std::make_unique<SumColumn>(aggregate, *column, run);
  }
  return std::make_unique<ChosenId>(aggregate.kind, *column, run);
}

}  // namespace

bool remembers_values(const Aggregate& aggregate) {
  return aggregate.is_distinct && aggregate.kind != AggregateKind::Min &&
         aggregate.kind != AggregateKind::Max && aggregate.kind != AggregateKind::Sample;
}

std::unique_ptr<GroupAggregate> make_group_aggregate(const AggregateColumn& column,
                                                     const GroupShape& shape, RunState& run) {
  const Aggregate& aggregate = column.aggregate;
  std::optional<Argument> argument;
  if (column.argument) argument.emplace(*column.argument);
  if (!remembers_values(aggregate)) return make_plain(aggregate, argument, run);
  if (argument) argument.emplace(0);  // the values alone
  return std::make_unique<DistinctAggregate>(column, shape, run,
                                             make_plain(aggregate, argument, run));
}

}  // namespace helve::sparql
