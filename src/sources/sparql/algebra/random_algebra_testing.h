// For tests: queries made at random, each one that some text parses to.
#pragma once

#include <array>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sources/sparql/algebra/algebra_testing.h"
#include "sources/sparql/algebra/functions.h"
#include "sources/sparql/algebra/query.h"

namespace helve::sparql::test {

// Variables come from a small pool, but what BIND, AS and blank nodes name is always new.
class RandomAlgebra {
 public:
  explicit RandomAlgebra(std::uint32_t seed) : random_(seed) {}

  Query query() {
    Query out;
    version_ = out.version = chance(4) ? Version::Sparql12 : Version::Sparql11;
    if (chance(4)) out.base_iri = "http://base.example/dir/";
    out.prefixes = {{"", "http://example.org/"}, {"p", "http://example.org/p#"}};
    for (std::size_t n = below(3); n > 0; --n) out.dataset.push_back({any_iri(), chance(2), {}});
    switch (below(4)) {
      case 0:
        out.form = Ask{body(3)};
        break;
      case 1:
        out.form = Construct{template_triples(), body(3)};
        break;
      case 2:
        out.form = describe();
        break;
      default:
        out.form = select(3);
        break;
    }
    return out;
  }

  Pattern pattern(std::size_t depth) {
    const std::size_t kind = depth == 0 ? below(3) : below(12);
    switch (kind) {
      case 0:
        return Pattern();
      case 1:
        return triples(pattern_triples());
      case 2:
        return Pattern(values());
      case 3:
        return join(depth - 1);
      case 4:
        return Pattern(
            LeftJoin{pattern(depth - 1), pattern(depth - 1), conditions(depth, below(2))});
      case 5:
        return Pattern(Union{patterns(depth - 1, 2 + below(2))});
      case 6:
        return Pattern(Minus{pattern(depth - 1), pattern(depth - 1)});
      case 7:
        return Pattern(Filter{pattern(depth - 1), conditions(depth, 1 + below(2))});
      case 8:
        return Pattern(Extend{pattern(depth - 1), fresh_variable(), expression(depth)});
      case 9:
        return Pattern(Graph{variable_or_iri(), pattern(depth - 1)});
      case 10:
        return Pattern(Service{variable_or_iri(), chance(2), pattern(depth - 1)});
      default:
        return sub(select(depth - 1));
    }
  }

  Expression expression(std::size_t depth) {
    if (depth == 0) return chance(2) ? Expression(any_variable()) : constant(literal_or_iri());
    switch (below(8)) {
      case 0:
        return exists(pattern(depth - 1), chance(2));
      case 1:
        return Expression(Call{any_iri(), false, expressions(depth - 1, below(3))});
      default:
        return operation(depth - 1);
    }
  }

  Path path(std::size_t depth) {
    using Kind = Path::Kind;
    if (depth == 0) return step(any_iri());
    switch (const auto kind = static_cast<Kind>(below(8))) {
      case Kind::Iri:
        return step(any_iri());
      case Kind::Sequence:
      case Kind::Alternative:
        return test::path(kind, paths(depth - 1, 2 + below(2)));
      case Kind::NegatedSet: {
        std::vector<Path> parts = paths(0, below(3));
        for (Path& part : parts) {
          if (chance(2)) part = test::path(Kind::Inverse, {part});
        }
        return test::path(kind, std::move(parts));
      }
      default:
        return test::path(kind, paths(depth - 1, 1));
    }
  }

 private:
  std::size_t below(std::size_t count) { return random_() % count; }
  bool chance(std::size_t one_in) { return below(one_in) == 0; }
  template <typename T, std::size_t N>
  T one_of(const std::array<T, N>& choices) {
    return choices[below(N)];
  }

  Variable any_variable() { return var(std::string(1, static_cast<char>('a' + below(6)))); }
  Variable fresh_variable() { return var("new" + std::to_string(count_++)); }
  std::string any_iri() {
    constexpr std::array<std::string_view, 12> kIris = {
        "http://example.org/a",
        "http://example.org/",
        "http://example.org/p#",
        "http://example.org/p#b.c",
        "http://example.org/p#b.",
        "http://example.org/-a",
        "http://example.org/a%20b",
        "http://example.org/a/b?c=d&e",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
        "urn:x:\u00fc",
        "http://example.org/\u4e2d",
        "http://base.example/dir/x"};
    return std::string(one_of(kIris));
  }
  rdf::Term any_literal() {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kLiterals = {{
        {"", ""},
        {"a \"b\" 'c' \\ \n\r\t\x01\x7f \\u0041 \u00e9", ""},
        {"1", rdf::kXsdInteger},
        {"-1", rdf::kXsdInteger},
        {"+01", rdf::kXsdInteger},
        {"-", rdf::kXsdInteger},
        {"1.5", rdf::kXsdDecimal},
        {"-.5", rdf::kXsdDecimal},
        {"1.", rdf::kXsdDecimal},
        {"1e5", rdf::kXsdDouble},
        {"-1.e-5", rdf::kXsdDouble},
        {"true", rdf::kXsdBoolean},
        {"TRUE", rdf::kXsdBoolean},
        {"x", "http://example.org/p#type"},
    }};
    if (chance(6)) {
      rdf::Term term(rdf::TermView::lang_literal("x", chance(2) ? "en" : "de-AT"));
      if (version_ == Version::Sparql12 && chance(2)) term.direction = rdf::Direction::Rtl;
      return term;
    }
    const auto [text, datatype] = one_of(kLiterals);
    return literal(text, datatype);
  }
  rdf::Term literal_or_iri() { return chance(3) ? iri(any_iri()).term : any_literal(); }
  std::variant<Variable, Constant> variable_or_iri() {
    if (chance(2)) return any_variable();
    return iri(any_iri());
  }

