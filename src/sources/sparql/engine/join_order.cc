#include "sources/sparql/engine/join_order.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace helve::sparql {

namespace {

constexpr double kRowCost = 6;          // of a row that a join gives
constexpr double kCartesianFactor = 4;  // parts that share nothing are joined late
constexpr double kSearchSteps = 4;      // doublings of a list that cost as much as finding it
constexpr double kInfinite = std::numeric_limits<double>::infinity();

// What has been joined so far.
class Progress {
 public:
  explicit Progress(const OrderProblem& problem)
      : problem_(problem), bound_(problem.bound), is_asked_(problem.conditions.size()) {
    bound_.resize(problem.variables);
  }

  struct Outcome {
    double joined_rows;
    double rows;
    double cost;  // of this step alone
  };

  Outcome assess(std::size_t index, double rows_before) const {
    const OrderItem& item = problem_.items[index];
    if (done_.empty() && !problem_.has_seed) {
      return {item.rows, item.rows * selectivity(item), item.first_cost};
    }
    bool is_connected = item.variables.empty();
    double searched = 1;
    const double rows = rows_before * joined_fanout(index, is_connected, searched);
    const double probe = item.probe_cost * (1 + std::log2(searched) / kSearchSteps);
    double cost = item.once_cost + rows_before * probe + rows * kRowCost;
    if (!is_connected) cost *= kCartesianFactor;
    return {rows, rows * selectivity(item), cost};
  }

  void add(std::size_t index) {
    const OrderItem& item = problem_.items[index];
    mark_conditions(item);
    done_.push_back(index);
    for (const std::uint32_t variable : item.variables) bound_[variable] = true;
  }

 private:
  bool has_variable(std::size_t index, std::uint32_t variable) const {
    const auto& variables = problem_.items[index].variables;
    return std::find(variables.begin(), variables.end(), variable) != variables.end();
  }

  // The smallest part joined before says most about this one; other variables that are bound too
  // make it fewer rows.
  // `searched`: among how many rows a key with several variables is found.
  double joined_fanout(std::size_t index, bool& is_connected, double& searched) const {
    const OrderItem& item = problem_.items[index];
    std::size_t best = SIZE_MAX;
    double fanout = item.rows;
    for (const std::size_t given : done_) {
      if (!is_paired()) break;
      if (!shares(item, given)) continue;
      if (best != SIZE_MAX && problem_.items[given].rows >= problem_.items[best].rows) continue;
      fanout = problem_.fanout(index, given);
      best = given;
    }
    is_connected = is_connected || best != SIZE_MAX;
    for (std::size_t i = 0; i < item.variables.size(); ++i) {
      const std::uint32_t variable = item.variables[i];
      if (!bound_[variable] || (best != SIZE_MAX && has_variable(best, variable))) continue;
      is_connected = true;
      if (best != SIZE_MAX) searched = std::max(searched, fanout);
      fanout /= std::max(1.0, item.distinct[i]);
    }
    return fanout;
  }

  bool is_paired() const { return problem_.items.size() <= kPairedMax; }
  bool shares(const OrderItem& item, std::size_t given) const {
    return std::any_of(item.variables.begin(), item.variables.end(),
                       [&](std::uint32_t variable) { return has_variable(given, variable); });
  }

  bool is_made_ready(std::size_t condition, const OrderItem& item) const {
    if (is_asked_[condition]) return false;
    const auto& wanted = problem_.conditions[condition].variables;
    return std::all_of(wanted.begin(), wanted.end(), [&](std::uint32_t variable) {
      return bound_[variable] || std::find(item.variables.begin(), item.variables.end(),
                                           variable) != item.variables.end();
    });
  }

  double selectivity(const OrderItem& item) const {
    double selected = 1;
    if (!is_paired()) return selected;
    for (std::size_t i = 0; i < problem_.conditions.size(); ++i) {
      if (is_made_ready(i, item)) selected *= problem_.conditions[i].selectivity;
    }
    return selected;
  }

