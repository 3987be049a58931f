// The SPARQL updates that are interrupted: a few steps each, in graphs that nothing else changes,
// as text for the store and as what they make of a model.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sources/store/live/live_testing.h"

namespace helve {

struct GraphStep {
  enum class Verb : std::uint8_t {
    Fill,    // INSERT DATA of `count` statements
    Change,  // DELETE, INSERT, WHERE: all values of the graph
    Thin,    // DELETE WHERE: statements with the value `count`
    Clear,
    Drop,
    Copy,  // to `other`
    Move,
    Add,
  };
  Verb verb = Verb::Fill;
  std::uint64_t graph = 0;
  std::uint64_t other = 0;
  std::uint64_t count = 0;
};
inline constexpr std::uint64_t kVerbs = 8;
std::string name_of(GraphStep::Verb verb);

// One transaction. Statements of a Fill are about subjects with this id.
struct CrashUpdate {
  std::string id;
  std::vector<GraphStep> steps;

  // Random ones; `below` gives a number below its argument.
  static CrashUpdate make(std::string id, const std::function<std::uint64_t(std::uint64_t)>& below);
  // Words in a line, and back.
  std::string to_line() const;
  static CrashUpdate from_line(const std::string& line);

  std::string to_sparql() const;
  void apply(store::live_testing::Model& to) const;
};

// What they changed: statements of their graphs, and for each graph that is there, empty or not, a
// statement of nothing.
store::live_testing::Model updated_graphs(const sparql::Snapshot& data);
// Takes that out of everything that was found in a store.
store::live_testing::Model take_updated_graphs(store::live_testing::Model& from);

}  // namespace helve
