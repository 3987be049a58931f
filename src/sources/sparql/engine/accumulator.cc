#include "sources/sparql/engine/accumulator.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/text.h"
#include "sources/rdf/xsd_arithmetic.h"
#include "sources/sparql/engine/function_values.h"
#include "sources/sparql/engine/sort_key.h"

namespace helve::sparql {

namespace {

using rdf::XsdValue;

struct Counting {
  std::int64_t rows = 0;
};

// SUM and AVG.
struct Adding {
  bool is_average = false;
  XsdValue sum = XsdValue::integer(0);
  std::int64_t rows = 0;
};

// MIN and MAX. There may be a million groups: what is large is apart.
struct Choosing {
  struct Best {
    SortKey key;
    Value value;
    std::size_t bytes = 0;
  };
  bool is_maximum = false;
  std::unique_ptr<Best> best;
};

struct Sampling {
  std::unique_ptr<Value> first;
};

struct Joining {
  std::string_view separator;  // the aggregate's
  std::string text;
  bool is_empty = true;
};

std::size_t text_bytes(const Value& value) {
  if (const auto* term = std::get_if<rdf::Term>(&value)) {
    return term->value.size() + term->datatype.size() + term->language.size();
  }
  const auto* computed = std::get_if<XsdValue>(&value);
  const auto* text = computed != nullptr ? std::get_if<std::string>(&computed->data) : nullptr;
  return text != nullptr ? text->size() : 0;
}

}  // namespace

struct Accumulator::State {
  State(const Aggregate& aggregate, EvaluationContext& context)
      : charge(*context.op().memory, "aggregates"), is_star(aggregate.argument.empty()) {
    switch (aggregate.kind) {
      case AggregateKind::Count:
        break;
      case AggregateKind::Sum:
        kind = Adding{};
        break;
      case AggregateKind::Avg:
        kind = Adding{true};
        break;
      case AggregateKind::Min:
        kind = Choosing{};
        break;
      case AggregateKind::Max:
        kind = Choosing{true, nullptr};
        break;
      case AggregateKind::Sample:
        kind = Sampling{};
        break;
      case AggregateKind::GroupConcat:
        kind =
            Joining{aggregate.separator ? std::string_view(*aggregate.separator) : " ", {}, true};
        break;
    }
  }

  MemoryCharge charge;
  bool is_star;
  bool has_error = false;
  std::variant<Counting, Adding, Choosing, Sampling, Joining> kind;

  Result<void> add(Counting& counting, const Value& /*value*/, EvaluationContext& /*context*/) {
    ++counting.rows;
    return {};
  }

  Result<void> add(Adding& adding, const Value& value, EvaluationContext& context) {
    const auto number = context.to_xsd(value);
    auto sum = number && rdf::is_numeric_type(number->type)
                   ? rdf::add_values(adding.sum, *number, context.xsd())
                   : std::nullopt;
    has_error = !sum;
    if (has_error) return {};
    adding.sum = *std::move(sum);
    ++adding.rows;
    return {};
  }

  Result<void> add(Choosing& choosing, const Value& value, EvaluationContext& context) {
    SortKey key = SortKey::of(value, context);
    const std::size_t bytes_before = choosing.best ? choosing.best->bytes : 0;
    if (choosing.best) {
      const auto order = key.compare(choosing.best->key);
      const bool is_better = choosing.is_maximum ? std::is_gt(order) : std::is_lt(order);
      if (!is_better) return {};
    } else {
      choosing.best = std::make_unique<Choosing::Best>();
    }
    // The value is about as large as its key.
    const std::size_t bytes = sizeof(Choosing::Best) + 2 * key.memory_bytes();
    HELVE_TRY(charge.resize(charge.bytes() - bytes_before + bytes));
    *choosing.best = {std::move(key), value, bytes};
    return {};
  }

  Result<void> add(Sampling& sampling, const Value& value, EvaluationContext& /*context*/) {
    if (sampling.first) return {};
    HELVE_TRY(charge.add(sizeof(Value) + text_bytes(value)));
    sampling.first = std::make_unique<Value>(value);
    return {};
  }

  // As CONCAT of STR(value): https://www.w3.org/TR/sparql11-query/#defn_aggGroupConcat
  Result<void> add(Joining& joining, const Value& value, EvaluationContext& context) {
    std::string scratch;
    const auto term = context.to_term(value, scratch);
    if (!term || term->is_blank()) {
      has_error = true;
      return {};
    }
    const std::size_t added =
        term->value.size() + (joining.is_empty ? 0 : joining.separator.size());
    const std::size_t bytes_max = context.op().limits.literal_bytes_max;
    if (added > bytes_max - joining.text.size()) {
      return Error(ErrorCode::LimitExceeded,
                   fmt::format("GROUP_CONCAT makes a text longer than the limit of {}",
                               format_bytes(bytes_max)),
                   "group by more variables, or select the values as rows");
    }
    // Growing doubles a string.
    HELVE_TRY(charge.add(2 * added));
    if (!joining.is_empty) joining.text += joining.separator;
    joining.text += term->value;
    joining.is_empty = false;
    return {};
  }

  Value finish(Adding& adding, EvaluationContext& context) {
    if (!adding.is_average || adding.rows == 0) return adding.sum;
    return xsd_value(rdf::divide_values(adding.sum, XsdValue::integer(adding.rows), context.xsd()));
  }
};

// What callers count for each accumulator; the rest is charged here.
static_assert(sizeof(Accumulator::State) <= 160);

Accumulator::Accumulator(const Aggregate& aggregate, EvaluationContext& context)
    : state_(std::make_unique<State>(aggregate, context)) {}
Accumulator::Accumulator(Accumulator&&) noexcept = default;
Accumulator& Accumulator::operator=(Accumulator&&) noexcept = default;
Accumulator::~Accumulator() = default;

Result<void> Accumulator::add(const Value& value, EvaluationContext& context) {
  State& state = *state_;
  if (state.has_error) return {};
  if (is_error(value) && !state.is_star) {
    const bool is_passed_over = std::holds_alternative<Counting>(state.kind) ||
                                std::holds_alternative<Sampling>(state.kind);
    state.has_error = !is_passed_over;
    return {};
  }
  return std::visit([&](auto& kind) { return state.add(kind, value, context); }, state.kind);
}

void Accumulator::start_from(XsdValue sum, std::int64_t rows) {
  auto& adding = std::get<Adding>(state_->kind);
  adding.sum = std::move(sum);
  adding.rows = rows;
}

Value Accumulator::finish(EvaluationContext& context) {
  State& state = *state_;
  if (state.has_error) return error_value();
  if (auto* counting = std::get_if<Counting>(&state.kind)) return integer_value(counting->rows);
  if (auto* adding = std::get_if<Adding>(&state.kind)) return state.finish(*adding, context);
  if (auto* choosing = std::get_if<Choosing>(&state.kind)) {
    return choosing->best ? std::move(choosing->best->value) : error_value();
  }
  if (auto* sampling = std::get_if<Sampling>(&state.kind)) {
    return sampling->first ? std::move(*sampling->first) : error_value();
  }
  return string_value(std::move(std::get<Joining>(state.kind).text), context);
}

}  // namespace helve::sparql
