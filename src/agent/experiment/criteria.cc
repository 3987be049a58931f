#include "agent/experiment/criteria.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace helve::agent {

namespace {

constexpr double kLeakageShare = 0.5;      // E7b of E7a
constexpr double kConvergenceShare = 0.8;  // E8a of E8b
constexpr double kSameRatio = 1e-9;        // of ratios: the last bits of a sum

std::string percent_words(const CellComparison& comparison) {
  if (comparison.ratio.values == 0) return "-";
  return fmt::format("{} % [{}, {}]", std::lround(100 * comparison.ratio.mean),
                     std::lround(100 * comparison.ratio.low),
                     std::lround(100 * comparison.ratio.high));
}

bool is_at(const CellComparison& comparison, double mean) {
  return std::abs(comparison.left_mean.mean - mean) < kSameRatio &&
         std::abs(comparison.right_mean.mean - mean) < kSameRatio;
}

Criterion criterion(std::string cells, std::string claim) {
  Criterion made;
  made.cells = std::move(cells);
  made.claim = std::move(claim);
  return made;
}

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
  void add(Criterion made, bool holds) {
    made.outcome = holds ? Outcome::Yes : Outcome::No;
    found_.push_back(std::move(made));
  }
  void add_unknown(Criterion made, std::string why) {
    made.outcome = Outcome::NotMeasured;
    made.figures = made.figures.empty() ? std::move(why) : why + "; " + made.figures;
    found_.push_back(std::move(made));
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
  CellComparison compared(const PassOf& left, const PassOf& right, Measure measure) const {
    return compare(set_, left, right, measure, seed_);
  }

  void layers() {
    if (set_.find("E6") == nullptr) return;
    Criterion made =
        criterion("E6", "all layers together do at least as well as the best single one");
    const CellResult* const all = measured("E6");
    for (const char* const id : {"E2", "E3", "E4", "E5"}) {
      const CellResult* const cell = measured(id);
      if (all == nullptr || cell == nullptr) {
        made.comparisons.clear();
        return add_unknown(std::move(made), "E2, E3, E4, E5 and E6 have to be run");
      }
      made.comparisons.push_back(compared({*all}, {*cell}, Measure::Success));
    }
    auto& of_each = made.comparisons;
    std::stable_sort(of_each.begin(), of_each.end(),
                     [](const CellComparison& left, const CellComparison& right) {
                       return left.difference.mean < right.difference.mean - kSameRatio;
                     });
    const CellComparison best = of_each.front();
    made.figures = fmt::format("against {} ({}): {}", best.right, set_.find(best.right)->plan.title,
                               comparison_words(best));
    if (!std::all_of(of_each.begin(), of_each.end(),
                     [](const CellComparison& one) { return one.is_measured(); })) {
      return add_unknown(std::move(made), "they have no task in common");
    }
    if (is_at(best, 0)) return add_unknown(std::move(made), "no run of either succeeded");
    add(std::move(made), !best.is_less());
  }

  void leakage() {
    if (!was_asked("E7a", "E7b")) return;
    Criterion made =
        criterion("E7", "handle tools return less than half as many large replies as naive tools");
    const CellResult* const naive = measured("E7a");
    const CellResult* const handles = measured("E7b");
    if (naive == nullptr || handles == nullptr) {
      return add_unknown(std::move(made), "one of them has no runs");
    }
    for (const Measure measure :
         {Measure::LargeReplies, Measure::ContextPerStep, Measure::PromptChars, Measure::Success}) {
      made.comparisons.push_back(compared({*handles}, {*naive}, measure));
      made.figures +=
          (made.figures.empty() ? "" : "; ") + comparison_words(made.comparisons.back());
    }
    const CellComparison& large = made.comparisons.front();
    if (large.ratio.values == 0) {
      return add_unknown(std::move(made), "naive tools had no large reply on these tasks");
    }
    made.figures = percent_words(large) + ": " + made.figures;
    const bool holds = large.ratio.mean < kLeakageShare;
    add(std::move(made), holds);
  }

  void memory() {
    if (!was_asked("E8a", "E8b")) return;
    Criterion made = criterion(
        "E8", "with lessons injected at least 80 % as many runs converge as with lessons searched");
    const CellResult* const injected = measured("E8a");
    const CellResult* const searched = measured("E8b");
    if (injected == nullptr || searched == nullptr) {
      return add_unknown(std::move(made), "one of them has no runs");
    }
    const CellComparison converged = compared({*injected}, {*searched}, Measure::Converged);
    const CellComparison success = compared({*injected}, {*searched}, Measure::Success);
    made.comparisons = {converged, success};
    made.figures = fmt::format(
        "{} of the convergence{}: {}; {} of the success: {}; bank: {}", percent_words(converged),
        is_at(converged, 1) ? " (every run of either converged: it tells them not apart)" : "",
        comparison_words(converged), percent_words(success), comparison_words(success),
        injected->plan.bank == BankStart::Learnt ? "what E9 learnt in its first pass" : "seeds");
    if (converged.ratio.values == 0) {
      return add_unknown(std::move(made), "no run of E8b converged");
    }
    add(std::move(made), converged.ratio.mean >= kConvergenceShare - kSameRatio);
  }

  // Whether it succeeds more often is the claim; in what else it is better is told beside it.
  void loop() {
    if (set_.find("E9") == nullptr) return;
    Criterion made =
        criterion("E9", "a second pass over the same tasks succeeds more often than the first");
    const CellResult* const cell = measured("E9", 2);
    if (cell == nullptr) return add_unknown(std::move(made), "there was no second pass");
    std::vector<std::string> better;
    std::vector<std::string> other;
    std::vector<std::string> figures;
    for (const Measure measure :
         {Measure::Success, Measure::F1, Measure::Steps, Measure::ToolCalls, Measure::Tokens}) {
      const CellComparison one = compared({*cell, 2}, {*cell, 1}, measure);
      (one.is_better() ? better : other).emplace_back(name_of(measure));
      figures.push_back(comparison_words(one));
      made.comparisons.push_back(one);
    }
    made.figures =
        fmt::format("better in {}, not in {}: {}",
                    better.empty() ? "nothing" : fmt::format("{}", fmt::join(better, ", ")),
                    other.empty() ? "nothing" : fmt::format("{}", fmt::join(other, ", ")),
                    fmt::join(figures, "; "));
    const CellComparison& success = made.comparisons.front();
    if (!success.is_measured()) {
      return add_unknown(std::move(made), "the passes have no task in common");
    }
    if (is_at(success, 1)) {
      return add_unknown(std::move(made), "the first pass left nothing to do better");
    }
    const bool holds = success.is_more();
    add(std::move(made), holds);
  }

  // Of active items, behind the last pass.
  static double bank_size(const CellResult& cell) {
    double sum = 0;
    std::size_t count = 0;
    for (const BankFigures& bank : cell.banks) {
      if (bank.pass != cell.plan.passes) continue;
      sum += static_cast<double>(bank.active);
      ++count;
    }
    return count == 0 ? 0 : sum / static_cast<double>(count);
  }

  void consolidation() {
    if (!was_asked("E9", "E10")) return;
    Criterion made =
        criterion("E10", "consolidation makes the bank smaller without loss of success");
    const CellResult* const plain = measured("E9", 2);
    const CellResult* const tidy = measured("E10", 2);
    if (plain == nullptr || tidy == nullptr) {
      return add_unknown(std::move(made), "one of them had no second pass");
    }
    const double before = bank_size(*plain);
    const double after = bank_size(*tidy);
    const CellComparison success = compared({*tidy, 2}, {*plain, 2}, Measure::Success);
    made.comparisons = {success};
    made.figures =
        fmt::format("{} active items against {} of E9; second pass: {}", number_words(after),
                    number_words(before), comparison_words(success));
    if (before == 0) return add_unknown(std::move(made), "E9 learnt nothing");
    if (!success.is_measured()) {
      return add_unknown(std::move(made), "they have no task in common");
    }
    add(std::move(made), after < before && !success.is_less());
  }

  void bound() {
    const CellResult* const cell = set_.find("E11");
    if (cell == nullptr) return;
    Criterion made = criterion("E11", "a bank that forgets stays within its bound");
    if (cell->banks.empty() || !cell->plan.bank_max) {
      return add_unknown(std::move(made), "there was no bank");
    }
    std::uint64_t largest = 0;
    for (const BankFigures& bank : cell->banks) largest = std::max(largest, bank.items);
    made.figures = fmt::format("at most {} items behind a pass, bound {}", format_count(largest),
                               format_count(*cell->plan.bank_max));
    const CellResult* const plain = measured("E9", 2);
    if (plain != nullptr && measured("E11", 2) != nullptr) {
      made.comparisons = {compared({*cell, 2}, {*plain, 2}, Measure::Success)};
      made.figures += "; second pass against that of E9: " + comparison_words(made.comparisons[0]);
    }
    if (largest < *cell->plan.bank_max) {
      return add_unknown(std::move(made), "the bank never reached its bound");
    }
    add(std::move(made), largest <= *cell->plan.bank_max);
  }

  // What contrast adds: one rollout of E12 against that of E9, each with what its loop learnt. The
  // best of several is chosen by the reference, which no agent has: it is told and claims nothing.
  void rollouts() {
    if (set_.find("E12") == nullptr) return;
    Criterion made = criterion(
        "E12", "lessons of contrast make a second pass succeed more often than those of E9");
    const CellResult* const several = measured("E12", 2);
    const CellResult* const plain = measured("E9", 2);
    if (several == nullptr) return add_unknown(std::move(made), "there was no second pass");
    made.figures = fmt::format("best of {} by the reference {}", several->plan.rollouts,
                               estimate_words(best_success(set_, *several, 2, seed_)));
    if (plain == nullptr) return add_unknown(std::move(made), "E9 has to be run too");
    const CellComparison success = compared({*several, 2}, {*plain, 2}, Measure::Success);
    made.comparisons = {success, compared({*several, 2}, {*plain, 2}, Measure::F1)};
    made.figures = fmt::format("{}; {}; {}", comparison_words(success),
                               comparison_words(made.comparisons[1]), made.figures);
    if (!success.is_measured()) {
      return add_unknown(std::move(made), "they have no task in common");
    }
    if (is_at(success, 1)) {
      return add_unknown(std::move(made), "E9 left nothing to do better");
    }
    add(std::move(made), success.is_more());
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
    Criterion made = criterion("E9 to E12", "every item that was learnt is valid");
    if (stored == 0) return add_unknown(std::move(made), "nothing was learnt");
    made.figures = fmt::format(
        "{} items were stored, {} of those in banks are not valid; {} drafts were refused before",
        format_count(stored), format_count(invalid), format_count(rejected));
    add(std::move(made), invalid == 0);
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

std::vector<Criterion> criteria_of(const SetResult& set, std::uint64_t seed) {
  return Criteria(set, seed).all();
}

}  // namespace helve::agent
