#include "agent/experiment/cell_comparison.h"

#include <fmt/format.h>

#include <cmath>

#include "agent/loops/json_object.h"
#include "base/text.h"

namespace helve::agent {

namespace {

// Means are sums of numbers that are no fractions of two: equal ones may differ in the last bit.
constexpr double kSame = 1e-9;

}  // namespace

std::string name_of(const PassOf& pass) {
  if (pass.cell.plan.passes == 1) return pass.cell.plan.id;
  return fmt::format("{}, pass {}", pass.cell.plan.id, pass.pass);
}

bool CellComparison::is_more() const { return is_measured() && difference.mean > kSame; }
bool CellComparison::is_less() const { return is_measured() && difference.mean < -kSame; }
bool CellComparison::is_better() const { return is_share(measure) ? is_more() : is_less(); }

CellComparison compare(const SetResult& set, const PassOf& left, const PassOf& right,
                       Measure measure, std::uint64_t seed) {
  auto lefts = clusters_of(set, left.cell, left.pass, measure);
  auto rights = clusters_of(set, right.cell, right.pass, measure);
  keep_common(lefts, rights);
  CellComparison made;
  made.left = name_of(left);
  made.right = name_of(right);
  made.measure = measure;
  made.left_mean = estimate_of(lefts, seed);
  made.right_mean = estimate_of(rights, seed);
  made.difference = difference_of(lefts, rights, seed);
  made.ratio = ratio_of(lefts, rights, seed);
  return made;
}

std::vector<CellComparison> compare_layers(const SetResult& set, std::uint64_t seed) {
  std::vector<CellComparison> found;
  const CellResult* const none = set.find("E1");
  if (none == nullptr) return found;
  for (const char* const id : {"E2", "E3", "E4", "E5", "E6"}) {
    const CellResult* const cell = set.find(id);
    if (cell == nullptr) continue;
    for (const Measure measure : {Measure::Success, Measure::F1, Measure::Steps, Measure::Tokens}) {
      found.push_back(compare(set, {*cell}, {*none}, measure, seed));
    }
  }
  return found;
}

std::string comparison_words(const CellComparison& comparison) {
  std::string name(name_of(comparison.measure));
  for (char& character : name) character = character == '_' ? ' ' : character;
  return fmt::format("{} {} against {}, difference {}", name, estimate_words(comparison.left_mean),
                     estimate_words(comparison.right_mean), estimate_words(comparison.difference));
}

JsonValue to_json(const Estimate& estimate) {
  if (estimate.values == 0) return {};
  return object_of({{"mean", JsonValue(estimate.mean)},
                    {"low", JsonValue(estimate.low)},
                    {"high", JsonValue(estimate.high)},
                    {"values", JsonValue(std::uint64_t{estimate.values})},
                    {"tasks", JsonValue(std::uint64_t{estimate.tasks})}});
}

JsonValue to_json(const CellComparison& comparison) {
  return object_of({{"left", JsonValue(comparison.left)},
                    {"right", JsonValue(comparison.right)},
                    {"measure", JsonValue(name_of(comparison.measure))},
                    {"left_mean", to_json(comparison.left_mean)},
                    {"right_mean", to_json(comparison.right_mean)},
                    {"difference", to_json(comparison.difference)},
                    {"ratio", to_json(comparison.ratio)}});
}

std::string number_words(double number) {
  constexpr double kWhole = 100;
  constexpr double kSmall = 0.1;
  constexpr double kNothing = 0.0005;
  const double size = std::abs(number);
  if (size >= kWhole) {
    return (number < 0 ? "-" : "") + format_count(static_cast<std::uint64_t>(std::llround(size)));
  }
  if (number < 0 && size < kNothing) return "0.00";
  if (number != 0 && size < kSmall) return fmt::format("{:.3f}", number);
  return fmt::format("{:.2f}", number);
}

std::string estimate_words(const Estimate& estimate) {
  if (estimate.values == 0) return "-";
  return fmt::format("{} [{}, {}]", number_words(estimate.mean), number_words(estimate.low),
                     number_words(estimate.high));
}

}  // namespace helve::agent
