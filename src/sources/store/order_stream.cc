#include "sources/store/order_stream.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace helve::store {

OrderStream::OrderStream(Order order, const OrderPlan& plan, const BuildPlace& place,
                         const OpContext& context)
    : context_(context),
      depths_(plan.has_named_graphs ? 3 : 2),
      columns_{Depth(place), Depth(place), Depth(place)},
      starts_(place) {
  const auto parts = order_parts(order);
  for (std::size_t depth = 1; depth < 4; ++depth) {
    const PartNames* const names = plan.names_of(parts[depth]);
    if (names != nullptr && !names->list().empty()) columns_[depth - 1].names = names;
  }
}

// Codes without rows get an empty place in the directory.
Result<void> OrderStream::lead(Code code) {
  if (rows_ == 0) {
    first_code_ = code;
    leading_ = code;
    return starts_.add(0);
  }
  HELVE_CHECK(code > leading_);
  for (; leading_ < code; ++leading_) HELVE_TRY(starts_.add(static_cast<std::uint32_t>(rows_)));
  return {};
}

Result<void> OrderStream::pack() {
  constexpr std::uint64_t kRowsPerCheck = 64 * kBlock;
  if (rows_ % kRowsPerCheck == 0) HELVE_TRY(context_.check());
  if (rows_ > context_.limits.quads_max) {
    return Error{
        ErrorCode::LimitExceeded,
        fmt::format("there are more statements than the limit of {}", context_.limits.quads_max),
        "load less at once"};
  }
  for (std::size_t i = 0; i < depths_; ++i) {
    Code* const begin = blocks_[i].data();
    if (const PartNames* const names = columns_[i].names; names != nullptr) {
      std::transform(begin, begin + held_, begin,
                     [names](Code code) { return names->value_of(code); });
      if (std::find(begin, begin + held_, PartNames::kUnknown) != begin + held_) {
        return Error{ErrorCode::Unavailable,
                     "a statement has a predicate or a graph that is in no list of them",
                     "restore the index from a copy, or make it again from its documents"};
      }
    }
    HELVE_TRY(columns_[i].column.add({begin, held_}));
  }
  held_ = 0;
  return {};
}

Result<Permutation> OrderStream::finish() {
  if (held_ > 0) HELVE_TRY(pack());
  if (rows_ > 0) HELVE_TRY(starts_.add(static_cast<std::uint32_t>(rows_)));
  std::array<CodeColumn, 3> columns;
  for (std::size_t i = 0; i < depths_; ++i) {
    HELVE_ASSIGN(auto values, columns_[i].column.finish());
    const PartNames* const names = columns_[i].names;
    columns[i] = CodeColumn(std::move(values), names != nullptr ? names->list() : Column<Code>());
  }
  HELVE_ASSIGN(auto starts, starts_.finish());
  return Permutation(first_code_, std::move(starts), std::move(columns));
}

}  // namespace helve::store
