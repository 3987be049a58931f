// What follows WHERE: https://www.w3.org/TR/sparql11-query/#convertSolMod, and the answer.
#include <algorithm>
#include <compare>
#include <numeric>
#include <set>

#include "sources/sparql/algebra/analysis.h"
#include "tests/reference/reference_evaluation.h"

namespace helve::reference {

using namespace sparql;

namespace {

// The expression with a variable in place of each aggregate.
Expression without_aggregates(const Expression& expression, std::vector<Aggregate>& aggregates,
                              const std::string& prefix) {
  if (const auto* aggregate = expression.if_is<Aggregate>()) {
    aggregates.push_back(*aggregate);
    return Expression(Variable{prefix + std::to_string(aggregates.size() - 1), {}});
  }
  Expression out = expression;
  const auto replace = [&](std::vector<Expression>& arguments) {
    for (Expression& argument : arguments) {
      argument = without_aggregates(argument, aggregates, prefix);
    }
  };
  if (auto* operation = std::get_if<Operation>(&out.node)) replace(operation->arguments);
  if (auto* call = std::get_if<Call>(&out.node)) replace(call->arguments);
  return out;
}

OpContext context_with(MemoryBudget& memory) {
  OpContext context;
  context.memory = &memory;
  return context;
}

Result<ReferenceAnswer> ambiguous() {
  return Error(ErrorCode::Unavailable, "a LIMIT may choose among equals");
}

}  // namespace

struct Evaluation::Rewritten {
  bool is_grouped = false;
  std::vector<Aggregate> aggregates;
  std::vector<std::size_t> variables;  // of the aggregates
  std::vector<SelectItem> items;
  std::vector<Expression> having;
  std::vector<OrderKey> order_by;
};

bool OrderedSolutions::is_ambiguous() const {
  std::size_t begin = 0;
  for (const std::size_t size : ties) {
    const std::size_t end = begin + size;
    const std::size_t taken =
        std::min(end, last) - std::min(std::max(begin, first), std::min(end, last));
    if (taken > 0 && taken < size) {
      for (std::size_t i = begin + 1; i < end; ++i) {
        if (!(rows[i] == rows[begin])) return true;
      }
    }
    begin = end;
  }
  return false;
}

const Evaluation::Rewritten& Evaluation::rewritten(const Body& body,
                                                   const std::vector<SelectItem>& items) {
  auto& known = rewritten_[&body];
  if (known != nullptr) return *known;
  known = std::make_unique<Rewritten>();
  // No variable of a query has such a name.
  const std::string prefix = "#" + std::to_string(rewritten_.size()) + "/";
  known->is_grouped = !body.group_by.empty() || !body.having.empty();
  const auto rewrite = [&](const Expression& expression) {
    return without_aggregates(expression, known->aggregates, prefix);
  };
  for (const SelectItem& item : items) {
    known->items.push_back(item);
    if (item.expression) known->items.back().expression = rewrite(*item.expression);
  }
  for (const Expression& condition : body.having) known->having.push_back(rewrite(condition));
  for (const OrderKey& key : body.order_by) {
    known->order_by.push_back({rewrite(key.expression), key.is_descending});
  }
  known->is_grouped |= !known->aggregates.empty();
  for (std::size_t i = 0; i < known->aggregates.size(); ++i) {
    known->variables.push_back(variables_.number(prefix + std::to_string(i)));
  }
  return *known;
}

Result<Solution> Evaluation::aggregated(const Solutions& group, const Rewritten& rewritten,
                                        const Place& place) {
  Solution out;
  for (std::size_t i = 0; i < rewritten.aggregates.size(); ++i) {
    const Aggregate& aggregate = rewritten.aggregates[i];
    Accumulator accumulator(aggregate, expressions_);
    Solutions counted;
    std::set<std::uint64_t> values;
    for (const Solution& solution : group) {
      if (!aggregate.argument.empty()) {
        HELVE_ASSIGN(const Value argument, value(aggregate.argument.front(), solution, place));
        HELVE_ASSIGN(const Id id, id_of(argument));
        if (aggregate.is_distinct && !values.insert(id.bits()).second) continue;
        HELVE_TRY(accumulator.add(argument, expressions_));
        continue;
      }
      HELVE_TRY(steps_.spend(1 + (aggregate.is_distinct ? counted.size() : 0)));
      if (aggregate.is_distinct) {
        if (std::find(counted.begin(), counted.end(), solution) != counted.end()) continue;
        counted.push_back(solution);
      }
      HELVE_TRY(accumulator.add(rdf::XsdValue::boolean(true), expressions_));
    }
    HELVE_ASSIGN(const Id id, id_of(accumulator.finish(expressions_)));
    out.set(rewritten.variables[i], id);
  }
  return out;
}

// https://www.w3.org/TR/sparql11-query/#defn_algGroup
Result<Solutions> Evaluation::grouped(Solutions input, const Body& body, const Rewritten& rewritten,
                                      const Place& place) {
  std::vector<std::pair<std::vector<Id>, Solutions>> groups;
  if (body.group_by.empty()) groups.emplace_back();
  for (Solution& solution : input) {
    std::vector<Id> key;
    for (const GroupKey& part : body.group_by) {
      HELVE_ASSIGN(const Id id, id_of(part.expression, solution, place));
      key.push_back(id);
    }
    HELVE_TRY(steps_.spend(groups.size()));
    auto at = std::find_if(groups.begin(), groups.end(),
                           [&](const auto& group) { return group.first == key; });
    if (at == groups.end()) at = groups.emplace(at, std::move(key), Solutions());
    at->second.push_back(std::move(solution));
  }
  Solutions out;
  for (const auto& [key, members] : groups) {
    HELVE_ASSIGN(Solution made, aggregated(members, rewritten, place));
    for (std::size_t i = 0; i < body.group_by.size(); ++i) {
      const GroupKey& part = body.group_by[i];
      const auto* variable = part.name ? &*part.name : part.expression.if_is<Variable>();
      if (variable != nullptr) made.set(variables_.number(variable->name), key[i]);
    }
    out.push_back(std::move(made));
  }
  return out;
}

Result<OrderedSolutions> Evaluation::ordered(Solutions input, const std::vector<OrderKey>& keys,
                                             const Place& place) {
  using Keys = std::vector<SortKey>;
  std::vector<Keys> by_row;
  for (const Solution& solution : input) {
    Keys row;
    for (const OrderKey& key : keys) {
      HELVE_ASSIGN(const Value found, value(key.expression, solution, place));
      row.push_back(SortKey::of(found, expressions_));
      HELVE_TRY(bytes_.spend(row.back().memory_bytes()));
    }
    by_row.push_back(std::move(row));
  }
  const auto compare = [&](std::size_t a, std::size_t b) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::weak_ordering order = by_row[a][i].compare(by_row[b][i]);
      if (std::is_eq(order)) continue;
      return std::is_lt(order) != keys[i].is_descending ? -1 : 1;
    }
    return 0;
  };
  std::vector<std::size_t> order(input.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return compare(a, b) < 0; });
  OrderedSolutions out;
  out.is_ordered = !keys.empty();
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && compare(order[i - 1], order[i]) == 0) {
      ++out.ties.back();
    } else {
      out.ties.push_back(1);
    }
    out.rows.push_back(std::move(input[order[i]]));
  }
  return out;
}

