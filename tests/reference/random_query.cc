#include "tests/reference/random_query.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sources/sparql/algebra/algebra_testing.h"
#include "sources/sparql/algebra/analysis.h"
#include "tests/reference/random_data.h"

namespace helve::reference {

using namespace sparql;
using test::call;
using test::var;

namespace {

Expression of_variable(const Variable& variable) { return Expression(variable); }

Constant constant(rdf::Term term) { return {std::move(term), {}}; }

}  // namespace

Variable RandomQuery::any_variable() {
  return var(std::string(1, static_cast<char>('a' + below(6))));
}

Variable RandomQuery::fresh_variable() { return var("v" + std::to_string(fresh_++)); }

Variable RandomQuery::variable_of(const std::vector<std::string>& scope) {
  return scope.empty() || chance(10) ? any_variable() : var(choices_.pick(scope));
}

rdf::Term RandomQuery::any_constant() {
  if (chance(25)) return any_literal_term(choices_);
  if (chance(10)) {
    return rdf::Term(rdf::TermView::iri("http://example.org/C" + std::to_string(below(3))));
  }
  rdf::Term node = node_term(below(11));  // one that no data has
  return node.kind == rdf::TermKind::BlankNode ? node_term(0) : node;
}

TermPattern RandomQuery::any_subject() {
  if (chance(85)) return any_variable();
  if (chance(40)) return BlankNode{"x" + std::to_string(blanks_) + (chance(50) ? "" : "y"), {}};
  return constant(chance(95) ? node_term(choices_.pick(std::array<std::size_t, 5>{0, 0, 1, 2, 4}))
                             : any_literal_term(choices_));
}

TermPattern RandomQuery::any_object() {
  if (chance(80)) return any_variable();
  if (chance(40)) return BlankNode{"x" + std::to_string(blanks_) + (chance(50) ? "" : "y"), {}};
  return constant(any_constant());
}

PredicatePattern RandomQuery::predicate() {
  if (chance(15)) return any_variable();
  if (chance(18)) {
    Path out = path(2);
    if (out.kind != Path::Kind::Iri) return out;
  }
  // One that no data has, now and then.
  return constant(predicate_term(chance(3) ? kPredicates : any_predicate(choices_)));
}

Path RandomQuery::path(std::size_t depth) {
  using Kind = Path::Kind;
  const auto step = [&] { return test::step(predicate_term(any_predicate(choices_)).value); };
  if (depth == 0) return step();
  const auto kind = static_cast<Kind>(below(8));
  std::vector<Path> parts;
  switch (kind) {
    case Kind::Iri:
      return step();
    case Kind::Sequence:
    case Kind::Alternative:
      for (std::size_t n = 2 + below(2); n > 0; --n) parts.push_back(path(depth - 1));
      return test::path(kind, std::move(parts));
    case Kind::NegatedSet:
      for (std::size_t n = below(3); n > 0; --n) {
        parts.push_back(chance(35) ? test::path(Kind::Inverse, {step()}) : step());
      }
      return test::path(kind, std::move(parts));
    default:
      return test::path(kind, {path(depth - 1)});
  }
}

TriplePattern RandomQuery::triple(TermPattern subject, TermPattern object) {
  return {std::move(subject), predicate(), std::move(object), {}};
}

std::vector<TriplePattern> RandomQuery::star(std::size_t size) {
  std::vector<TriplePattern> out;
  const Variable center = any_variable();
  for (std::size_t i = 0; i < size; ++i) {
    if (chance(80)) {
      out.push_back(triple(center, any_object()));
    } else {
      out.push_back(triple(any_subject(), center));
    }
  }
  return out;
}

std::vector<TriplePattern> RandomQuery::chain(std::size_t size, bool is_closed) {
  std::vector<TriplePattern> out;
  const std::size_t first = below(6);
  const auto node = [&](std::size_t i) {
    return var(std::string(1, static_cast<char>('a' + (first + i) % 6)));
  };
  for (std::size_t i = 0; i < size; ++i) {
    const bool is_last = is_closed && i + 1 == size;
    TermPattern from = node(i);
    TermPattern to = node(is_last ? 0 : i + 1);
    if (chance(25)) std::swap(from, to);
    out.push_back(triple(std::move(from), std::move(to)));
  }
  return out;
}

std::vector<TriplePattern> RandomQuery::same_variable() {
  const Variable twice = any_variable();
  switch (below(3)) {
    case 0:
      return {triple(twice, twice)};
    case 1:
      return {{twice, twice, any_object(), {}}};
    default:
      return {{any_subject(), twice, twice, {}}, triple(twice, any_object())};
  }
}

std::vector<TriplePattern> RandomQuery::any_triples(std::size_t size) {
  std::vector<TriplePattern> out;
  for (std::size_t i = 0; i < size; ++i) out.push_back(triple(any_subject(), any_object()));
  return out;
}

Pattern RandomQuery::triples() {
  ++blanks_;  // a label belongs to one basic graph pattern
  const bool is_free = !options_.is_connected || chance(1);
  switch (below(20)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
      return test::triples(star(2 + below(3)));
    case 5:
    case 6:
    case 7:
      return test::triples(chain(2 + below(2), false));
    case 8:
    case 9:
      return test::triples(chain(3 + below(2), true));
    case 10:
      return test::triples(same_variable());
    case 11:
    case 12:
      return test::triples(is_free ? any_triples(2 + below(2)) : star(3));
    default:
      return test::triples(any_triples(1));
  }
}

Values RandomQuery::values() {
  Values out;
  std::vector<std::string> names;
  for (std::size_t column = below(10) == 0 ? 0 : 1 + below(2); column > 0; --column) {
    const Variable variable = any_variable();
    if (std::find(names.begin(), names.end(), variable.name) != names.end()) continue;
    names.push_back(variable.name);
    out.variables.push_back(variable);
  }
  out.rows.resize(chance(5) ? 0 : 1 + below(4));
  for (auto& row : out.rows) {
    for (std::size_t i = 0; i < out.variables.size(); ++i) {
      row.push_back(chance(15) ? std::nullopt : std::optional(any_constant()));
    }
  }
  return out;
}

Pattern RandomQuery::leaf() {
  if (chance(88)) return triples();
  return chance(70) ? Pattern(values()) : Pattern();
}

// Nothing is joined with a Join or with the empty pattern.
Pattern RandomQuery::joined(std::size_t depth) {
  Join out;
  const std::size_t count = 2 + below(2);
  while (out.parts.size() < count) {
    Pattern part = chance(40) ? triples() : pattern(depth);
    if (part.is_unit() || part.if_is<Join>() != nullptr) part = triples();
    out.parts.push_back(std::move(part));
  }
  return Pattern(std::move(out));
}

Pattern RandomQuery::optional(std::size_t depth) {
  Pattern left = pattern(depth);
  Pattern right = chance(50) ? leaf() : pattern(depth);
  std::vector<std::string> scope = variables_in_scope(left);
  for (std::string& name : variables_in_scope(right)) scope.push_back(std::move(name));
  std::vector<Expression> tests = conditions(chance(30) ? 1 : 0, 1, scope);
  return Pattern(LeftJoin{std::move(left), std::move(right), std::move(tests)});
}

Pattern RandomQuery::minus(std::size_t depth) {
  return Pattern(Minus{pattern(depth), chance(60) ? leaf() : pattern(depth)});
}

Pattern RandomQuery::filtered(std::size_t depth) {
  Pattern inner = pattern(depth);
  std::vector<Expression> tests =
      conditions(chance(75) ? 1 : 2, 1 + depth / 2, variables_in_scope(inner));
  return Pattern(Filter{std::move(inner), std::move(tests)});
}

Pattern RandomQuery::extended(std::size_t depth) {
  Pattern inner = pattern(depth);
  Expression value = operand(2, variables_in_scope(inner));
  return Pattern(Extend{std::move(inner), fresh_variable(), std::move(value)});
}

Pattern RandomQuery::graph(std::size_t depth) {
  Pattern inner = chance(60) ? leaf() : pattern(depth);
  if (chance(60)) return Pattern(Graph{any_variable(), std::move(inner)});
  return Pattern(Graph{constant(graph_term(below(kGraphs))), std::move(inner)});
}

Pattern RandomQuery::pattern(std::size_t depth) {
  if (depth == 0) return leaf();
  switch (below(16)) {
    case 0:
    case 1:
      return joined(depth - 1);
    case 2:
    case 3:
    case 4:
      return optional(depth - 1);
    case 5: {
      std::vector<Pattern> parts;
      for (std::size_t n = 2 + (chance(20) ? 1 : 0); n > 0; --n)
        parts.push_back(pattern(depth - 1));
      return Pattern(Union{std::move(parts)});
    }
    case 6:
    case 7:
      return minus(depth - 1);
    case 8:
    case 9:
    case 10:
      return filtered(depth - 1);
    case 11:
      return extended(depth - 1);
    case 12:
      return graph(depth - 1);
    case 13:
      return test::sub(select(depth - 1, true));
    default:
      return leaf();
  }
}

void RandomQuery::add_items(Select& out, const std::vector<std::string>& scope) {
  if (chance(35)) {
    out.is_star = true;
    return;
  }
  std::vector<std::string> names;
  for (std::size_t n = 1 + below(3); n > 0; --n) {
    const Variable variable = variable_of(scope);
    if (std::find(names.begin(), names.end(), variable.name) != names.end()) continue;
    names.push_back(variable.name);
    out.items.push_back({variable, std::nullopt});
  }
  if (chance(15)) out.items.push_back({fresh_variable(), operand(2, scope)});
}

void RandomQuery::add_groups(Select& out, const std::vector<std::string>& scope) {
  std::vector<std::string> keys;
  for (std::size_t n = below(3); n > 0; --n) {
    if (chance(15)) {
      const Variable named = fresh_variable();
      out.body.group_by.push_back({operand(1, scope), named});
      keys.push_back(named.name);
      continue;
    }
    const Variable key = variable_of(scope);
    if (std::find(keys.begin(), keys.end(), key.name) != keys.end()) continue;
    out.body.group_by.push_back({of_variable(key), std::nullopt});
    keys.push_back(key.name);
  }
  for (const std::string& key : keys) {
    if (chance(85)) out.items.push_back({var(key), std::nullopt});
  }
  for (std::size_t n = 1 + below(2); n > 0; --n) {
    out.items.push_back({fresh_variable(), aggregate(scope)});
  }
  if (chance(25)) {
    out.body.having.push_back(call(chance(50) ? Function::Greater : Function::LessEqual,
                                   {aggregate(scope), test::number(std::to_string(below(3)))}));
  }
}

// Sub-queries with a LIMIT are ordered by all they give, so that most have one answer.
void RandomQuery::add_order(Select& out, const std::vector<std::string>& scope, bool is_inner) {
  const bool is_grouped = sparql::is_grouped(out);
  const std::vector<std::string> columns = result_variables(out);
  const bool is_cut = chance(is_inner ? 30 : 35);
  if (is_cut && (is_inner || chance(50))) {
    for (const std::string& name : columns) {
      out.body.order_by.push_back({of_variable(var(name)), chance(40)});
    }
  } else if (chance(is_inner ? 10 : 35)) {
    for (std::size_t n = 1 + below(2); n > 0; --n) {
      const std::vector<std::string>& names = is_grouped ? columns : scope;
      Expression key = is_grouped || chance(80)
                           ? of_variable(names.empty() ? any_variable() : var(choices_.pick(names)))
                           : operand(1, scope);
      out.body.order_by.push_back({std::move(key), chance(40)});
    }
  }
  if (!is_cut) return;
  if (chance(90)) out.body.limit = chance(3) ? 0 : 1 + below(8);
  if (chance(25)) out.body.offset = below(5);
}

Select RandomQuery::select(std::size_t depth, bool is_inner) {
  Select out;
  out.body.where = pattern(depth);
  const std::vector<std::string> scope = variables_in_scope(out.body.where);
  if (chance(20)) {
    add_groups(out, scope);
  } else {
    add_items(out, scope);
  }
  if (chance(25)) out.duplicates = chance(80) ? Duplicates::Distinct : Duplicates::Reduced;
  add_order(out, scope, is_inner);
  if (chance(4)) out.body.values = values();
  return out;
}

// What indexes can answer without counting: a triple pattern, alone or nearly so.
Select RandomQuery::statistics() {
  Select out;
  const std::array<Variable, 3> names = {var("a"), chance(10) ? var("a") : var("b"), var("c")};
  TriplePattern asked{names[0], names[1], names[2], {}};
  if (chance(15)) asked.subject = constant(node_term(below(2)));
  if (chance(50)) asked.predicate = constant(predicate_term(any_predicate(choices_)));
  if (chance(20)) asked.object = constant(any_constant());
  if (chance(5)) asked.object = names[0];
  Pattern where = test::triples({asked});
  if (chance(20)) {
    std::variant<Variable, Constant> name = var("g");
    if (chance(50)) name = constant(graph_term(below(kGraphs)));
    where = Pattern(Graph{std::move(name), std::move(where)});
  }
  const std::vector<std::string> scope = variables_in_scope(where);
  if (chance(20)) {
    where = Pattern(Filter{std::move(where), conditions(1, 1, scope)});
  }
  out.body.where = std::move(where);
  if (!scope.empty() && chance(35)) {
    const Variable key = var(choices_.pick(scope));
    out.items.push_back({key, std::nullopt});
    if (chance(75)) {
      out.body.group_by.push_back({of_variable(key), std::nullopt});
    } else {
      out.duplicates = Duplicates::Distinct;
      if (chance(30)) add_order(out, scope, false);
      return out;
    }
  }
  for (std::size_t n = 1 + below(2); n > 0; --n) {
    Aggregate count;
    count.is_distinct = chance(50);
    if (!scope.empty() && chance(60)) count.argument.push_back(of_variable(variable_of(scope)));
    out.items.push_back({fresh_variable(), Expression(std::move(count))});
  }
  if (chance(30)) add_order(out, scope, false);
  return out;
}

Construct RandomQuery::construct() {
  Construct out;
  out.body.where = pattern(options_.depth);
  const std::vector<std::string> scope = variables_in_scope(out.body.where);
  for (std::size_t n = 1 + below(2); n > 0; --n) {
    TriplePattern made{variable_of(scope), constant(predicate_term(0)), variable_of(scope), {}};
    if (chance(20)) made.predicate = variable_of(scope);
    if (chance(20)) made.object = constant(any_constant());
    out.triples.push_back(std::move(made));
  }
  if (chance(15)) out.body.limit = below(6);
  return out;
}

Query RandomQuery::make() {
  Query out;
  out.prefixes = {{"", "http://example.org/"}, {"xsd", "http://www.w3.org/2001/XMLSchema#"}};
  if (!options_.graphs.empty() && chance(12)) {
    for (std::size_t n = 1 + below(3); n > 0; --n) {
      out.dataset.push_back({choices_.pick(options_.graphs), chance(45), {}});
    }
  }
  const std::size_t form = below(100);
  if (form < 12) {
    out.form = statistics();
  } else if (form < 20) {
    Ask ask;
    ask.body.where = pattern(options_.depth);
    out.form = std::move(ask);
  } else if (form < 24) {
    out.form = construct();
  } else {
    out.form = select(chance(20) ? 1 : options_.depth, false);
  }
  return out;
}

}  // namespace helve::reference
