#include "toolkit/guard/group_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/analysis.h"

namespace helve::toolkit {

namespace {

using sparql::Constant;
using sparql::Expression;
using sparql::Path;
using sparql::Pattern;
using sparql::Variable;

// Names of variables: those that a sub-query does not hand out are its own.
struct Scope {
  const Scope* outer = nullptr;
  std::optional<std::set<std::string>> handed_out;  // nullopt: all
  std::string own_prefix;

  std::string name(const std::string& variable) const {
    if (handed_out && !handed_out->contains(variable)) return own_prefix + variable;
    return outer != nullptr ? outer->name(variable) : variable;
  }
  std::set<std::string> names(const std::set<std::string>& variables) const {
    std::set<std::string> named;
    for (const std::string& variable : variables) named.insert(name(variable));
    return named;
  }
};

class GroupBuilder {
 public:
  explicit GroupBuilder(const OnSubSelect& on_sub_select) : on_sub_select_(on_sub_select) {}

  Group build(Pattern& pattern, const Sizes& sizes, const Scope& scope) {
    Group group;
    add(pattern, group, sizes, scope);
    finish(group);
    return group;
  }

  Group build(sparql::Body& body, const Sizes& sizes) {
    Group group;
    add(body.where, group, sizes, Scope{});
    if (body.values) add(*body.values, body.where, group, sizes, Scope{});
    finish(group);
    return group;
  }

 private:
  static void finish(Group& group) {
    find_few(group);
    double smallest = -1;
    for (const Element& element : group.elements) {
      if (element.kind == Element::Kind::Bind) continue;
      const double rows = rows_alone(element);
      if (smallest < 0 || rows < smallest) smallest = rows;
    }
    group.rows_min = std::max(smallest, 1.0);
  }

  static bool are_few(const std::set<std::string>& names, const Group& group) {
    return !names.empty() &&
           std::all_of(names.begin(), names.end(),
                       [&group](const std::string& name) { return group.few.contains(name); });
  }

  // What hangs on a variable of few values (the label of a class) has few values as well.
  static void find_few(Group& group) {
    const auto spread = [&group](const Group& from) {
      for (const Element& element : from.elements) {
        const bool hangs = element.kind == Element::Kind::Step && !element.object.is_constant() &&
                           group.few.contains(element.subject.variable);
        if (hangs) group.few.insert(element.object.variable);
        const bool is_few = element.kind == Element::Kind::Bind &&
                            (element.has_few_values || are_few(element.needs, group));
        if (is_few) group.few.insert(element.variables.begin(), element.variables.end());
      }
    };
    spread(group);
    for (const Group& optional : group.optionals) spread(optional);
  }

  void add(Pattern& pattern, Group& group, const Sizes& sizes, const Scope& scope) {
    std::visit([&](auto& node) { add(node, pattern, group, sizes, scope); }, pattern.node);
  }

  void add(sparql::BasicGraphPattern& node, Pattern& pattern, Group& group, const Sizes& sizes,
           const Scope& scope) {
    for (std::size_t i = 0; i < node.triples.size(); ++i) {
      const sparql::TriplePattern& triple = node.triples[i];
      const Place place{&pattern, i};
      const StepEnd subject = end_of(triple.subject, scope);
      const StepEnd object = end_of(triple.object, scope);
      if (const auto* path = std::get_if<Path>(&triple.predicate)) {
        add_path(*path, subject, object, place, group, sizes);
        continue;
      }
      Element step = step_between(subject, object, place, sizes);
      if (const auto* variable = std::get_if<Variable>(&triple.predicate)) {
        step.predicate = Element::Predicate::Variable;
        step.predicate_variable = scope.name(variable->name);
        group.few.insert(step.predicate_variable);
        const bool is_all = !subject.is_constant() && !object.is_constant();
        if (is_all && sizes.profile().is_triples_known) step.from = SizeFrom::Profile;
      } else {
        const auto* class_term = std::get_if<Constant>(&triple.object);
        set_property(step, std::get<Constant>(triple.predicate).term.value,
                     class_term != nullptr ? &class_term->term : nullptr, group);
      }
      group.elements.push_back(std::move(step));
    }
  }

