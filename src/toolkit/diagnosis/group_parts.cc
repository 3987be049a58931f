#include "toolkit/diagnosis/group_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/algebra/printer.h"

namespace helve::toolkit {

namespace {

using sparql::Expression;
using sparql::Pattern;
using sparql::TriplePattern;

// Long parts are of no use to a reader.
constexpr std::size_t kPartTextBytesMax = 400;

std::string shortened(std::string text) {
  if (text.size() <= kPartTextBytesMax) return text;
  std::size_t end = kPartTextBytesMax;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  return text + " ...";
}

std::string name_text(const GraphName& name, const PrefixList& prefixes) {
  return std::visit(
      [&](const auto& term) { return to_sparql(sparql::TermPattern(term), prefixes); }, name);
}

class Taker {
 public:
  explicit Taker(const PrefixList& prefixes) : prefixes_(prefixes) {}

  void take_group(const Pattern& group) {
    if (const auto* filter = group.if_is<sparql::Filter>()) {
      take(*filter->inner);
      for (const Expression& condition : filter->conditions) take_condition(condition);
      return;
    }
    take(group);
  }

  std::vector<Part> finish() {
    std::move(filters_.begin(), filters_.end(), std::back_inserter(parts_));
    return std::move(parts_);
  }

 private:
  void take(const Pattern& pattern) {
    if (const auto* triples = pattern.if_is<sparql::BasicGraphPattern>()) {
      take_triples(*triples, std::nullopt);
    } else if (const auto* join = pattern.if_is<sparql::Join>()) {
      take_join(*join);
    } else if (const auto* optional = pattern.if_is<sparql::LeftJoin>()) {
      take(*optional->left);
      Part part = made(Part::Kind::Optional, pattern, *optional->right);
      part.conditions = optional->conditions;
      part.text =
          shortened(fmt::format("OPTIONAL {{ {} }}", to_sparql(*optional->right, prefixes_)));
      parts_.push_back(std::move(part));
    } else if (const auto* minus = pattern.if_is<sparql::Minus>()) {
      take(*minus->left);
      Part part = made(Part::Kind::Minus, pattern, *minus->right);
      part.text = shortened(fmt::format("MINUS {{ {} }}", to_sparql(*minus->right, prefixes_)));
      parts_.push_back(std::move(part));
    } else if (const auto* extend = pattern.if_is<sparql::Extend>()) {
      take(*extend->inner);
      take_bind(*extend, pattern.span);
    } else {
      take_whole(pattern);
    }
  }

  void take_join(const sparql::Join& join) {
    bool is_first = true;
    for (const Pattern& inner : join.parts) {
      // What stands behind others saw none of them: it is a group in braces.
      const bool is_nested = !is_first && !inner.if_is<sparql::BasicGraphPattern>();
      if (is_nested) {
        take_whole(inner);
      } else {
        take(inner);
      }
      is_first = false;
    }
  }

  void take_whole(const Pattern& pattern) {
    if (const auto* graph = pattern.if_is<sparql::Graph>()) {
      if (take_graph_of_triples(*graph)) return;
    }
    Part part = made(kind_of(pattern), pattern, pattern);
    part.text = shortened(to_sparql(pattern, prefixes_));
    parts_.push_back(std::move(part));
  }

  static Part::Kind kind_of(const Pattern& pattern) {
    if (pattern.if_is<sparql::Values>() != nullptr) return Part::Kind::Values;
    if (pattern.if_is<sparql::Union>() != nullptr) return Part::Kind::Union;
    if (pattern.if_is<sparql::SubSelect>() != nullptr) return Part::Kind::SubSelect;
    if (pattern.if_is<sparql::Service>() != nullptr) return Part::Kind::Service;
    return Part::Kind::Group;
  }

  static Part made(Part::Kind kind, const Pattern& node, const Pattern& content) {
    Part part;
    part.kind = kind;
    part.pattern = content;
    part.pattern_in_query = &content;
    part.span = node.span;
    for (std::string& name : variables_in_scope(content)) part.variables.insert(std::move(name));
    return part;
  }

  bool take_graph_of_triples(const sparql::Graph& graph) {
    const auto* triples = graph.inner->if_is<sparql::BasicGraphPattern>();
    if (triples == nullptr || triples->triples.empty()) return false;
    take_triples(*triples, graph.name);
    return true;
  }

