// Join order: in which sequence the parts of a group are joined. Knows numbers only; where they
// come from is estimates.h, what is made of the order plan_joins.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace helve::sparql {

// A part of a group. Costs are in nanoseconds, roughly.
struct OrderItem {
  std::vector<std::uint32_t> variables;  // bound in all of its solutions
  std::vector<double> distinct;          // by variable: how many values it has
  double rows = 1;                       // that it has by itself
  double first_cost = 0;                 // when it comes first
  double once_cost = 0;                  // when it is joined: to be ready
  double probe_cost = 0;                 // and for each row it is joined with
  bool comes_last = false;               // cannot begin before everything else is bound
};

struct OrderCondition {
  std::vector<std::uint32_t> variables;
  double selectivity = 1;
};

struct OrderProblem {
  std::vector<OrderItem> items;
  std::vector<OrderCondition> conditions;
  std::uint32_t variables = 0;  // they are numbered from 0
  std::vector<bool> bound;      // from the start, by variable
  bool has_seed = false;        // something is bound from the start, or one row at least is given
  // How many rows a row of `given` becomes by joining `item`, which shares a variable with it.
  // Asked only of groups of up to kPairedMax items, once at most of each pair.
  std::function<double(std::size_t item, std::size_t given)> fanout;
};

struct OrderStep {
  std::size_t item = 0;
  double joined_rows = 0;
  double rows = 0;  // of those, what the conditions leave that it makes ready
  double cost = 0;  // of everything up to it
};

// The cheapest of all orders for up to kSearchedMax items, a good one found step by step for more.
inline constexpr std::size_t kSearchedMax = 10;
inline constexpr std::size_t kPairedMax = 32;
std::vector<OrderStep> order_by_cost(const OrderProblem& problem);
// As they are, but for those that come last.
std::vector<OrderStep> order_as_written(const OrderProblem& problem);

}  // namespace helve::sparql
