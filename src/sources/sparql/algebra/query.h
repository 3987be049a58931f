// Query: a whole SPARQL query as a value. An Update (update.h) is another type on purpose.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sources/sparql/algebra/expression.h"
#include "sources/sparql/algebra/pattern.h"

namespace helve::sparql {

struct GroupKey {
  Expression expression;
  std::optional<Variable> name;  // (expression AS ?name)

  friend bool operator==(const GroupKey&, const GroupKey&) = default;
};

struct OrderKey {
  Expression expression;
  bool is_descending = false;

  friend bool operator==(const OrderKey&, const OrderKey&) = default;
};

// A WHERE clause and what follows it: the same for every form of query.
struct Body {
  Pattern where;
  std::vector<GroupKey> group_by;
  std::vector<Expression> having;
  std::vector<OrderKey> order_by;
  std::optional<std::uint64_t> limit;
  std::optional<std::uint64_t> offset;
  std::optional<Values> values;  // the VALUES clause at the end

  friend bool operator==(const Body&, const Body&) = default;
};

struct SelectItem {
  Variable variable;
  std::optional<Expression> expression;  // (expression AS ?variable)

  friend bool operator==(const SelectItem&, const SelectItem&) = default;
};

enum class Duplicates : std::uint8_t { Keep, Distinct, Reduced };

// A SELECT query, or a sub-query.
struct Select {
  Duplicates duplicates = Duplicates::Keep;
  bool is_star = false;
  std::vector<SelectItem> items;  // none with *
  Body body;
  SourceSpan span;

  friend bool operator==(const Select&, const Select&) = default;
};

struct Construct {
  std::vector<TriplePattern> triples;  // the template; no paths
  Body body;

  friend bool operator==(const Construct&, const Construct&) = default;
};

struct Ask {
  Body body;

  friend bool operator==(const Ask&, const Ask&) = default;
};

struct Describe {
  bool is_star = false;
  std::vector<std::variant<Variable, Constant>> targets;  // none with *
  Body body;                                              // without WHERE: the empty pattern

  friend bool operator==(const Describe&, const Describe&) = default;
};

// FROM and FROM NAMED.
struct DatasetGraph {
  std::string iri;  // empty: the unnamed graph, which no text can name
  bool is_named = false;
  SourceSpan span;

  friend bool operator==(const DatasetGraph&, const DatasetGraph&) = default;
};

// The language of a text. 1.1 refuses what only 1.2 has.
enum class Version : std::uint8_t { Sparql11, Sparql12 };

struct Query {
  using Form = std::variant<Select, Construct, Ask, Describe>;

  Version version = Version::Sparql11;  // Sparql12 if it says VERSION "1.2"
  std::string base_iri;                 // what IRI() resolves against; empty: nothing
  std::vector<std::pair<std::string, std::string>> prefixes;  // declared, by name
  std::vector<DatasetGraph> dataset;
  Form form;

  const Body& body() const {
    return std::visit([](const auto& form_node) -> const Body& { return form_node.body; }, form);
  }
  Body& body() {
    return std::visit([](auto& form_node) -> Body& { return form_node.body; }, form);
  }
  friend bool operator==(const Query&, const Query&) = default;
};

}  // namespace helve::sparql
