// Patterns: https://www.w3.org/TR/sparql11-query/#sparqlAlgebraEval
#include <fmt/format.h>

#include "sources/sparql/algebra/analysis.h"
#include "tests/reference/reference_evaluation.h"

namespace helve::reference {

using namespace sparql;

Result<Solutions> Evaluation::solutions(const Pattern& pattern, const Place& place) {
  HELVE_TRY(steps_.spend(1));
  return std::visit([&](const auto& node) { return of(node, place); }, pattern.node);
}

std::optional<std::size_t> Evaluation::variable_of(const TermPattern& term) {
  if (const auto* variable = std::get_if<Variable>(&term)) {
    return variables_.number(variable->name);
  }
  if (const auto* blank = std::get_if<BlankNode>(&term)) {
    return variables_.number("_:" + blank->label);
  }
  return std::nullopt;
}

Result<void> Evaluation::keep(Solution solution, Solutions& rows) const {
  if (rows.size() >= rows_max_) {
    return Error(ErrorCode::LimitExceeded, "too many rows for the reference");
  }
  rows.push_back(std::move(solution));
  return {};
}

Result<void> Evaluation::keep_all(const Solutions& more, Solutions& rows) const {
  for (const Solution& solution : more) HELVE_TRY(keep(solution, rows));
  return {};
}

// Blank nodes are variables that are not part of the solution; each choice for them counts.
Result<Solutions> Evaluation::of(const BasicGraphPattern& node, const Place& place) {
  Solutions found(1);
  std::vector<std::size_t> blanks;
  for (const TriplePattern& triple : node.triples) {
    for (const TermPattern* term : {&triple.subject, &triple.object}) {
      if (std::holds_alternative<BlankNode>(*term)) blanks.push_back(*variable_of(*term));
    }
    if (const auto* path = std::get_if<Path>(&triple.predicate)) {
      HELVE_ASSIGN(const Solutions more, path_solutions(triple, *path, place));
      HELVE_ASSIGN(found, join(found, more));
    } else {
      HELVE_ASSIGN(found, add_triple(triple, found, place));
    }
  }
  for (Solution& solution : found) {
    for (const std::size_t blank : blanks) solution.set(blank, Id());
  }
  return found;
}

Result<Solutions> Evaluation::add_triple(const TriplePattern& triple, const Solutions& left,
                                         const Place& place) {
  const auto predicate = std::visit(
      [](const auto& part) -> TermPattern {
        if constexpr (std::is_same_v<std::decay_t<decltype(part)>, Path>) {
          return {};
        } else {
          return part;
        }
      },
      triple.predicate);
  const std::array<const TermPattern*, 3> parts = {&triple.subject, &predicate, &triple.object};
  Solutions out;
  for (const Solution& solution : left) {
    Triple wanted;
    std::array<std::optional<std::size_t>, 3> variables;
    for (std::size_t i = 0; i < 3; ++i) {
      variables[i] = variable_of(*parts[i]);
      if (!variables[i]) {
        HELVE_ASSIGN(wanted[i], id_of(std::get<Constant>(*parts[i]).term));
      } else {
        wanted[i] = merged(solution, place.given)[*variables[i]];
      }
    }
    std::uint64_t candidates = 1;
    Result<void> kept;
    place.graph->for_each(wanted, [&](const Triple& match) {
      ++candidates;
      if (!kept) return;
      Solution next = solution;
      for (std::size_t i = 0; i < 3; ++i) {
        if (!variables[i]) continue;
        if (next[*variables[i]].is_defined() && next[*variables[i]] != match[i]) return;
        next.set(*variables[i], match[i]);
      }
      kept = keep(std::move(next), out);
    });
    HELVE_TRY(kept);
    HELVE_TRY(steps_.spend(candidates));
  }
  return out;
}

Result<Solutions> Evaluation::path_solutions(const TriplePattern& triple, const Path& path,
                                             const Place& place) {
  const auto subject = variable_of(triple.subject);
  const auto object = variable_of(triple.object);
  const auto end = [&](const TermPattern& term, std::optional<std::size_t> variable) {
    return variable ? Result<Id>(Id()) : id_of(std::get<Constant>(term).term);
  };
  const auto find_iri = [this](const std::string& iri) {
    return id_of(rdf::Term(rdf::TermView::iri(iri)));
  };
  HELVE_ASSIGN(const Id start, end(triple.subject, subject));
  HELVE_ASSIGN(const Id target, end(triple.object, object));
  HELVE_ASSIGN(const PathEnds ends, path_ends(path, start, target, *place.graph, find_iri, steps_));
  Solutions out;
  for (const auto& [from, to] : ends) {
    if (subject && object && *subject == *object && from != to) continue;
    Solution solution;
    if (subject) solution.set(*subject, from);
    if (object) solution.set(*object, to);
    if (are_compatible(solution, place.given)) HELVE_TRY(keep(std::move(solution), out));
  }
  return out;
}

Result<Solutions> Evaluation::join(const Solutions& left, const Solutions& right) {
  HELVE_TRY(steps_.spend(left.size() * right.size()));
  Solutions out;
  for (const Solution& a : left) {
    for (const Solution& b : right) {
      if (are_compatible(a, b)) HELVE_TRY(keep(merged(a, b), out));
    }
  }
  return out;
}

Result<Solutions> Evaluation::of(const Join& node, const Place& place) {
  Solutions out(1);
  for (const Pattern& part : node.parts) {
    HELVE_ASSIGN(const Solutions more, solutions(part, place));
    HELVE_ASSIGN(out, join(out, more));
  }
  return out;
}

Result<Solutions> Evaluation::of(const LeftJoin& node, const Place& place) {
  HELVE_ASSIGN(const Solutions left, solutions(*node.left, place));
  HELVE_ASSIGN(const Solutions right, solutions(*node.right, place));
  HELVE_TRY(steps_.spend(left.size() * right.size()));
  Solutions out;
  for (const Solution& a : left) {
    bool has_match = false;
    for (const Solution& b : right) {
      if (!are_compatible(a, b)) continue;
      Solution both = merged(a, b);
      HELVE_ASSIGN(const bool is_kept, are_true(node.conditions, both, place));
      if (!is_kept) continue;
      has_match = true;
      HELVE_TRY(keep(std::move(both), out));
    }
    if (!has_match) HELVE_TRY(keep(a, out));
  }
  return out;
}

Result<Solutions> Evaluation::of(const Union& node, const Place& place) {
  Solutions out;
  for (const Pattern& part : node.parts) {
    HELVE_ASSIGN(const Solutions more, solutions(part, place));
    HELVE_TRY(keep_all(more, out));
  }
  return out;
}

// Terms that EXISTS gives are part of a solution where the variable is in scope, and only there.
Solutions Evaluation::with_given(Solutions found, const Pattern& pattern, const Place& place) {
  if (place.given.size() == 0) return found;
  for (const std::string& name : variables_in_scope(pattern)) {
    const std::size_t variable = variables_.number(name);
    for (Solution& solution : found) {
      if (!solution[variable].is_defined()) solution.set(variable, place.given[variable]);
    }
  }
  return found;
}

Result<Solutions> Evaluation::of(const Minus& node, const Place& place) {
  HELVE_ASSIGN(Solutions left, solutions(*node.left, place));
  HELVE_ASSIGN(Solutions right, solutions(*node.right, place));
  left = with_given(std::move(left), *node.left, place);
  right = with_given(std::move(right), *node.right, place);
  HELVE_TRY(steps_.spend(left.size() * right.size()));
  Solutions out;
  for (const Solution& a : left) {
    const bool is_removed = std::any_of(right.begin(), right.end(), [&](const Solution& b) {
      return are_compatible(a, b) && have_common_variable(a, b);
    });
    if (!is_removed) out.push_back(a);
  }
  return out;
}

Result<Solutions> Evaluation::of(const Filter& node, const Place& place) {
  HELVE_ASSIGN(const Solutions inner, solutions(*node.inner, place));
  Solutions out;
  for (const Solution& solution : inner) {
    HELVE_ASSIGN(const bool is_kept, are_true(node.conditions, solution, place));
    if (is_kept) out.push_back(solution);
  }
  return out;
}

// An error leaves the variable unbound.
Result<Solutions> Evaluation::of(const Extend& node, const Place& place) {
  HELVE_ASSIGN(const Solutions inner, solutions(*node.inner, place));
  const std::size_t variable = variables_.number(node.variable.name);
  Solutions out;
  for (Solution solution : inner) {
    HELVE_ASSIGN(const Id id, id_of(*node.expression, solution, place));
    if (id.is_defined()) solution.set(variable, id);
    if (are_compatible(solution, place.given)) out.push_back(std::move(solution));
  }
  return out;
}

Result<Solutions> Evaluation::of(const Values& node, const Place& place) {
  Solutions out;
  for (const auto& row : node.rows) {
    Solution solution;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!row[i]) continue;
      HELVE_ASSIGN(const Id id, id_of(*row[i]));
      solution.set(variables_.number(node.variables[i].name), id);
    }
    if (are_compatible(solution, place.given)) out.push_back(std::move(solution));
  }
  return out;
}