namespace {

// Keeps the first of equal rows: where it stands depends on ORDER BY alone.
Result<void> make_distinct(OrderedSolutions& found, Steps& steps) {
  OrderedSolutions out;
  std::size_t begin = 0;
  for (const std::size_t size : found.ties) {
    std::size_t kept = 0;
    for (std::size_t i = begin; i < begin + size; ++i) {
      HELVE_TRY(steps.spend(out.rows.size()));
      if (std::find(out.rows.begin(), out.rows.end(), found.rows[i]) != out.rows.end()) continue;
      out.rows.push_back(found.rows[i]);
      ++kept;
    }
    if (kept > 0) out.ties.push_back(kept);
    begin += size;
  }
  found.rows = std::move(out.rows);
  found.ties = std::move(out.ties);
  return {};
}

}  // namespace

Result<OrderedSolutions> Evaluation::of_body(
    const Body& body, const std::vector<SelectItem>& items,
    const std::optional<std::vector<std::string>>& projection, Duplicates duplicates,
    const Place& place) {
  const Rewritten& rewrite = rewritten(body, items);
  HELVE_ASSIGN(Solutions found, solutions(body.where, place));
  if (rewrite.is_grouped) {
    HELVE_ASSIGN(found, grouped(std::move(found), body, rewrite, place));
    Solutions kept;
    for (Solution& solution : found) {
      HELVE_ASSIGN(const bool is_kept, are_true(rewrite.having, solution, place));
      if (is_kept) kept.push_back(std::move(solution));
    }
    found = std::move(kept);
  }
  if (body.values) {
    HELVE_ASSIGN(const Solutions more, of(*body.values, place));
    HELVE_ASSIGN(found, join(found, more));
  }
  for (const SelectItem& item : rewrite.items) {
    if (!item.expression) continue;
    for (Solution& solution : found) {
      HELVE_ASSIGN(const Id id, id_of(*item.expression, solution, place));
      if (id.is_defined()) solution.set(variables_.number(item.variable.name), id);
    }
  }
  HELVE_ASSIGN(OrderedSolutions out, ordered(std::move(found), rewrite.order_by, place));
  if (projection) {
    for (Solution& solution : out.rows) {
      Solution kept;
      for (const std::string& name : *projection) {
        kept.set(variables_.number(name), solution[variables_.number(name)]);
      }
      solution = std::move(kept);
    }
  }
  if (duplicates == Duplicates::Distinct) HELVE_TRY(make_distinct(out, steps_));
  const std::size_t size = out.rows.size();
  out.first = static_cast<std::size_t>(std::min<std::uint64_t>(body.offset.value_or(0), size));
  out.last = out.first + static_cast<std::size_t>(
                             std::min<std::uint64_t>(body.limit.value_or(size), size - out.first));
  return out;
}

