#include "agent/experiment/criteria.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.h"

namespace helve::agent {

namespace {

constexpr double kLeakageShare = 0.5;      // E7b of E7a
constexpr double kConvergenceShare = 0.8;  // E8a of E8b

// Means are sums of numbers that are no fractions of two: equal ones may differ in the last bit.
constexpr double kSame = 1e-9;

class Criteria {
 public:
  Criteria(const SetResult& set, std::uint64_t seed) : set_(set), seed_(seed) {}

  std::vector<Criterion> all() {
    layers();
    leakage();
    memory();
    loop();
    consolidation();
    bound();
    rollouts();
    items();
    return std::move(found_);
  }

 private:
  void add(std::string cells, std::string claim, bool holds, std::string figures) {
    found_.push_back({std::move(cells), std::move(claim), holds ? Outcome::Yes : Outcome::No,
                      std::move(figures)});
  }
  void add_unknown(std::string cells, std::string claim, std::string why) {
    found_.push_back({std::move(cells), std::move(claim), Outcome::NotMeasured, std::move(why)});
  }

  // Null unless it has runs of the pass.
  const CellResult* measured(std::string_view id, std::size_t pass = 1) const {
    const CellResult* const cell = set_.find(id);
    if (cell == nullptr) return nullptr;
    const bool has_runs = std::any_of(
        cell->runs.begin(), cell->runs.end(),
        [pass](const RunFigures& run) { return run.pass == pass && run.error.empty(); });
    return has_runs ? cell : nullptr;
  }
  bool was_asked(std::string_view left, std::string_view right) const {
    return set_.find(left) != nullptr && set_.find(right) != nullptr;
  }
  Estimate of(const CellResult& cell, Measure measure, std::size_t pass = 1) const {
    return estimate_of(set_, cell, pass, measure, seed_);
  }
  std::string change(const CellResult& left, std::size_t left_pass, const CellResult& right,
                     std::size_t right_pass, Measure measure) const {
    return estimate_words(difference_of(clusters_of(set_, left, left_pass, measure),
                                        clusters_of(set_, right, right_pass, measure), seed_));
  }

  void layers() {
    if (set_.find("E6") == nullptr) return;
    const std::string claim = "all layers together do at least as well as the best single one";
    const CellResult* const all = measured("E6");
    const CellResult* best = nullptr;
    double best_mean = -1;
    std::size_t known = 0;
    for (const char* const id : {"E2", "E3", "E4", "E5"}) {
      const CellResult* const cell = measured(id);
      if (cell == nullptr) continue;
      ++known;
      const double mean = of(*cell, Measure::Success).mean;
      if (mean <= best_mean + kSame) continue;
      best = cell;
      best_mean = mean;
    }
    if (all == nullptr || known < 4) {
      return add_unknown("E6", claim, "E2, E3, E4, E5 and E6 have to be run");
    }
    const Estimate together = of(*all, Measure::Success);
    add("E6", claim, together.mean >= best_mean - kSame,
        fmt::format("success {} against {} of {} ({}); difference {}", estimate_words(together),
                    estimate_words(of(*best, Measure::Success)), best->plan.id, best->plan.title,
                    change(*all, 1, *best, 1, Measure::Success)));
  }

  void leakage() {
    if (!was_asked("E7a", "E7b")) return;
    const std::string claim =
        "handle tools return less than half as many large replies as naive tools";
    const CellResult* const naive = measured("E7a");
    const CellResult* const handles = measured("E7b");
    if (naive == nullptr || handles == nullptr) {
      return add_unknown("E7", claim, "one of them has no runs");
    }
    const Estimate a = of(*naive, Measure::LargeReplies);
    const Estimate b = of(*handles, Measure::LargeReplies);
    const std::string rest = fmt::format(
        "; context per step {} against {} characters, all prompts of a run {} against {}",
        number_words(of(*handles, Measure::ContextPerStep).mean),
        number_words(of(*naive, Measure::ContextPerStep).mean),
        number_words(of(*handles, Measure::PromptChars).mean),
        number_words(of(*naive, Measure::PromptChars).mean));
    if (a.mean <= 0) {
      return add_unknown("E7", claim, "naive tools had no large reply on these tasks" + rest);
    }
    add("E7", claim, b.mean < kLeakageShare * a.mean,
        fmt::format("{} large returns a run against {}, {} %{}", estimate_words(b),
                    estimate_words(a), std::lround(100 * b.mean / a.mean), rest));
  }

  void memory() {
    if (!was_asked("E8a", "E8b")) return;
    const std::string claim =
        "with lessons injected at least 80 % as many runs converge as with lessons searched";
    const CellResult* const injected = measured("E8a");
    const CellResult* const searched = measured("E8b");
    if (injected == nullptr || searched == nullptr) {
      return add_unknown("E8", claim, "one of them has no runs");
    }
    const Estimate a = of(*injected, Measure::Converged);
    const Estimate b = of(*searched, Measure::Converged);
    const std::string rest = fmt::format(
        "convergence {} against {}; success {} against {}; bank: {}", estimate_words(a),
        estimate_words(b), estimate_words(of(*injected, Measure::Success)),
        estimate_words(of(*searched, Measure::Success)),
        injected->plan.bank == BankStart::Learnt ? "what E9 learnt in its first pass" : "seeds");
    if (b.mean <= 0) return add_unknown("E8", claim, "no run of E8b converged; " + rest);
    add("E8", claim, a.mean >= kConvergenceShare * b.mean - kSame,
        fmt::format("{} %: {}", std::lround(100 * a.mean / b.mean), rest));
  }

