#include "agent/experiment/results.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/loops/json_object.h"

namespace helve::agent {

namespace {

JsonValue pass_json(const SetResult& set, const CellResult& cell, std::size_t pass,
                    std::uint64_t seed) {
  JsonValue::Object members;
  members.push_back({"pass", JsonValue(std::uint64_t{pass})});
  for (const Measure measure : kMeasures) {
    members.push_back(
        {std::string(name_of(measure)), to_json(estimate_of(set, cell, pass, measure, seed))});
  }
  if (cell.plan.rollouts > 1) {
    members.push_back({"best_success", to_json(best_success(set, cell, pass, seed))});
  }
  return JsonValue(std::move(members));
}

JsonValue banks_json(const CellResult& cell) {
  JsonValue::Array banks;
  for (const BankFigures& bank : cell.banks) {
    banks.push_back(object_of({{"repeat", JsonValue(std::uint64_t{bank.repeat})},
                               {"pass", JsonValue(std::uint64_t{bank.pass})},
                               {"items", JsonValue(bank.items)},
                               {"active", JsonValue(bank.active)},
                               {"invalid", JsonValue(bank.invalid)}}));
  }
  return JsonValue(std::move(banks));
}

JsonValue cell_json(const SetResult& set, const CellResult& cell, std::uint64_t seed) {
  JsonValue::Array passes;
  for (std::size_t pass = 1; pass <= cell.plan.passes; ++pass) {
    passes.push_back(pass_json(set, cell, pass, seed));
  }
  JsonValue::Array failures;
  for (const CellFailure& one : cell.failures) {
    failures.push_back(object_of(
        {{"repeat", JsonValue(std::uint64_t{one.repeat})}, {"error", JsonValue(one.error)}}));
  }
  JsonValue::Array runs;
  for (const RunFigures& run : cell.runs) runs.push_back(to_json(run));
  return object_of({{"plan", to_json(cell.plan)},
                    {"estimates", JsonValue(std::move(passes))},
                    {"banks", banks_json(cell)},
                    {"items_added", JsonValue(cell.items_added)},
                    {"drafts_rejected", JsonValue(cell.drafts_rejected)},
                    {"failures", JsonValue(std::move(failures))},
                    {"runs", JsonValue(std::move(runs))}});
}

JsonValue set_json(const SetResult& set, std::uint64_t seed) {
  JsonValue::Array tasks;
  for (const TaskCase& task : set.tasks) {
    tasks.push_back(object_of({{"id", JsonValue(task.id)},
                               {"level", JsonValue(std::uint64_t{task.level})},
                               {"question", JsonValue(task.question)}}));
  }
  JsonValue::Array cells;
  for (const CellResult& cell : set.cells) cells.push_back(cell_json(set, cell, seed));
  JsonValue::Array criteria;
  for (const Criterion& one : criteria_of(set, seed)) {
    JsonValue::Array comparisons;
    for (const CellComparison& rests_on : one.comparisons) comparisons.push_back(to_json(rests_on));
    criteria.push_back(object_of({{"cells", JsonValue(one.cells)},
                                  {"claim", JsonValue(one.claim)},
                                  {"outcome", JsonValue(name_of(one.outcome))},
                                  {"figures", JsonValue(one.figures)},
                                  {"comparisons", JsonValue(std::move(comparisons))}}));
  }
  JsonValue::Array layers;
  for (const CellComparison& one : compare_layers(set, seed)) layers.push_back(to_json(one));
  return object_of({{"name", JsonValue(set.name)},
                    {"source", JsonValue(set.source)},
                    {"digest", JsonValue(set.digest)},
                    {"tasks", JsonValue(std::move(tasks))},
                    {"criteria", JsonValue(std::move(criteria))},
                    {"layers", JsonValue(std::move(layers))},
                    {"cells", JsonValue(std::move(cells))}});
}

}  // namespace

JsonValue to_json(const ExperimentResult& result) {
  JsonValue::Array sets;
  for (const SetResult& set : result.sets) sets.push_back(set_json(set, result.seed));
  return object_of({{"version", JsonValue(kResultsVersion)},
                    {"config", result.config},
                    {"repeats", JsonValue(std::uint64_t{result.repeats})},
                    {"loop", JsonValue(result.loop)},
                    {"limits", result.limits},
                    {"seed", JsonValue(result.seed)},
                    {"stopped", JsonValue(result.stopped)},
                    {"sets", JsonValue(std::move(sets))}});
}

bool has_costs(const SetResult& set) {
  return std::any_of(set.cells.begin(), set.cells.end(), [](const CellResult& cell) {
    return std::any_of(cell.runs.begin(), cell.runs.end(),
                       [](const RunFigures& run) { return run.cost.value_or(0) > 0; });
  });
}

std::vector<ResultRow> rows_of(const SetResult& set) {
  std::vector<ResultRow> rows;
  for (const CellResult& cell : set.cells) {
    for (std::size_t pass = 1; pass <= cell.plan.passes; ++pass) {
      std::string name = cell.plan.id;
      if (cell.plan.passes > 1) name += fmt::format(", pass {}", pass);
      rows.push_back({&cell, pass, std::move(name)});
    }
  }
  return rows;
}

}  // namespace helve::agent
