// Planner: answers that the indexes know: counts of a triple pattern, grouped by one of its
// variables or not, and its different values.
#include <algorithm>
#include <utility>

#include "sources/sparql/engine/estimates.h"
#include "sources/sparql/engine/index_counts.h"
#include "sources/sparql/engine/modified.h"
#include "sources/sparql/engine/planner.h"

namespace helve::sparql {

namespace {

constexpr std::array<Part, 3> kCountedParts = {Part::Subject, Part::Predicate, Part::Object};

// The only triple of a pattern, with different variables.
struct OnlyTriple {
  PatternSlots slots;
  QuadPattern pattern;

  std::optional<Part> part_of(const std::string& variable) const {
    for (std::size_t i = 0; i < kCountedParts.size(); ++i) {
      if (slots[i].variable == variable) return kCountedParts[i];
    }
    return std::nullopt;
  }
  bool has_blank() const {
    return std::any_of(slots.begin(), slots.end(),
                       [](const PatternSlot& slot) { return slot.variable.starts_with("_:"); });
  }
  std::size_t variables() const {
    std::size_t count = 0;
    for (const PatternSlot& slot : slots) count += slot.is_variable() ? 1 : 0;
    return count;
  }
};

std::optional<OnlyTriple> only_triple(const Pattern& where, const Estimator& estimates,
                                      const GraphScope& scope) {
  const auto* basic = where.if_is<BasicGraphPattern>();
  if (basic == nullptr || basic->triples.size() != 1 || !is_one_graph(scope)) return std::nullopt;
  const auto& slots = estimates.slots_of(basic->triples.front());
  if (!slots) return std::nullopt;
  for (std::size_t i = 0; i < slots->size(); ++i) {
    if ((*slots)[i].constant.tag() == rdf::Tag::Local) return std::nullopt;
    for (std::size_t j = i + 1; j < slots->size(); ++j) {
      const PatternSlot& slot = (*slots)[i];
      if (slot.is_variable() && slot.variable == (*slots)[j].variable) return std::nullopt;
    }
  }
  const GraphChoice choice = choice_of(scope);
  if (choice.kind == GraphChoice::Kind::One) return std::nullopt;
  return OnlyTriple{*slots,
                    {(*slots)[0].constant, (*slots)[1].constant, (*slots)[2].constant, choice}};
}

// What an aggregate counts; nullopt for one that the indexes do not know.
std::optional<IndexCount> count_of(const std::string& name, const Aggregate& aggregate,
                                   const OnlyTriple& triple, std::optional<Part> key) {
  using Kind = IndexCount::Kind;
  if (aggregate.kind != AggregateKind::Count) return std::nullopt;
  if (aggregate.argument.empty()) {
    // Triples are different from each other, so are the rows, but for what no one can name.
    if (aggregate.is_distinct && triple.has_blank()) return std::nullopt;
    return IndexCount{name, Kind::Triples, Part::Subject};
  }
  const auto* variable = aggregate.argument.front().if_is<Variable>();
  const auto part = variable != nullptr ? triple.part_of(variable->name) : std::nullopt;
  if (!part) return std::nullopt;
  if (!aggregate.is_distinct) return IndexCount{name, Kind::Triples, *part};
  if (!key) return IndexCount{name, Kind::Distinct, *part};
  if (*key == *part) return IndexCount{name, Kind::One, *part};
  if (triple.variables() == 2) return IndexCount{name, Kind::Triples, *part};
  if (triple.variables() != 3 || *key != Part::Predicate) return std::nullopt;
  return IndexCount{name, *part == Part::Subject ? Kind::DistinctSubjects : Kind::DistinctObjects,
                    *part};
}

}  // namespace

Result<OperatorPtr> Planner::plan_index_counts(const Body& body, const Modified& modified,
                                               const PlanFrame& frame) {
  if (!run_.passes.has(Pass::CountsFromIndex) || frame.seed->schema.size() > 0) {
    return OperatorPtr();
  }
  const Estimator estimates(run_, *frame.scope);
  const auto triple = only_triple(body.where, estimates, *frame.scope);
  if (!triple || modified.keys.size() > 1) return OperatorPtr();
  std::optional<Part> key;
  std::string key_name;
  if (!modified.keys.empty()) {
    const auto* variable = modified.keys.front().expression->if_is<Variable>();
    if (variable != nullptr) key = triple->part_of(variable->name);
    if (!key) return OperatorPtr();
    key_name = modified.keys.front().name;
  }
  std::vector<IndexCount> counts;
  for (const Modified::NamedAggregate& column : modified.aggregates) {
    auto count = count_of(column.name, column.aggregate, *triple, key);
    if (!count) return OperatorPtr();
    // What is known of predicates is about all graphs as one.
    const bool is_of_predicate = count->kind == IndexCount::Kind::DistinctSubjects ||
                                 count->kind == IndexCount::Kind::DistinctObjects;
    if (is_of_predicate && has_named_graphs_ &&
        triple->pattern.graph.kind != GraphChoice::Kind::Union) {
      return OperatorPtr();
    }
    // Without groups the index must know the different values of the part.
    if (count->kind == IndexCount::Kind::Distinct &&
        run_.data().groups(triple->pattern, count->part) == nullptr) {
      return OperatorPtr();
    }
    counts.push_back(*std::move(count));
  }
  const Count all = run_.data().count(triple->pattern);
  if (!all.is_exact) return OperatorPtr();
  if (!key) {
    return step(make_index_counts(triple->pattern, std::move(counts), run_),
                {"count from index", "", ""}, {1, 0}, {});
  }
  if (run_.data().groups(triple->pattern, *key) == nullptr) return OperatorPtr();
  const double groups = estimates.distinct(body.where.if_is<BasicGraphPattern>()->triples.front(),
                                           triple->slots[static_cast<std::size_t>(*key)].variable);
  return step(make_index_groups(triple->pattern, *key, key_name, std::move(counts), run_),
              {"groups from index", "?" + key_name, ""}, {groups, groups}, {});
}

Result<OperatorPtr> Planner::plan_index_values(const Select& select, const PlanFrame& frame) {
  const bool may = run_.passes.has(Pass::CountsFromIndex) &&
                   select.duplicates == Duplicates::Distinct && !is_grouped(select) &&
                   !select.body.values && frame.seed->schema.size() == 0;
  const VariableNames columns = may ? result_variables(select) : VariableNames();
  if (columns.size() != 1) return OperatorPtr();
  for (const SelectItem& item : select.items) {
    if (item.expression) return OperatorPtr();
  }
  for (const OrderKey& key : select.body.order_by) {
    const VariableSet mentioned = mentioned_variables(key.expression);
    if (mentioned != VariableSet{columns.front()} || !is_repeatable(key.expression)) {
      return OperatorPtr();
    }
  }
  const Estimator estimates(run_, *frame.scope);
  const auto triple = only_triple(select.body.where, estimates, *frame.scope);
  const auto part = triple ? triple->part_of(columns.front()) : std::nullopt;
  if (!part || run_.data().groups(triple->pattern, *part) == nullptr) return OperatorPtr();
  const double groups = estimates.distinct(
      select.body.where.if_is<BasicGraphPattern>()->triples.front(), columns.front());
  return step(make_index_groups(triple->pattern, *part, columns.front(), {}, run_),
              {"values from index", "?" + columns.front(), ""}, {groups, groups}, {});
}

}  // namespace helve::sparql