  void loop() {
    if (set_.find("E9") == nullptr) return;
    const std::string claim = "a second pass over the tasks does better than the first";
    const CellResult* const cell = measured("E9", 2);
    if (cell == nullptr) return add_unknown("E9", claim, "there was no second pass");
    const Estimate first = of(*cell, Measure::Success, 1);
    const Estimate second = of(*cell, Measure::Success, 2);
    add("E9", claim, second.mean > first.mean + kSame,
        fmt::format("success {} against {}; difference {}", estimate_words(second),
                    estimate_words(first), change(*cell, 2, *cell, 1, Measure::Success)));
  }

  // Of active items, behind the last pass.
  static std::optional<double> bank_size(const CellResult& cell) {
    double sum = 0;
    std::size_t count = 0;
    for (const BankFigures& bank : cell.banks) {
      if (bank.pass != cell.plan.passes) continue;
      sum += static_cast<double>(bank.active);
      ++count;
    }
    if (count == 0) return std::nullopt;
    return sum / static_cast<double>(count);
  }

  void consolidation() {
    if (!was_asked("E9", "E10")) return;
    const std::string claim = "consolidation makes the bank smaller without loss of success";
    const CellResult* const plain = measured("E9", 2);
    const CellResult* const tidy = measured("E10", 2);
    if (plain == nullptr || tidy == nullptr) {
      return add_unknown("E10", claim, "one of them had no second pass");
    }
    const double before = bank_size(*plain).value_or(0);
    const double after = bank_size(*tidy).value_or(0);
    const Estimate a = of(*plain, Measure::Success, 2);
    const Estimate b = of(*tidy, Measure::Success, 2);
    add("E10", claim, after < before && b.mean >= a.mean - kSame,
        fmt::format("{} active items against {} of E9; success of the second pass {} against {}; "
                    "difference {}",
                    number_words(after), number_words(before), estimate_words(b), estimate_words(a),
                    change(*tidy, 2, *plain, 2, Measure::Success)));
  }

  void bound() {
    const CellResult* const cell = set_.find("E11");
    if (cell == nullptr) return;
    const std::string claim = "a bank that forgets stays within its bound";
    if (cell->banks.empty() || !cell->plan.bank_max) {
      return add_unknown("E11", claim, "there was no bank");
    }
    std::uint64_t largest = 0;
    for (const BankFigures& bank : cell->banks) largest = std::max(largest, bank.items);
    std::string rest;
    if (const CellResult* const second = measured("E11", 2)) {
      rest = fmt::format("; success of the second pass {}",
                         estimate_words(of(*second, Measure::Success, 2)));
    }
    add("E11", claim, largest <= *cell->plan.bank_max,
        fmt::format("at most {} items behind a pass, bound {}{}", format_count(largest),
                    format_count(*cell->plan.bank_max), rest));
  }

  void rollouts() {
    const CellResult* const cell = measured("E12", 2);
    if (set_.find("E12") == nullptr) return;
    const std::string claim = "the best of several rollouts does better than one of them";
    if (cell == nullptr) return add_unknown("E12", claim, "there was no second pass");
    const Estimate one = of(*cell, Measure::Success, 2);
    const Estimate best = best_success(set_, *cell, 2, seed_);
    add("E12", claim, best.mean > one.mean + kSame,
        fmt::format("second pass: best of {} {} against {}; first pass {} against {}",
                    cell->plan.rollouts, estimate_words(best), estimate_words(one),
                    estimate_words(best_success(set_, *cell, 1, seed_)),
                    estimate_words(of(*cell, Measure::Success, 1))));
  }

  void items() {
    std::uint64_t stored = 0;
    std::uint64_t invalid = 0;
    std::uint64_t rejected = 0;
    bool has_learnt = false;
    for (const CellResult& cell : set_.cells) {
      if (!cell.plan.learns) continue;
      has_learnt = true;
      stored += cell.items_added;
      rejected += cell.drafts_rejected;
      for (const BankFigures& bank : cell.banks) invalid += bank.invalid;
    }
    if (!has_learnt) return;
    const std::string claim = "every item that was learnt is valid";
    if (stored == 0) return add_unknown("E9 to E12", claim, "nothing was learnt");
    add("E9 to E12", claim, invalid == 0,
        fmt::format("{} items were stored, {} of those in banks are not valid; {} drafts were "
                    "refused before",
                    format_count(stored), format_count(invalid), format_count(rejected)));
  }

  const SetResult& set_;
  const std::uint64_t seed_;
  std::vector<Criterion> found_;
};

}  // namespace

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::Yes:
      return "yes";
    case Outcome::No:
      return "no";
    case Outcome::NotMeasured:
      return "not measured";
  }
  return "";
}

std::string number_words(double number) {
  constexpr double kWhole = 100;
  constexpr double kSmall = 0.1;
  if (number >= kWhole) return format_count(static_cast<std::uint64_t>(std::llround(number)));
  if (number != 0 && std::abs(number) < kSmall) return fmt::format("{:.3f}", number);
  return fmt::format("{:.2f}", number);
}

std::string estimate_words(const Estimate& estimate) {
  if (estimate.values == 0) return "-";
  return fmt::format("{} [{}, {}]", number_words(estimate.mean), number_words(estimate.low),
                     number_words(estimate.high));
}

std::vector<Criterion> criteria_of(const SetResult& set, std::uint64_t seed) {
  return Criteria(set, seed).all();
}

}  // namespace helve::agent