  static StepEnd end_of(const sparql::TermPattern& term, const Scope& scope) {
    if (const auto* variable = std::get_if<Variable>(&term)) return {scope.name(variable->name)};
    if (const auto* blank = std::get_if<sparql::BlankNode>(&term)) {
      return {scope.name("_:" + blank->label)};
    }
    return {};
  }

  static Element step_between(const StepEnd& subject, const StepEnd& object, const Place& place,
                              const Sizes& sizes) {
    Element step;
    step.place = place;
    step.subject = subject;
    step.object = object;
    step.sizes = sizes;
    return step;
  }

  static void set_property(Element& step, const std::string& property, const rdf::Term* object,
                           Group& group) {
    const Sizes& sizes = *step.sizes;
    step.property = property;
    step.value = object;
    step.is_type = property == rdf::kRdfType;
    if (step.is_type && object != nullptr) {
      step.class_iri = object->value;
      step.known_rows = sizes.instances(object->value);
      const bool is_listed = sizes.profile().class_instances.contains(object->value);
      if (is_listed) step.from = SizeFrom::Profile;
    } else {
      if (step.is_type) group.few.insert(step.object.variable);
      step.known_rows = sizes.property(property);
      const bool is_listed = sizes.profile().properties.contains(property);
      if (is_listed && !step.object.is_constant()) step.from = SizeFrom::Profile;
    }
    if (step.subject.is_constant()) step.from = SizeFrom::Guess;
    take_found(step);
  }

  // What a probe counted is better than what is written down.
  static void take_found(Element& step) {
    const bool is_probed =
        !step.subject.is_constant() && (step.value != nullptr || !step.object.is_constant());
    const FoundSize* found = is_probed ? step.sizes->found(step.property, step.value) : nullptr;
    if (found == nullptr) return;
    step.from = SizeFrom::Probe;
    const bool is_of_value = step.value != nullptr && step.class_iri.empty();
    if (is_of_value) {
      step.value_rows = static_cast<double>(found->n);
    } else {
      step.known_rows = static_cast<double>(found->n);
    }
  }

  // A sequence becomes a chain of steps over variables of its own.
  void add_path(const Path& path, const StepEnd& subject, const StepEnd& object, const Place& place,
                Group& group, const Sizes& sizes) {
    if (path.kind == Path::Kind::Inverse) {
      add_path(path.parts.front(), object, subject, place, group, sizes);
      return;
    }
    if (path.kind == Path::Kind::Sequence) {
      StepEnd from = subject;
      for (std::size_t i = 0; i < path.parts.size(); ++i) {
        StepEnd to = i + 1 == path.parts.size() ? object : StepEnd{own_variable()};
        add_path(path.parts[i], from, to, place, group, sizes);
        from = std::move(to);
      }
      return;
    }
    Element step = step_between(subject, object, place, sizes);
    if (path.kind == Path::Kind::Iri) {
      set_property(step, path.iri, nullptr, group);
    } else {
      step.known_rows = rows_of(path, sizes);
      if (is_any(path)) step.predicate = Element::Predicate::Any;
    }
    const bool is_closure = path.kind == Path::Kind::ZeroOrMore ||
                            path.kind == Path::Kind::OneOrMore ||
                            path.kind == Path::Kind::ZeroOrOne;
    if (is_closure) {
      step.kind = Element::Kind::Closure;
      step.may_be_empty = path.kind != Path::Kind::OneOrMore;
    }
    group.elements.push_back(std::move(step));
  }

  // Triples that one step of the path may take.
  static double rows_of(const Path& path, const Sizes& sizes) {
    if (path.kind == Path::Kind::Iri) return sizes.property(path.iri);
    if (path.kind == Path::Kind::NegatedSet) return sizes.triples();
    double sum = 0;
    double least = sizes.triples();
    for (const Path& part : path.parts) {
      const double rows = rows_of(part, sizes);
      sum += rows;
      least = std::min(least, rows);
    }
    return path.kind == Path::Kind::Sequence ? least : std::min(sum, sizes.triples());
  }

