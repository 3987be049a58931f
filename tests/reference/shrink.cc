#include "tests/reference/shrink.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "sources/sparql/algebra/printer.h"
#include "tests/reference/comparison.h"

namespace helve::reference {

using namespace sparql;

namespace {

std::vector<Pattern> smaller_patterns(const Pattern& pattern);
std::vector<Select> smaller_selects(const Select& select);

// The value with one element less, for each element.
template <typename T, typename Elements>
void drop_each(const T& value, Elements T::*elements, std::size_t keep, std::vector<T>& out) {
  const auto& all = value.*elements;
  for (std::size_t i = 0; all.size() > keep && i < all.size(); ++i) {
    T less = value;
    auto& rest = less.*elements;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    out.push_back(std::move(less));
  }
}

std::vector<Expression> smaller_expressions(const Expression& expression) {
  std::vector<Expression> out;
  if (const auto* operation = expression.if_is<Operation>()) {
    out = operation->arguments;
    for (std::size_t i = 0; i < operation->arguments.size(); ++i) {
      for (Expression& less : smaller_expressions(operation->arguments[i])) {
        Operation copy = *operation;
        copy.arguments[i] = std::move(less);
        out.emplace_back(std::move(copy));
      }
    }
  } else if (const auto* call = expression.if_is<Call>()) {
    out = call->arguments;
  } else if (const auto* exists = expression.if_is<Exists>()) {
    for (Pattern& less : smaller_patterns(*exists->pattern)) {
      out.emplace_back(Exists(std::move(less), exists->is_negated));
    }
  } else if (const auto* aggregate = expression.if_is<Aggregate>()) {
    if (aggregate->kind != AggregateKind::Count || !aggregate->argument.empty()) {
      out.emplace_back(Aggregate{});
    }
  }
  return out;
}

// The value with one expression of the list smaller.
template <typename T>
void shrink_each(const T& value, std::vector<Expression> T::*expressions, std::vector<T>& out) {
  for (std::size_t i = 0; i < (value.*expressions).size(); ++i) {
    for (Expression& less : smaller_expressions((value.*expressions)[i])) {
      T copy = value;
      (copy.*expressions)[i] = std::move(less);
      out.push_back(std::move(copy));
    }
  }
}

template <typename T>
void shrink_child(const T& value, Box<Pattern> T::*child, std::vector<T>& out) {
  for (Pattern& less : smaller_patterns(*(value.*child))) {
    T copy = value;
    copy.*child = std::move(less);
    out.push_back(std::move(copy));
  }
}

template <typename T>
void shrink_parts(const T& value, std::vector<T>& out) {
  drop_each(value, &T::parts, 2, out);
  for (std::size_t i = 0; i < value.parts.size(); ++i) {
    for (Pattern& less : smaller_patterns(value.parts[i])) {
      T copy = value;
      copy.parts[i] = std::move(less);
      out.push_back(std::move(copy));
    }
  }
}

struct Shrinking {
  std::vector<Pattern>& out;