  TermPattern any_node(std::string_view blanks) {
    if (chance(4)) return BlankNode{std::string(blanks) + (chance(2) ? "x" : "y.1"), {}};
    if (chance(2)) return any_variable();
    return Constant{literal_or_iri(), {}};
  }
  std::vector<TriplePattern> any_triples(std::size_t count, bool has_paths) {
    const std::string blanks = "n" + std::to_string(count_++);
    std::vector<TriplePattern> out;
    for (std::size_t i = 0; i < count; ++i) {
      TriplePattern next{any_node(blanks), any_predicate(has_paths), any_node(blanks), {}};
      if (i > 0 && chance(2)) next.subject = out.back().subject;
      if (i > 0 && chance(3)) next.predicate = out.back().predicate;
      out.push_back(std::move(next));
    }
    return out;
  }
  std::vector<TriplePattern> pattern_triples() { return any_triples(1 + below(4), true); }
  std::vector<TriplePattern> template_triples() { return any_triples(below(4), false); }
  PredicatePattern any_predicate(bool has_paths) {
    if (chance(3)) return any_variable();
    if (has_paths && chance(2)) {
      Path out = path(3);
      if (out.kind != Path::Kind::Iri) return out;
    }
    return iri(any_iri());
  }
  std::vector<Path> paths(std::size_t depth, std::size_t count) {
    std::vector<Path> out;
    while (out.size() < count) out.push_back(path(depth));
    return out;
  }

  std::vector<Pattern> patterns(std::size_t depth, std::size_t count) {
    std::vector<Pattern> out;
    while (out.size() < count) out.push_back(pattern(depth));
    return out;
  }
  // Nothing is joined with a Join or with the empty pattern.
  Pattern join(std::size_t depth) {
    Join out;
    const std::size_t count = 2 + below(3);
    while (out.parts.size() < count) {
      Pattern part = pattern(depth);
      if (!part.is_unit() && part.if_is<Join>() == nullptr) out.parts.push_back(std::move(part));
    }
    return Pattern(std::move(out));
  }
  Values values() {
    Values out;
    for (std::size_t column = below(3); column > 0; --column) {
      out.variables.push_back(fresh_variable());
    }
    out.rows.resize(below(4));
    for (auto& row : out.rows) {
      for (std::size_t i = 0; i < out.variables.size(); ++i) {
        row.push_back(chance(4) ? std::nullopt : std::optional(literal_or_iri()));
      }
    }
    return out;
  }

  std::vector<Expression> expressions(std::size_t depth, std::size_t count) {
    std::vector<Expression> out;
    while (out.size() < count) out.push_back(expression(depth));
    return out;
  }
  std::vector<Expression> conditions(std::size_t depth, std::size_t count) {
    return expressions(depth, count);
  }
  Expression operation(std::size_t depth) {
    const bool is_operator = chance(2);
    const std::size_t choices =
        is_operator ? static_cast<std::size_t>(Function::Negate) + 1 : kFunctionCount;
    const FunctionInfo& info = function_info(static_cast<Function>(below(choices)));
    if (info.since > version_) return operation(depth);
    if (info.function == Function::Bound) return call(info.function, {Expression(any_variable())});
    std::size_t count = info.arguments_min;
    const std::size_t more = info.arguments_max - info.arguments_min;
    if (more > 0) count += below(std::min<std::size_t>(more, 2) + 1);
    return call(info.function, expressions(depth, count));
  }
  Expression aggregate() {
    Aggregate out;
    out.kind = static_cast<AggregateKind>(below(7));
    out.is_distinct = chance(2);
    if (out.kind != AggregateKind::Count || chance(2)) out.argument = expressions(1, 1);
    if (out.kind == AggregateKind::GroupConcat && chance(2)) out.separator = ",\" ";
    return Expression(std::move(out));
  }

  void add_limits(Body& body) {
    if (chance(3)) body.limit = below(100);
    if (chance(3)) body.offset = below(100);
    if (chance(4)) body.values = values();
  }
  Body body(std::size_t depth) {
    Body out;
    out.where = pattern(depth);
    for (std::size_t n = below(3); n > 0; --n) out.order_by.push_back({expression(2), chance(2)});
    add_limits(out);
    return out;
  }
  Select select(std::size_t depth) {
    Select out;
    out.duplicates = static_cast<Duplicates>(below(3));
    out.body = body(depth);
    switch (below(3)) {
      case 0:
        out.is_star = true;
        break;
      case 1:
        out.items.push_back({any_variable(), std::nullopt});
        out.items.push_back({fresh_variable(), expression(2)});
        break;
      default:
        group(out);
        break;
    }
    return out;
  }
  void group(Select& out) {
    const Variable key = any_variable();
    const Variable named = fresh_variable();
    out.body.order_by.clear();
    out.body.group_by = {{Expression(key), std::nullopt}, {expression(2), named}};
    if (chance(2)) {
      out.body.group_by.push_back({call(Function::Str, expressions(1, 1)), std::nullopt});
    }
    if (chance(2)) out.body.having = {aggregate()};
    if (chance(2)) out.body.order_by = {{aggregate(), chance(2)}, {Expression(key), false}};
    out.items.push_back({key, std::nullopt});
    out.items.push_back({named, std::nullopt});
    out.items.push_back({fresh_variable(), aggregate()});
  }
  Describe describe() {
    Describe out;
    out.is_star = chance(3);
    out.body = body(2);
    if (out.is_star) return out;
    out.targets = {variable_or_iri(), variable_or_iri()};
    return out;
  }

  std::mt19937 random_;
  std::size_t count_ = 0;
  Version version_ = Version::Sparql11;
};

}  // namespace helve::sparql::test