Result<OrderedSolutions> Evaluation::of_select(const Select& select, const Place& place) {
  return of_body(select.body, select.items, result_variables(select), select.duplicates, place);
}

Result<Row> Evaluation::row_of(const Solution& solution, const std::vector<std::string>& names) {
  Row row;
  std::string scratch;
  for (const std::string& name : names) {
    const Id id = solution[variables_.number(name)];
    append_cell(row, id.is_defined() ? std::optional(terms_.term(id, scratch)) : std::nullopt);
  }
  HELVE_TRY(bytes_.spend(sizeof(Row) + row.size()));
  return row;
}

Result<ReferenceAnswer> Evaluation::graph_answer(const Construct& construct,
                                                 const OrderedSolutions& found) {
  if (found.is_ambiguous()) return ambiguous();
  std::set<Row> statements;
  for (std::size_t i = found.first; i < found.last; ++i) {
    for (const TriplePattern& triple : construct.triples) {
      const TermPattern predicate = std::holds_alternative<Variable>(triple.predicate)
                                        ? TermPattern(std::get<Variable>(triple.predicate))
                                        : TermPattern(std::get<Constant>(triple.predicate));
      Row row;
      bool is_good = true;
      int place = 0;
      for (const TermPattern* part : {&triple.subject, &predicate, &triple.object}) {
        if (std::holds_alternative<BlankNode>(*part)) {
          return Error(ErrorCode::InvalidInput, "the reference makes no blank nodes");
        }
        const auto variable = variable_of(*part);
        HELVE_ASSIGN(const Id id, variable ? Result<Id>(found.rows[i][*variable])
                                           : id_of(std::get<Constant>(*part).term));
        std::string scratch;
        is_good = is_good && id.is_defined();
        if (!is_good) break;
        const rdf::TermView term = terms_.term(id, scratch);
        is_good = place == 0 ? !term.is_literal() : place == 1 ? term.is_iri() : true;
        append_cell(row, term);
        ++place;
      }
      HELVE_TRY(bytes_.spend(sizeof(Row) + row.size()));
      if (is_good) statements.insert(std::move(row));
    }
  }
  ReferenceAnswer out;
  out.kind = ReferenceAnswer::Kind::Graph;
  out.groups.push_back({{statements.begin(), statements.end()}, statements.size()});
  return out;
}

Result<ReferenceAnswer> Evaluation::answer() {
  const Place place{&dataset_.default_graph, {}};
  if (std::holds_alternative<Describe>(query_.form)) {
    return Error(ErrorCode::InvalidInput, "the reference has no DESCRIBE");
  }
  const auto* select = std::get_if<Select>(&query_.form);
  if (select == nullptr) {
    HELVE_ASSIGN(const OrderedSolutions found,
                 of_body(query_.body(), {}, std::nullopt, Duplicates::Keep, place));
    if (const auto* construct = std::get_if<Construct>(&query_.form)) {
      return graph_answer(*construct, found);
    }
    ReferenceAnswer out;
    out.kind = ReferenceAnswer::Kind::Boolean;
    out.is_true = found.last > found.first;
    return out;
  }
  HELVE_ASSIGN(const OrderedSolutions found, of_select(*select, place));
  ReferenceAnswer out;
  out.names = result_variables(*select);
  out.is_ordered = found.is_ordered;
  std::size_t begin = 0;
  for (const std::size_t size : found.ties) {
    RowGroup group;
    const std::size_t end = begin + size;
    const std::size_t last = std::min(end, found.last);
    group.taken = last - std::min(std::max(begin, found.first), last);
    if (group.taken > 0) {
      for (std::size_t i = begin; i < end; ++i) {
        HELVE_ASSIGN(Row row, row_of(found.rows[i], out.names));
        group.rows.push_back(std::move(row));
      }
      out.groups.push_back(std::move(group));
    }
    begin = end;
  }
  return out;
}

Evaluation::Evaluation(const Query& query, const std::shared_ptr<const sparql::Snapshot>& snapshot,
                       const ReferenceOptions& options)
    : query_(query),
      memory_("reference", options.bytes_max),
      context_(context_with(memory_)),
      terms_(snapshot, context_),
      expressions_(context_, terms_, options.env != nullptr ? *options.env : real_env(),
                   query_.base_iri, query_.version),
      dataset_(dataset_of(query_.dataset, *snapshot, options.is_union_default)),
      steps_(options.steps_max),
      bytes_(options.bytes_max),
      rows_max_(options.rows_max) {}

std::size_t ReferenceAnswer::rows() const {
  std::size_t rows = 0;
  for (const RowGroup& group : groups) rows += group.taken;
  return rows;
}

Result<ReferenceAnswer> evaluate(const Query& query,
                                 const std::shared_ptr<const Snapshot>& snapshot,
                                 const ReferenceOptions& options) {
  return Evaluation(query, snapshot, options).answer();
}

void append_cell(Row& row, const std::optional<rdf::TermView>& term) {
  if (!row.empty()) row += ' ';
  if (term) {
    rdf::append_ntriples(row, *term);
  } else {
    row += '-';
  }
}

}  // namespace helve::reference