  void take_triples(const sparql::BasicGraphPattern& pattern,
                    const std::optional<GraphName>& graph) {
    ++patterns_;
    for (const TriplePattern& triple : pattern.triples) {
      const auto* path = std::get_if<sparql::Path>(&triple.predicate);
      if (path != nullptr) {
        take_path(triple, *path, named(triple.subject), named(triple.object), graph);
      } else {
        add_triple({named(triple.subject), triple.predicate, named(triple.object), triple.span},
                   triple, graph);
      }
    }
  }

  // The steps of a sequence apart, so that one of them can be blamed.
  void take_path(const TriplePattern& whole, const sparql::Path& path, sparql::TermPattern from,
                 sparql::TermPattern to, const std::optional<GraphName>& graph) {
    using Kind = sparql::Path::Kind;
    const sparql::SourceSpan span = path.span.empty() ? whole.span : path.span;
    if (path.kind == Kind::Inverse) {
      take_path(whole, path.parts.front(), std::move(to), std::move(from), graph);
    } else if (path.kind == Kind::Sequence) {
      for (std::size_t i = 0; i < path.parts.size(); ++i) {
        const bool is_last = i + 1 == path.parts.size();
        sparql::TermPattern next = is_last ? to : sparql::TermPattern(fresh_variable());
        take_path(whole, path.parts[i], std::move(from), next, graph);
        from = std::move(next);
      }
    } else if (path.kind == Kind::Iri) {
      const rdf::Term iri(rdf::TermView::iri(path.iri));
      add_triple({std::move(from), sparql::Constant{iri, path.span}, std::move(to), span}, whole,
                 graph);
    } else {
      add_triple({std::move(from), path, std::move(to), span}, whole, graph);
    }
  }

  void add_triple(TriplePattern triple, const TriplePattern& whole,
                  const std::optional<GraphName>& graph) {
    Part part;
    part.span = triple.span;
    part.graph = graph;
    part.text = to_sparql(whole, prefixes_);
    if (graph) {
      part.text = fmt::format("GRAPH {} {{ {} }}", name_text(*graph, prefixes_), part.text);
      if (const auto* name = std::get_if<sparql::Variable>(&*graph)) {
        part.variables.insert(name->name);
      }
    }
    part.text = shortened(std::move(part.text));
    // A step of a path has no triple of its own in the query.
    if (triple.predicate == whole.predicate) part.triple_in_query = &whole;
    part.pattern = pattern_of(std::move(triple));
    for (std::string& name : variables_in_scope(part.pattern)) {
      part.variables.insert(std::move(name));
    }
    parts_.push_back(std::move(part));
  }

  sparql::Variable fresh_variable() { return {fmt::format(".step{}", ++fresh_), {}}; }

  // Blank nodes are variables; the name is one that no query can write.
  sparql::TermPattern named(const sparql::TermPattern& term) const {
    const auto* blank = std::get_if<sparql::BlankNode>(&term);
    if (blank == nullptr) return term;
    return sparql::Variable{fmt::format(".{}.{}", patterns_, blank->label), blank->span};
  }

  void take_bind(const sparql::Extend& extend, sparql::SourceSpan span) {
    Part part;
    part.kind = Part::Kind::Bind;
    part.conditions.push_back(*extend.expression);
    part.bound = extend.variable.name;
    part.span = span;
    part.text = shortened(fmt::format("BIND({} AS ?{})", to_sparql(*extend.expression, prefixes_),
                                      extend.variable.name));
    part.variables = mentioned_variables(*extend.expression);
    part.variables.insert(part.bound);
    part.expression_in_query = &*extend.expression;
    if (const auto* constant = extend.expression->if_is<sparql::Constant>()) {
      part.kind = Part::Kind::Values;
      part.pattern = Pattern(sparql::Values{{extend.variable}, {{constant->term}}, span});
    }
    parts_.push_back(std::move(part));
  }

  void take_condition(const Expression& condition) {
    const auto* operation = condition.if_is<sparql::Operation>();
    if (operation != nullptr && operation->function == sparql::Function::And) {
      for (const Expression& argument : operation->arguments) take_condition(argument);
      return;
    }
    Part part;
    part.kind = Part::Kind::Filter;
    part.conditions.push_back(condition);
    part.span = condition.span;
    part.text = shortened(fmt::format("FILTER({})", to_sparql(condition, prefixes_)));
    part.variables = mentioned_variables(condition);
    part.expression_in_query = &condition;
    filters_.push_back(std::move(part));
  }

