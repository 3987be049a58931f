#include "tests/reference/differential.h"

#include <utility>

#include "tests/reference/random_query.h"
#include "tests/reference/shrink.h"

namespace helve::reference {

namespace {

constexpr std::uint64_t kStepsOfLarge = 4'000'000;

std::vector<Setup> setups_of(const RoundOptions& options, std::uint64_t turn) {
  if (options.has_all_setups) return all_setups();
  return options.is_large ? store_setups(turn) : setups(turn);
}

std::string small_report(const TestedData& data, const Asked& asked, const std::vector<Setup>& with,
                         const CompareLimits& limits) {
  const auto ask_again = [&](const Failing& failing) {
    return compare(TestedData(failing.quads), {failing.query, asked.is_union_default}, with,
                   limits);
  };
  const Failing least = shrink({data.quads(), asked.query}, [&](const Failing& failing) {
    return ask_again(failing).verdict == Verdict::Different;
  });
  return report(least.quads, {least.query, asked.is_union_default}, ask_again(least));
}

}  // namespace

std::optional<std::string> run_round(Choices& choices, const RoundOptions& options, Tally& tally) {
  CompareLimits limits;
  if (options.is_large) limits.steps_max = kStepsOfLarge;
  const TestedData data(random_quads(choices, {options.quads_max, options.nodes_max, true}));
  QueryOptions query_options;
  query_options.graphs = graph_names(data.quads());
  query_options.is_connected = options.is_large;
  if (options.is_large) query_options.depth = 2;
  for (std::size_t i = 0; i < options.queries; ++i) {
    auto query = as_text_says(RandomQuery(choices, query_options).make());
    if (!query) {
      ++tally.unsaid;
      continue;
    }
    const Asked asked{*std::move(query), choices.chance(15)};
    const std::vector<Setup> with = setups_of(options, options.turn + i);
    const Compared compared = compare(data, asked, with, limits);
    tally.runs += compared.runs;
    if (compared.verdict == Verdict::Skipped) {
      ++tally.skipped;
      continue;
    }
    ++tally.queries;
    tally.with_rows += compared.has_rows ? 1 : 0;
    if (compared.verdict == Verdict::Different) return small_report(data, asked, with, limits);
  }
  return std::nullopt;
}

}  // namespace helve::reference