// The pattern inside does not see the name: it is joined with what was found in each graph.
Result<Solutions> Evaluation::of(const Graph& node, const Place& place) {
  if (const auto* name = std::get_if<Constant>(&node.name)) {
    HELVE_ASSIGN(const Id id, id_of(name->term));
    const TripleList* graph = dataset_.find(id);
    if (graph == nullptr) return Solutions{};
    return solutions(*node.inner, {graph, place.given});
  }
  const std::size_t variable = variables_.number(std::get<Variable>(node.name).name);
  Solutions out;
  for (const auto& [name, graph] : dataset_.named) {
    Solution named;
    named.set(variable, name);
    if (!are_compatible(named, place.given)) continue;
    HELVE_ASSIGN(const Solutions inner, solutions(*node.inner, {&graph, place.given}));
    HELVE_ASSIGN(const Solutions joined, join(inner, {named}));
    HELVE_TRY(keep_all(joined, out));
  }
  return out;
}

Result<Solutions> Evaluation::of(const Service& /*node*/, const Place& /*place*/) {
  return Error(ErrorCode::InvalidInput, "the reference has no SERVICE");
}

// A sub-query is evaluated as it stands; what EXISTS gives is joined with its columns.
Result<Solutions> Evaluation::of(const SubSelect& node, const Place& place) {
  HELVE_ASSIGN(const OrderedSolutions found, of_select(*node.select, {place.graph, {}}));
  if (found.is_ambiguous()) {
    return Error(ErrorCode::Unavailable, "a LIMIT in a sub-query may choose among equals");
  }
  Solutions out;
  for (std::size_t i = found.first; i < found.last; ++i) {
    if (are_compatible(found.rows[i], place.given)) out.push_back(found.rows[i]);
  }
  return out;
}