  static bool is_any(const Path& path) {
    if (path.kind == Path::Kind::NegatedSet) return true;
    if (path.kind == Path::Kind::Iri) return false;
    if (path.kind == Path::Kind::Sequence) {
      return std::all_of(path.parts.begin(), path.parts.end(), is_any);
    }
    return std::any_of(path.parts.begin(), path.parts.end(), is_any);
  }

  std::string own_variable() { return fmt::format("/{}", ++own_variables_); }

  void add(sparql::Join& node, Pattern& /*pattern*/, Group& group, const Sizes& sizes,
           const Scope& scope) {
    for (Pattern& part : node.parts) add(part, group, sizes, scope);
  }

  void add(sparql::LeftJoin& node, Pattern& /*pattern*/, Group& group, const Sizes& sizes,
           const Scope& scope) {
    add(*node.left, group, sizes, scope);
    Group optional;
    add(*node.right, optional, sizes, scope);
    for (Expression& condition : node.conditions) {
      add_condition(condition, nullptr, optional, sizes, scope);
    }
    finish(optional);
    group.few.insert(optional.few.begin(), optional.few.end());
    group.optionals.push_back(std::move(optional));
  }

  void add(sparql::Union& node, Pattern& /*pattern*/, Group& group, const Sizes& sizes,
           const Scope& scope) {
    Element element;
    element.kind = Element::Kind::Union;
    element.rows = 0;
    for (Pattern& part : node.parts) {
      for (const std::string& name : sparql::variables_in_scope(part)) {
        element.variables.insert(scope.name(name));
      }
      Group branch = build(part, sizes, scope);
      element.rows += branch.rows_min;
      group.few.insert(branch.few.begin(), branch.few.end());
      element.branches.push_back(std::move(branch));
    }
    group.elements.push_back(std::move(element));
  }

  void add(sparql::Minus& node, Pattern& /*pattern*/, Group& group, const Sizes& sizes,
           const Scope& scope) {
    add(*node.left, group, sizes, scope);
  }

  void add(sparql::Filter& node, Pattern& pattern, Group& group, const Sizes& sizes,
           const Scope& scope) {
    add(*node.inner, group, sizes, scope);
    for (Expression& condition : node.conditions) {
      add_condition(condition, &pattern, group, sizes, scope);
    }
  }

  void add_condition(Expression& expression, Pattern* filter, Group& group, const Sizes& sizes,
                     const Scope& scope) {
    Condition condition;
    condition.variables = scope.names(sparql::mentioned_variables(expression));
    condition.is_text_search = is_text_search(expression);
    condition.reads_text = reads_text(expression);
    condition.is_selective = is_selective(expression);
    condition.search = text_search(expression);
    condition.filter = filter;
    condition.expression = &expression;
    if (auto named = named_values(expression)) {
      group.values[scope.name(named->variable)] = std::move(named->values);
    } else if (auto tie = tie_of(expression)) {
      group.ties.push_back({scope.names(tie->first), scope.names(tie->second), tie->is_computed});
    }
    group.conditions.push_back(std::move(condition));
    add_exists(expression, group, sizes, scope);
  }

  // Only the outermost: what is nested deeper is looked at with it.
  void add_exists(Expression& expression, Group& group, const Sizes& sizes, const Scope& scope) {
    if (auto* exists = std::get_if<sparql::Exists>(&expression.node)) {
      group.exists.push_back(build(*exists->pattern, sizes, scope));
    } else if (auto* operation = std::get_if<sparql::Operation>(&expression.node)) {
      for (Expression& argument : operation->arguments) add_exists(argument, group, sizes, scope);
    }
  }

  void add(sparql::Extend& node, Pattern& /*pattern*/, Group& group, const Sizes& sizes,
           const Scope& scope) {
    add(*node.inner, group, sizes, scope);
    Element element;
    element.kind = Element::Kind::Bind;
    element.variables = {scope.name(node.variable.name)};
    element.needs = scope.names(sparql::mentioned_variables(*node.expression));
    element.has_few_values = has_few_values(*node.expression);
    element.reads_text = reads_text(*node.expression);
    if (element.reads_text) group.texts.insert(element.variables.begin(), element.variables.end());
    if (const auto* constant = node.expression->if_is<Constant>()) {
      group.values[scope.name(node.variable.name)] = {constant->term};
    }
    group.elements.push_back(std::move(element));
  }

