#include "sources/sparql/engine/join_order.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "sources/sparql/engine/step_costs.h"

namespace helve::sparql {

namespace {

constexpr double kCartesianFactor = 4;  // parts that share nothing are joined late
constexpr double kSearchSteps = 4;      // doublings of a list that cost as much as finding it
constexpr double kInfinite = std::numeric_limits<double>::infinity();

// A set of items, by number. Only groups of up to kPairedMax are looked at that closely.
using ItemSet = std::uint64_t;
static_assert(kPairedMax < 64 && kSearchedMax <= kPairedMax);

ItemSet only(std::size_t item) { return ItemSet{1} << item; }

// What a step costs, given what was joined before it.
class Costs {
 public:
  struct Outcome {
    double joined_rows;
    double rows;
    double cost;  // of this step alone
  };

  explicit Costs(const OrderProblem& problem)
      : problem_(problem), is_paired_(problem.items.size() <= kPairedMax) {
    at_start_ = problem.bound;
    at_start_.resize(problem.variables);
    if (!is_paired_) return;
    holders_.resize(problem.variables);
    for (std::size_t i = 0; i < problem.items.size(); ++i) {
      for (const std::uint32_t variable : problem.items[i].variables) holders_[variable] |= only(i);
    }
    find_neighbours();
    fanouts_.assign(problem.items.size() * problem.items.size(), -1);
  }

  bool is_paired() const { return is_paired_; }
  const std::vector<bool>& bound_at_start() const { return at_start_; }

  // `done` tells which items were joined where is_paired(), otherwise `bound` which variables they
  // bind.
  Outcome assess(std::size_t index, double rows_before, bool is_first, ItemSet done,
                 const std::vector<bool>& bound) {
    const OrderItem& item = problem_.items[index];
    const double kept = is_paired_ ? selectivity(index, done) : 1;
    if (is_first && !problem_.has_seed) return {item.rows, item.rows * kept, item.first_cost};
    bool is_connected = item.variables.empty();
    double searched = 1;
    const double fanout = is_paired_ ? paired_fanout(index, done, is_connected, searched)
                                     : plain_fanout(index, bound, is_connected);
    const double rows = rows_before * fanout;
    const double probe =
        searched > 1 ? item.probe_cost * (1 + std::log2(searched) / kSearchSteps) : item.probe_cost;
    double cost = item.once_cost + rows_before * probe + rows * kJoinedRowCost;
    if (!is_connected) cost *= kCartesianFactor;
    return {rows, rows * kept, cost};
  }

 private:
  // By item: those that share a variable with it, fewest rows first.
  void find_neighbours() {
    neighbours_.resize(problem_.items.size());
    for (std::size_t i = 0; i < problem_.items.size(); ++i) {
      ItemSet sharing = 0;
      for (const std::uint32_t variable : problem_.items[i].variables)
        sharing |= holders_[variable];
      sharing &= ~only(i);
      for (; sharing != 0; sharing &= sharing - 1) {
        neighbours_[i].push_back(static_cast<std::size_t>(std::countr_zero(sharing)));
      }
      std::stable_sort(neighbours_[i].begin(), neighbours_[i].end(),
                       [&](std::size_t left, std::size_t right) {
                         return problem_.items[left].rows < problem_.items[right].rows;
                       });
    }
  }

  double asked_fanout(std::size_t index, std::size_t given) {
    double& known = fanouts_[index * problem_.items.size() + given];
    if (known < 0) known = problem_.fanout(index, given);
    return known;
  }

  // The smallest part joined before says most about this one; other variables that are bound too
  // make it fewer rows.
  // `searched`: among how many rows a key with several variables is found.
  double paired_fanout(std::size_t index, ItemSet done, bool& is_connected, double& searched) {
    const OrderItem& item = problem_.items[index];
    const auto& neighbours = neighbours_[index];
    const auto best = std::find_if(neighbours.begin(), neighbours.end(),
                                   [&](std::size_t given) { return (done & only(given)) != 0; });
    const bool has_best = best != neighbours.end();
    double fanout = has_best ? asked_fanout(index, *best) : item.rows;
    is_connected = is_connected || has_best;
    for (std::size_t i = 0; i < item.variables.size(); ++i) {
      const std::uint32_t variable = item.variables[i];
      const ItemSet holders = holders_[variable];
      if (!at_start_[variable] && (holders & done) == 0) continue;
      if (has_best && (holders & only(*best)) != 0) continue;
      is_connected = true;
      if (has_best) searched = std::max(searched, fanout);
      fanout /= std::max(1.0, item.distinct[i]);
    }
    return fanout;
  }

  double plain_fanout(std::size_t index, const std::vector<bool>& bound, bool& is_connected) const {
    const OrderItem& item = problem_.items[index];
    double fanout = item.rows;
    for (std::size_t i = 0; i < item.variables.size(); ++i) {
      if (!bound[item.variables[i]]) continue;
      is_connected = true;
      fanout /= std::max(1.0, item.distinct[i]);
    }
    return fanout;
  }

  bool is_ready(const OrderCondition& condition, ItemSet done) const {
    return std::all_of(condition.variables.begin(), condition.variables.end(),
                       [&](std::uint32_t variable) {
                         return at_start_[variable] || (holders_[variable] & done) != 0;
                       });
  }