// EXISTS: the pattern has a solution once the terms of the row are in place of its variables.
class Evaluation::Probe final : public PatternProbe {
 public:
  Probe(Evaluation& evaluation, const Pattern& pattern, std::vector<std::size_t> variables)
      : evaluation_(evaluation), pattern_(pattern), variables_(std::move(variables)) {}

  Result<bool> exists(const Batch& batch, std::size_t row) override {
    Place place{evaluation_.place_->graph, {}};
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      place.given.set(variables_[i], batch.at(i, row));
    }
    const Place* outer = evaluation_.place_;
    const auto found = evaluation_.solutions(pattern_, place);
    evaluation_.place_ = outer;
    if (!found) return found.error();
    return !found->empty();
  }

 private:
  Evaluation& evaluation_;
  const Pattern& pattern_;
  std::vector<std::size_t> variables_;
};

Result<const Evaluation::Bound*> Evaluation::bound(const Expression& expression) {
  if (const auto known = bound_.find(&expression); known != bound_.end()) return &known->second;
  Schema schema;
  std::vector<std::size_t> variables;
  for (const std::string& name : mentioned_variables(expression)) {
    schema.add(name);
    variables.push_back(variables_.number(name));
  }
  const MakeProbe make_probe = [&](const Exists& exists) -> Result<std::unique_ptr<PatternProbe>> {
    return std::unique_ptr<PatternProbe>(
        std::make_unique<Probe>(*this, *exists.pattern, variables));
  };
  HELVE_ASSIGN(BoundExpression made,
               BoundExpression::bind(expression, schema, expressions_, make_probe));
  const auto [at, is_new] =
      bound_.emplace(&expression, Bound{std::move(variables), std::move(made)});
  return &at->second;
}

Result<Value> Evaluation::value(const Expression& expression, const Solution& solution,
                                const Place& place) {
  HELVE_TRY(steps_.spend(1));
  HELVE_ASSIGN(const Bound* found, bound(expression));
  const Solution visible = merged(solution, place.given);
  Batch batch;
  batch.reset(found->variables.size());
  batch.rows = 1;
  for (std::size_t i = 0; i < found->variables.size(); ++i) {
    batch.columns[i].push_back(visible[found->variables[i]]);
  }
  const Place* outer = std::exchange(place_, &place);
  Value out = found->expression.value(batch, 0, expressions_);
  place_ = outer;
  if (expressions_.failure()) return *expressions_.failure();
  return out;
}

Result<Id> Evaluation::id_of(const Expression& expression, const Solution& solution,
                             const Place& place) {
  HELVE_ASSIGN(const Value found, value(expression, solution, place));
  return id_of(found);
}

Result<bool> Evaluation::are_true(const std::vector<Expression>& conditions,
                                  const Solution& solution, const Place& place) {
  for (const Expression& condition : conditions) {
    HELVE_ASSIGN(const Value found, value(condition, solution, place));
    if (!expressions_.truth(found).value_or(false)) return false;
  }
  return true;
}

Result<Id> Evaluation::id_of(const rdf::Term& term) { return terms_.intern(term.view()); }

Result<Id> Evaluation::id_of(const Value& value) {
  const Id id = expressions_.to_id(value);
  if (expressions_.failure()) return *expressions_.failure();
  return id;
}

}  // namespace helve::reference
