// Queries of SPARQL, written from a sketch and one reading of it.
#pragma once

#include <string>
#include <vector>

#include "agent/llm/rules/knowledge.h"
#include "agent/llm/rules/sketch.h"

namespace helve::llm::rules {

// Which of the options of each edge and value is taken. Where a direction led to nothing, both.
struct Reading {
  std::vector<std::size_t> edges;
  std::vector<std::size_t> values;
  bool is_both_ways = false;
};
inline constexpr std::size_t kLeftOut = static_cast<std::size_t>(-1);  // of a value

std::string sparql_text(const Sketch& sketch, const Reading& reading, const Knowledge& known);

// Which properties are between the two nodes, most first: ?p ?way ?n.
std::string link_query(const Sketch& sketch, const Edge& edge, const Knowledge& known);
// Which properties of the node have numbers, or dates: ?p ?n.
std::string value_query(const Sketch& sketch, const Value& value, bool is_time,
                        const Knowledge& known);

// A literal of SPARQL.
std::string sparql_quoted(std::string_view text);

}  // namespace helve::llm::rules
