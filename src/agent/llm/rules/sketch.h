// What is asked of a graph, as a small graph of its own: nodes with classes or names, and what has
// to hold between them. sparql_plans.h makes queries of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/llm/rules/mentions.h"

namespace helve::llm::rules {

struct Node {
  std::string type;   // a class; may be empty
  std::string thing;  // a name; may be empty
  std::string text;   // a value in words; may be empty
};

struct Edge {
  std::size_t from = 0, to = 0;      // nodes
  std::vector<std::string> options;  // properties; empty: not known
  bool is_negated = false;
};

// A value of a node: compared, ordered by, shown, or only there.
struct Value {
  std::size_t node = 0;
  std::vector<std::string> options;  // properties; empty: not known
  std::vector<Bound> bounds;
  std::string than;  // a thing whose value is compared with
  bool is_shown = false;
  bool is_claim = false;  // "are cracked": true, or there at all
  bool is_negated = false;
  bool is_named = false;  // by a name of the question, which is never left out
  std::string word;       // "larger"; for what is not known
};

struct Sketch {
  Form form = Form::List;
  std::vector<Node> nodes;  // the first is what is asked for
  std::vector<Edge> edges;
  std::vector<Value> values;
  std::optional<std::size_t> counted;      // a node that is counted for each target
  std::optional<std::string> group_value;  // a property that the target is grouped by
  std::vector<Bound> count_bounds;
  std::optional<std::size_t> ordered_by;  // a value
  bool is_descending = true;
  std::optional<std::uint64_t> limit;
  std::string aggregate;  // of the target; empty: none
};

Sketch make_sketch(const Question& question, const std::vector<Mention>& mentions);

}  // namespace helve::llm::rules