  template <typename T>
  void add(std::vector<T> nodes) {
    for (T& node : nodes) out.emplace_back(std::move(node));
  }
  void operator()(const BasicGraphPattern& node) {
    std::vector<BasicGraphPattern> less;
    drop_each(node, &BasicGraphPattern::triples, 0, less);
    for (std::size_t i = 0; i < node.triples.size(); ++i) {
      const auto* path = std::get_if<Path>(&node.triples[i].predicate);
      if (path == nullptr) continue;
      for (const Path& part : path->parts) {
        less.push_back(node);
        less.back().triples[i].predicate = part;
        if (part.kind == Path::Kind::Iri) {
          less.back().triples[i].predicate = Constant{rdf::Term(rdf::TermView::iri(part.iri)), {}};
        }
      }
    }
    add(std::move(less));
  }
  void operator()(const Join& node) {
    for (const Pattern& part : node.parts) out.push_back(part);
    std::vector<Join> less;
    shrink_parts(node, less);
    add(std::move(less));
  }
  void operator()(const Union& node) {
    for (const Pattern& part : node.parts) out.push_back(part);
    std::vector<Union> less;
    shrink_parts(node, less);
    add(std::move(less));
  }
  void operator()(const LeftJoin& node) {
    out.push_back(*node.left);
    out.push_back(*node.right);
    std::vector<LeftJoin> less;
    drop_each(node, &LeftJoin::conditions, 0, less);
    shrink_child(node, &LeftJoin::left, less);
    shrink_child(node, &LeftJoin::right, less);
    shrink_each(node, &LeftJoin::conditions, less);
    add(std::move(less));
  }
  void operator()(const Minus& node) {
    out.push_back(*node.left);
    out.push_back(*node.right);
    std::vector<Minus> less;
    shrink_child(node, &Minus::left, less);
    shrink_child(node, &Minus::right, less);
    add(std::move(less));
  }
  void operator()(const Filter& node) {
    out.push_back(*node.inner);
    std::vector<Filter> less;
    drop_each(node, &Filter::conditions, 1, less);
    shrink_child(node, &Filter::inner, less);
    shrink_each(node, &Filter::conditions, less);
    add(std::move(less));
  }
  void operator()(const Extend& node) {
    out.push_back(*node.inner);
    std::vector<Extend> less;
    shrink_child(node, &Extend::inner, less);
    for (Expression& value : smaller_expressions(*node.expression)) {
      less.push_back(node);
      less.back().expression = std::move(value);
    }
    add(std::move(less));
  }
  void operator()(const Values& node) {
    std::vector<Values> less;
    drop_each(node, &Values::rows, 0, less);
    add(std::move(less));
  }
  void operator()(const Graph& node) {
    out.push_back(*node.inner);
    std::vector<Graph> less;
    shrink_child(node, &Graph::inner, less);
    add(std::move(less));
  }
  void operator()(const Service& node) { out.push_back(*node.inner); }
  void operator()(const SubSelect& node) {
    out.push_back(node.select->body.where);
    for (Select& less : smaller_selects(*node.select)) {
      out.emplace_back(SubSelect(std::move(less)));
    }
  }
};

std::vector<Pattern> smaller_patterns(const Pattern& pattern) {
  std::vector<Pattern> out;
  if (!pattern.is_unit()) out.emplace_back();
  std::visit(Shrinking{out}, pattern.node);
  return out;
}

std::vector<Body> smaller_bodies(const Body& body) {
  std::vector<Body> out;
  for (Pattern& where : smaller_patterns(body.where)) {
    out.push_back(body);
    out.back().where = std::move(where);
  }
  const auto without = [&](auto Body::*member) {
    if (!(body.*member)) return;
    out.push_back(body);
    (out.back().*member).reset();
  };
  without(&Body::limit);
  without(&Body::offset);
  without(&Body::values);
  drop_each(body, &Body::group_by, 0, out);
  drop_each(body, &Body::having, 0, out);
  drop_each(body, &Body::order_by, 0, out);
  shrink_each(body, &Body::having, out);
  return out;
}

std::vector<Select> smaller_selects(const Select& select) {
  std::vector<Select> out;
  for (Body& body : smaller_bodies(select.body)) {
    out.push_back(select);
    out.back().body = std::move(body);
  }
  drop_each(select, &Select::items, 1, out);
  if (select.duplicates != Duplicates::Keep) {
    out.push_back(select);
    out.back().duplicates = Duplicates::Keep;
  }
  for (std::size_t i = 0; i < select.items.size(); ++i) {
    if (!select.items[i].expression) continue;
    for (Expression& less : smaller_expressions(*select.items[i].expression)) {
      out.push_back(select);
      out.back().items[i].expression = std::move(less);
    }
  }
  return out;
}

// The first of the smaller cases that still fails.
template <typename Candidates>
bool take_first(Failing& failing, Candidates candidates, std::size_t& attempts,
                const std::function<bool(const Failing&)>& fails) {
  for (Failing& candidate : candidates) {
    if (attempts == 0) return false;
    --attempts;
    if (!fails(candidate)) continue;
    failing = std::move(candidate);
    return true;
  }
  return false;
}

// Leaves out halves, quarters and so on down to single quads.
bool drop_data(Failing& failing, std::size_t& attempts,
               const std::function<bool(const Failing&)>& fails) {
  bool is_smaller = false;
  for (std::size_t size = (failing.quads.size() + 1) / 2; size > 0; size /= 2) {
    for (std::size_t begin = 0; begin < failing.quads.size() && attempts > 0; --attempts) {
      Failing candidate = failing;
      const auto first = candidate.quads.begin() + static_cast<std::ptrdiff_t>(begin);
      const std::size_t end = std::min(begin + size, candidate.quads.size());
      candidate.quads.erase(first, candidate.quads.begin() + static_cast<std::ptrdiff_t>(end));
      if (fails(candidate)) {
        failing = std::move(candidate);
        is_smaller = true;
      } else {
        begin += size;
      }
    }
  }
  return is_smaller;
}

std::vector<Failing> with_less_query(const Failing& failing) {
  std::vector<Failing> out;
  for (const Query& candidate : smaller(failing.query)) {
    auto query = as_text_says(candidate);
    if (query && !(*query == failing.query)) out.push_back({failing.quads, *std::move(query)});
  }
  return out;
}

}  // namespace

std::vector<Query> smaller(const Query& query) {
  std::vector<Query> out;
  drop_each(query, &Query::dataset, 0, out);
  if (const auto* select = std::get_if<Select>(&query.form)) {
    for (Select& less : smaller_selects(*select)) {
      out.push_back(query);
      out.back().form = std::move(less);
    }
    return out;
  }
  for (Body& body : smaller_bodies(query.body())) {
    out.push_back(query);
    out.back().body() = std::move(body);
  }
  return out;
}

Failing shrink(Failing failing, const std::function<bool(const Failing&)>& fails,
               std::size_t attempts_max) {
  std::size_t attempts = attempts_max;
  bool is_smaller = true;
  while (is_smaller && attempts > 0) {
    is_smaller = take_first(failing, with_less_query(failing), attempts, fails);
    is_smaller |= drop_data(failing, attempts, fails);
  }
  return failing;
}

}  // namespace helve::reference