  const PrefixList& prefixes_;
  std::vector<Part> parts_;
  std::vector<Part> filters_;
  std::size_t patterns_ = 0;
  std::size_t fresh_ = 0;
};

}  // namespace

Pattern in_graph(Pattern pattern, const std::optional<GraphName>& graph) {
  if (!graph) return pattern;
  return Pattern(sparql::Graph{*graph, std::move(pattern)});
}

Pattern joined(Pattern a, Pattern b) {
  if (a.is_unit()) return b;
  if (b.is_unit()) return a;
  sparql::Join join;
  for (Pattern* side : {&a, &b}) {
    if (auto* inner = std::get_if<sparql::Join>(&side->node)) {
      std::move(inner->parts.begin(), inner->parts.end(), std::back_inserter(join.parts));
    } else {
      join.parts.push_back(std::move(*side));
    }
  }
  return Pattern(std::move(join));
}

Pattern pattern_of(TriplePattern triple) {
  return Pattern(sparql::BasicGraphPattern{{std::move(triple)}});
}

const TriplePattern& Part::triple() const {
  const auto* triples = pattern.if_is<sparql::BasicGraphPattern>();
  HELVE_CHECK(triples != nullptr && triples->triples.size() == 1);
  return triples->triples.front();
}

TriplePattern& Part::triple() {
  auto* triples = std::get_if<sparql::BasicGraphPattern>(&pattern.node);
  HELVE_CHECK(triples != nullptr && triples->triples.size() == 1);
  return triples->triples.front();
}

std::vector<Part> parts_of(const Pattern& group, const PrefixList& prefixes) {
  Taker taker(prefixes);
  taker.take_group(group);
  return taker.finish();
}

Pattern assembled(const std::vector<Part>& parts, const PartSet& chosen) {
  Pattern whole;
  std::vector<Pattern> pending;       // to be joined with `whole`
  sparql::BasicGraphPattern triples;  // outside of any GRAPH
  std::vector<Expression> conditions;
  const auto settle = [&] {
    if (!triples.triples.empty()) pending.emplace_back(std::exchange(triples, {}));
    if (pending.empty()) return;
    if (!whole.is_unit()) pending.insert(pending.begin(), std::exchange(whole, Pattern()));
    whole = pending.size() == 1 ? std::move(pending.front())
                                : Pattern(sparql::Join{std::exchange(pending, {})});
    pending.clear();
  };
  for (const std::size_t index : chosen) {
    const Part& part = parts[index];
    if (part.kind == Part::Kind::Triple && !part.graph) {
      triples.triples.push_back(part.triple());
    } else if (part.is_required()) {
      pending.push_back(in_graph(part.pattern, part.graph));
    } else if (part.kind == Part::Kind::Filter) {
      conditions.push_back(part.conditions.front());
    } else {
      settle();
      if (part.kind == Part::Kind::Optional) {
        whole = Pattern(sparql::LeftJoin{std::move(whole), part.pattern, part.conditions});
      } else if (part.kind == Part::Kind::Minus) {
        whole = Pattern(sparql::Minus{std::move(whole), part.pattern});
      } else {
        whole = Pattern(sparql::Extend{std::move(whole), sparql::Variable{part.bound, {}},
                                       part.conditions.front()});
      }
    }
  }
  settle();
  if (conditions.empty()) return whole;
  return Pattern(sparql::Filter{std::move(whole), std::move(conditions)});
}

bool share_variable(const Part& a, const Part& b) {
  const auto& fewer = a.variables.size() < b.variables.size() ? a.variables : b.variables;
  const auto& more = &fewer == &a.variables ? b.variables : a.variables;
  return std::any_of(fewer.begin(), fewer.end(),
                     [&](const std::string& name) { return more.count(name) > 0; });
}

std::vector<PartSet> connected(const std::vector<Part>& parts, const PartSet& chosen) {
  // Which set each position of `chosen` belongs to: the lowest position it is connected with.
  std::vector<std::size_t> root(chosen.size());
  const auto find = [&](std::size_t at) {
    while (root[at] != at) at = root[at] = root[root[at]];
    return at;
  };
  std::map<std::string_view, std::size_t> first_with;
  for (std::size_t at = 0; at < chosen.size(); ++at) {
    root[at] = at;
    for (const std::string& name : parts[chosen[at]].variables) {
      const auto [seen, is_new] = first_with.emplace(name, at);
      if (is_new) continue;
      const std::size_t a = find(seen->second);
      const std::size_t b = find(at);
      root[std::max(a, b)] = std::min(a, b);
    }
  }
  std::map<std::size_t, PartSet> sets;
  for (std::size_t at = 0; at < chosen.size(); ++at) sets[find(at)].push_back(chosen[at]);
  std::vector<PartSet> out;
  out.reserve(sets.size());
  for (auto& [first, set] : sets) out.push_back(std::move(set));
  return out;
}

}  // namespace helve::toolkit
