// Exploration: what an agent asks of a graph it does not know, with our tools, and with tools that
// return whole results. Both are counted in characters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sources/graph_source.h"
#include "tests/toolkit/workbench.h"

namespace helve::proofs {

struct ExploredStep {
  std::string name;  // overview, classes, peek, describe, query, slice, result_sql
  std::string tool;
  std::string call;              // the arguments
  std::uint64_t text_chars = 0;  // of our reply
  std::uint64_t json_chars = 0;
  std::uint64_t cap = 0;           // of either
  std::uint64_t stored_chars = 0;  // that stayed behind its handle
  std::uint64_t naive_chars = 0;   // of the same with a tool that returns all there is
  bool is_error = false;
  std::string reply;  // the text
};

struct Exploration {
  std::string graph;
  std::uint64_t triples = 0;
  std::vector<ExploredStep> steps;
};

// Looks at the whole, then at its two largest classes, each time with the defaults of the tools.
Exploration explore(std::shared_ptr<const GraphSource> graph);

// Markdown: characters by step, and in all.
std::string leakage_table(const std::vector<Exploration>& explorations);

}  // namespace helve::proofs