  // Of the conditions that this item makes ready.
  double selectivity(std::size_t index, ItemSet done) const {
    double selected = 1;
    for (const OrderCondition& condition : problem_.conditions) {
      if (is_ready(condition, done | only(index)) && (done == 0 || !is_ready(condition, done))) {
        selected *= condition.selectivity;
      }
    }
    return selected;
  }

  const OrderProblem& problem_;
  bool is_paired_;
  std::vector<bool> at_start_;
  std::vector<ItemSet> holders_;  // by variable: the items that bind it
  std::vector<std::vector<std::size_t>> neighbours_;
  std::vector<double> fanouts_;  // by item and given item; negative: not asked yet
};

// What has been joined so far, step by step.
class Progress {
 public:
  Progress(const OrderProblem& problem, Costs& costs)
      : problem_(problem), costs_(costs), bound_(costs.bound_at_start()) {}

  Costs::Outcome assess(std::size_t index) {
    return costs_.assess(index, rows_, is_first_, done_, bound_);
  }
  void add(std::size_t index, const Costs::Outcome& outcome) {
    rows_ = outcome.rows;
    is_first_ = false;
    if (costs_.is_paired()) {
      done_ |= only(index);
      return;
    }
    for (const std::uint32_t variable : problem_.items[index].variables) bound_[variable] = true;
  }

 private:
  const OrderProblem& problem_;
  Costs& costs_;
  std::vector<bool> bound_;
  ItemSet done_ = 0;
  double rows_ = 1;
  bool is_first_ = true;
};

std::vector<OrderStep> follow(const OrderProblem& problem, Costs& costs,
                              const std::vector<std::size_t>& order) {
  Progress progress(problem, costs);
  std::vector<OrderStep> steps;
  steps.reserve(order.size());
  double cost = 0;
  for (const std::size_t index : order) {
    const auto outcome = progress.assess(index);
    cost += outcome.cost;
    progress.add(index, outcome);
    steps.push_back({index, outcome.joined_rows, outcome.rows, cost});
  }
  return steps;
}

std::vector<std::size_t> search_step_by_step(const OrderProblem& problem, Costs& costs) {
  Progress progress(problem, costs);
  std::vector<std::size_t> order;
  std::vector<bool> is_done(problem.items.size());
  while (order.size() < problem.items.size()) {
    std::size_t best = SIZE_MAX;
    Costs::Outcome chosen{0, 0, kInfinite};
    for (std::size_t i = 0; i < problem.items.size(); ++i) {
      if (is_done[i]) continue;
      Costs::Outcome outcome = progress.assess(i);
      if (problem.items[i].comes_last) outcome.cost = std::numeric_limits<double>::max();
      // What follows works on as many rows as this one leaves.
      outcome.cost += outcome.rows * kJoinedRowCost;
      if (best != SIZE_MAX && outcome.cost >= chosen.cost) continue;
      best = i;
      chosen = outcome;
    }
    is_done[best] = true;
    progress.add(best, chosen);
    order.push_back(best);
  }
  return order;
}

// Dynamic programming over the sets of items that have been joined; what costs more than an order
// that is known already is not followed.
std::vector<std::size_t> search_all(const OrderProblem& problem, Costs& costs) {
  std::vector<std::size_t> known = search_step_by_step(problem, costs);
  if (known.size() < 2) return known;
  const double known_cost = follow(problem, costs, known).back().cost;
  struct Best {
    double cost = kInfinite;
    double rows = 1;
    std::size_t last = 0;

    // Estimates differ by the way to a set: fewer rows are worth something.
    double with_next() const { return cost + rows * kLookupCost; }
  };
  const std::size_t count = problem.items.size();
  std::vector<Best> best(std::size_t{1} << count);
  best[0].cost = 0;
  for (ItemSet set = 0; set + 1 < best.size(); ++set) {
    const Best before = best[set];
    if (before.cost >= known_cost) continue;
    const bool others_left = std::popcount(set) + 1 < static_cast<int>(count);
    for (std::size_t i = 0; i < count; ++i) {
      if ((set & only(i)) != 0 || (problem.items[i].comes_last && others_left)) continue;
      const auto outcome = costs.assess(i, before.rows, set == 0, set, {});
      Best& with = best[set | only(i)];
      const Best made{before.cost + outcome.cost, outcome.rows, i};
      if (made.with_next() < with.with_next()) with = made;
    }
  }
  if (best.back().cost >= known_cost) return known;
  for (ItemSet set = best.size() - 1, at = count; set != 0; set &= ~only(known[at])) {
    known[--at] = best[set].last;
  }
  return known;
}

}  // namespace

std::vector<OrderStep> order_by_cost(const OrderProblem& problem) {
  const auto lasts = std::count_if(problem.items.begin(), problem.items.end(),
                                   [](const OrderItem& item) { return item.comes_last; });
  const bool is_small = problem.items.size() <= kSearchedMax && lasts <= 1;
  Costs costs(problem);
  return follow(problem, costs,
                is_small ? search_all(problem, costs) : search_step_by_step(problem, costs));
}

std::vector<OrderStep> order_as_written(const OrderProblem& problem) {
  std::vector<std::size_t> order(problem.items.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t i) { return !problem.items[i].comes_last; });
  Costs costs(problem);
  return follow(problem, costs, order);
}

}  // namespace helve::sparql
