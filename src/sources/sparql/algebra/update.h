// Update: a SPARQL 1.1 Update request as a value, apart from Query so that nothing can mistake one
// for the other. https://www.w3.org/TR/sparql11-update/
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sources/sparql/algebra/pattern.h"
#include "sources/sparql/algebra/query.h"

namespace helve::sparql {

// A triple of a template or of data, and the GRAPH around it.
struct QuadTemplate {
  TriplePattern triple;
  std::optional<std::variant<Variable, Constant>> graph;  // absent: the default graph, or WITH's

  friend bool operator==(const QuadTemplate&, const QuadTemplate&) = default;
};

struct InsertData {
  std::vector<QuadTemplate> quads;  // no variables
  friend bool operator==(const InsertData&, const InsertData&) = default;
};
struct DeleteData {
  std::vector<QuadTemplate> quads;  // neither variables nor blank nodes
  friend bool operator==(const DeleteData&, const DeleteData&) = default;
};
struct DeleteWhere {
  std::vector<QuadTemplate> quads;  // template and pattern in one
  friend bool operator==(const DeleteWhere&, const DeleteWhere&) = default;
};
// WITH ... DELETE ... INSERT ... USING ... WHERE ...
struct Modify {
  std::optional<std::string> with;
  std::optional<std::vector<QuadTemplate>> deletes;
  std::optional<std::vector<QuadTemplate>> inserts;
  std::vector<DatasetGraph> using_graphs;
  Pattern where;
  friend bool operator==(const Modify&, const Modify&) = default;
};

// The graphs that CLEAR, DROP, COPY and the like speak of.
struct GraphTarget {
  enum class Kind : std::uint8_t { Default, Named, All, One };
  Kind kind = Kind::Default;
  std::string iri;  // of One
  friend bool operator==(const GraphTarget&, const GraphTarget&) = default;
};
struct Load {
  std::string from;
  GraphTarget into;
  bool is_silent = false;
  friend bool operator==(const Load&, const Load&) = default;
};
// CLEAR, DROP (any target) and CREATE (One).
struct ManageGraph {
  enum class Verb : std::uint8_t { Clear, Drop, Create };
  Verb verb = Verb::Clear;
  GraphTarget target;
  bool is_silent = false;
  friend bool operator==(const ManageGraph&, const ManageGraph&) = default;
};
struct TransferGraph {
  enum class Verb : std::uint8_t { Add, Move, Copy };
  Verb verb = Verb::Add;
  GraphTarget from;  // Default or One, both
  GraphTarget to;
  bool is_silent = false;
  friend bool operator==(const TransferGraph&, const TransferGraph&) = default;
};

struct UpdateOperation {
  using Node =
      std::variant<InsertData, DeleteData, DeleteWhere, Modify, Load, ManageGraph, TransferGraph>;
  Node node;
  SourceSpan span;
  friend bool operator==(const UpdateOperation&, const UpdateOperation&) = default;
};

struct Update {
  Version version = Version::Sparql11;
  std::string base_iri;
  std::vector<std::pair<std::string, std::string>> prefixes;
  std::vector<UpdateOperation> operations;
  friend bool operator==(const Update&, const Update&) = default;
};

}  // namespace helve::sparql
