#include "sources/remote/query_shape.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/analysis.h"

namespace helve::remote {

namespace {

using sparql::PatternPart;

// The best place to start from comes last.
enum class Start : std::uint8_t { All, Property, Class, Value, Subject };
constexpr std::array<std::string_view, 5> kStarts = {"over all", "by property", "by class",
                                                     "by value", "by subject"};
constexpr std::size_t kLongJoin = 4;

template <typename Node, typename Variant>
bool is(const Variant& value) {
  return std::holds_alternative<Node>(value);
}

Start start_of(const sparql::TriplePattern& triple) {
  if (is<sparql::Constant>(triple.subject)) return Start::Subject;
  const auto* predicate = std::get_if<sparql::Constant>(&triple.predicate);
  if (is<sparql::Constant>(triple.object)) {
    const bool is_type = predicate != nullptr && predicate->term.value == rdf::kRdfType;
    return is_type ? Start::Class : Start::Value;
  }
  return is<sparql::Variable>(triple.predicate) ? Start::All : Start::Property;
}

bool is_closure(const sparql::Path& path) {
  using Kind = sparql::Path::Kind;
  return path.kind == Kind::ZeroOrMore || path.kind == Kind::OneOrMore ||
         std::any_of(path.parts.begin(), path.parts.end(), is_closure);
}

bool searches_text(const sparql::Expression& expression) {
  const auto* operation = expression.if_is<sparql::Operation>();
  if (operation == nullptr) return false;
  using sparql::Function;
  switch (operation->function) {
    case Function::Contains:
    case Function::Regex:
    case Function::StrStarts:
    case Function::StrEnds:
      return true;
    default:
      return std::any_of(operation->arguments.begin(), operation->arguments.end(), searches_text);
  }
}

struct Seen {
  Start start = Start::All;
  std::size_t triples = 0;
  bool has_path = false;
  bool has_text = false;
  bool has_optional = false;
  bool has_union = false;
  bool has_minus = false;
  bool has_service = false;
  bool has_subquery = false;

  void add(const PatternPart& part) {
    switch (part.kind) {
      case PatternPart::Kind::Triple:
      case PatternPart::Kind::Path:
        ++triples;
        start = std::max(start, start_of(*part.triple));
        if (const auto* path = std::get_if<sparql::Path>(&part.triple->predicate)) {
          has_path = has_path || is_closure(*path);
        }
        break;
      case PatternPart::Kind::Filter:
        has_text = has_text || searches_text(*part.expression);
        break;
      case PatternPart::Kind::Values:
        start = std::max(start, Start::Value);
        break;
      case PatternPart::Kind::Optional:
        has_optional = true;
        break;
      case PatternPart::Kind::Union:
        has_union = true;
        break;
      case PatternPart::Kind::Minus:
        has_minus = true;
        break;
      case PatternPart::Kind::Service:
        has_service = true;
        break;
      case PatternPart::Kind::SubSelect:
        has_subquery = true;
        break;
      case PatternPart::Kind::Bind:
      case PatternPart::Kind::Graph:
        break;
    }
  }
};

bool is_grouped(const sparql::Query& query) {
  const auto* select = std::get_if<sparql::Select>(&query.form);
  return select != nullptr ? sparql::is_grouped(*select) : sparql::is_grouped(query.body());
}

bool is_distinct(const sparql::Query& query) {
  const auto* select = std::get_if<sparql::Select>(&query.form);
  return select != nullptr && select->duplicates != sparql::Duplicates::Keep;
}

}  // namespace

std::string shape_of(const sparql::Query& query) {
  Seen seen;
  for (const PatternPart& part : sparql::pattern_parts(query)) seen.add(part);
  if (query.body().values) seen.start = std::max(seen.start, Start::Value);
  if (seen.triples == 0) seen.start = Start::Subject;  // DESCRIBE <x>, or constants alone
  std::string shape(kStarts[static_cast<std::size_t>(seen.start)]);
  const auto add = [&shape](bool has, std::string_view word) {
    if (has) shape.append(", ").append(word);
  };
  add(seen.triples >= kLongJoin, "long join");
  add(seen.triples > 1 && seen.triples < kLongJoin, "join");
  add(seen.has_path, "path");
  add(seen.has_text, "text");
  add(seen.has_optional, "optional");
  add(seen.has_union, "union");
  add(seen.has_minus, "minus");
  add(seen.has_service, "service");
  add(seen.has_subquery, "sub-query");
  add(is_grouped(query), "grouped");
  add(is_distinct(query), "distinct");
  add(!query.body().order_by.empty(), "sorted");
  add(query.body().limit.has_value(), "limited");
  add(is<sparql::Ask>(query.form), "ask");
  add(is<sparql::Construct>(query.form), "construct");
  add(is<sparql::Describe>(query.form), "describe");
  return shape;
}

}  // namespace helve::remote
