// Guide: a longer text about one ontology, for who asks graphs that use it. L3 is an extract of it
// (guide_extract.h).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "toolkit/context/graph_facts.h"

namespace helve::context {

struct Guide {
  std::string name;
  std::string description;
  std::vector<std::string> ontologies;  // IRIs
  std::vector<std::string> namespaces;  // IRIs
  std::string text;                     // Markdown, without the front matter
};

inline constexpr std::size_t kGuideBytesMax = 100'000;

// A Markdown file. It may begin with front matter, as skills do: name, description, and the IRIs of
// `ontologies` and `namespaces` with blanks between them; without a name there, it is `name`.
// Whoever can write the file can instruct the agent. Errors name the line.
Result<Guide> read_guide(std::string_view file, std::string name);

// Those that come with the program.
std::span<const Guide> built_in_guides();

// The first that is for what the graph is about, for the namespace that most of its terms are in,
// or for an ontology whose header it has; in this order. Null: none is. IRIs are the same with and
// without a '#' or '/' behind.
const Guide* find_guide(const GraphFacts& facts, std::span<const Guide> guides);

}  // namespace helve::context