  void add(sparql::Values& node, Pattern& /*pattern*/, Group& group, const Sizes& /*sizes*/,
           const Scope& scope) {
    Element element;
    element.kind = Element::Kind::Rows;
    element.rows = static_cast<double>(node.rows.size());
    for (std::size_t column = 0; column < node.variables.size(); ++column) {
      const std::string name = scope.name(node.variables[column].name);
      const bool is_full = std::all_of(node.rows.begin(), node.rows.end(),
                                       [&](const auto& row) { return row[column].has_value(); });
      if (!is_full) continue;
      element.variables.insert(name);
      std::vector<rdf::Term>& values = group.values[name];
      for (const auto& row : node.rows) values.push_back(*row[column]);
    }
    group.elements.push_back(std::move(element));
  }

  void add(sparql::Graph& node, Pattern& /*pattern*/, Group& group, const Sizes& sizes,
           const Scope& scope) {
    if (const auto* name = std::get_if<Constant>(&node.name)) {
      add(*node.inner, group, sizes.in_graph(name->term.value), scope);
      return;
    }
    group.few.insert(scope.name(std::get<Variable>(node.name).name));
    add(*node.inner, group, sizes.in_graph(""), scope);
  }

  // What another endpoint does is its own matter; that it gives something is all we know.
  static void add(sparql::Service& node, Pattern& pattern, Group& group, const Sizes& sizes,
                  const Scope& scope) {
    Element element;
    element.kind = Element::Kind::Rows;
    element.rows = sizes.profile().unknown_rows;
    for (const std::string& name : sparql::variables_in_scope(pattern)) {
      element.variables.insert(scope.name(name));
    }
    static_cast<void>(node);
    group.elements.push_back(std::move(element));
  }

  void add(sparql::SubSelect& node, Pattern& /*pattern*/, Group& group, const Sizes& sizes,
           const Scope& scope) {
    sparql::Select& select = *node.select;
    const sparql::VariableNames names = sparql::result_variables(select);
    if (is_transparent(select)) {
      Scope inner;
      inner.outer = &scope;
      inner.handed_out = std::set<std::string>(names.begin(), names.end());
      inner.own_prefix = own_variable() + " ";
      add(select.body.where, group, sizes, inner);
      return;
    }
    Element element;
    element.kind = Element::Kind::Rows;
    element.rows = on_sub_select_(select, sizes);
    element.place.select = &select;
    for (const std::string& name : names) element.variables.insert(scope.name(name));
    group.elements.push_back(std::move(element));
  }

  const OnSubSelect& on_sub_select_;
  std::size_t own_variables_ = 0;
};

}  // namespace

double rows_alone(const Element& element) {
  if (element.kind == Element::Kind::Rows || element.kind == Element::Kind::Union) {
    return element.rows;
  }
  if (element.subject.is_constant() || element.object.is_constant()) {
    if (!element.class_iri.empty()) return element.known_rows;
    return element.subject.is_constant() ? 1 : element.value_rows.value_or(1);
  }
  return element.predicate == Element::Predicate::Known ? element.known_rows
                                                        : element.sizes->triples();
}

bool is_transparent(const sparql::Select& select) {
  const sparql::Body& body = select.body;
  const bool has_expressions =
      std::any_of(select.items.begin(), select.items.end(),
                  [](const sparql::SelectItem& item) { return item.expression.has_value(); });
  return select.duplicates == sparql::Duplicates::Keep && !has_expressions &&
         !sparql::is_grouped(select) && body.order_by.empty() && !body.limit && !body.offset &&
         !body.values;
}

Group build_group(Pattern& pattern, const Sizes& sizes, const OnSubSelect& on_sub_select) {
  return GroupBuilder(on_sub_select).build(pattern, sizes, Scope{});
}

Group build_group(sparql::Body& body, const Sizes& sizes, const OnSubSelect& on_sub_select) {
  return GroupBuilder(on_sub_select).build(body, sizes);
}

}  // namespace helve::toolkit