  void mark_conditions(const OrderItem& item) {
    if (!is_paired()) return;
    for (std::size_t i = 0; i < problem_.conditions.size(); ++i) {
      if (is_made_ready(i, item)) is_asked_[i] = true;
    }
  }

  const OrderProblem& problem_;
  std::vector<bool> bound_;
  std::vector<bool> is_asked_;
  std::vector<std::size_t> done_;
};

std::vector<OrderStep> follow(const OrderProblem& problem, const std::vector<std::size_t>& order) {
  Progress progress(problem);
  std::vector<OrderStep> steps;
  double rows = 1;
  double cost = 0;
  for (const std::size_t index : order) {
    const auto outcome = progress.assess(index, rows);
    rows = outcome.rows;
    cost += outcome.cost;
    progress.add(index);
    steps.push_back({index, outcome.joined_rows, rows, cost});
  }
  return steps;
}

std::vector<std::size_t> search_step_by_step(const OrderProblem& problem) {
  Progress progress(problem);
  std::vector<std::size_t> order;
  std::vector<bool> is_done(problem.items.size());
  double rows = 1;
  while (order.size() < problem.items.size()) {
    std::size_t best = SIZE_MAX;
    Progress::Outcome chosen{0, 0, kInfinite};
    for (std::size_t i = 0; i < problem.items.size(); ++i) {
      if (is_done[i]) continue;
      Progress::Outcome outcome = progress.assess(i, rows);
      if (problem.items[i].comes_last) outcome.cost = std::numeric_limits<double>::max();
      // What follows works on as many rows as this one leaves.
      outcome.cost += outcome.rows * kRowCost;
      if (best != SIZE_MAX && outcome.cost >= chosen.cost) continue;
      best = i;
      chosen = outcome;
    }
    is_done[best] = true;
    rows = chosen.rows;
    progress.add(best);
    order.push_back(best);
  }
  return order;
}

// Dynamic programming over the sets of items that have been joined; what costs more than an order
// that is known already is not followed.
std::vector<std::size_t> search_all(const OrderProblem& problem) {
  std::vector<std::size_t> known = search_step_by_step(problem);
  if (known.size() < 2) return known;
  const double known_cost = follow(problem, known).back().cost;
  struct Best {
    double cost = kInfinite;
    double rows = 1;
    std::vector<std::size_t> order;
  };
  const std::size_t count = problem.items.size();
  std::vector<Best> best(std::size_t{1} << count);
  best[0].cost = 0;
  for (std::size_t set = 0; set + 1 < best.size(); ++set) {
    if (best[set].cost >= known_cost) continue;
    Progress progress(problem);
    for (const std::size_t index : best[set].order) progress.add(index);
    const bool others_left = std::popcount(set) + 1 < static_cast<int>(count);
    for (std::size_t i = 0; i < count; ++i) {
      if ((set >> i & 1) != 0 || (problem.items[i].comes_last && others_left)) continue;
      const auto outcome = progress.assess(i, best[set].rows);
      Best& with = best[set | std::size_t{1} << i];
      const double cost = best[set].cost + outcome.cost;
      if (cost >= with.cost) continue;
      with.cost = cost;
      with.rows = outcome.rows;
      with.order = best[set].order;
      with.order.push_back(i);
    }
    best[set].order.clear();
  }
  return best.back().cost < known_cost ? best.back().order : known;
}

}  // namespace

std::vector<OrderStep> order_by_cost(const OrderProblem& problem) {
  const auto lasts = std::count_if(problem.items.begin(), problem.items.end(),
                                   [](const OrderItem& item) { return item.comes_last; });
  const bool is_small = problem.items.size() <= kSearchedMax && lasts <= 1;
  return follow(problem, is_small ? search_all(problem) : search_step_by_step(problem));
}

std::vector<OrderStep> order_as_written(const OrderProblem& problem) {
  std::vector<std::size_t> order(problem.items.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t i) { return !problem.items[i].comes_last; });
  return follow(problem, order);
}

}  // namespace helve::sparql
