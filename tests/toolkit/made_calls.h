// Calls of any tool, made from its declaration: right ones, ones at the edge of what is allowed,
// wrong ones and hostile ones. The laws are held against all of them.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/json.h"
#include "toolkit/tools/registry.h"

namespace helve::proofs {

enum class CallKind : std::uint8_t { Right, Borderline, Wrong, Hostile };
std::string_view name_of(CallKind kind);

struct MadeCall {
  std::string tool;
  CallKind kind = CallKind::Right;
  JsonValue arguments;
};

// Of a call, short enough for the message of a failed test.
std::string brief(const MadeCall& call);

// What is there for right calls to name.
struct KnownThings {
  std::string results;             // key of a handle of rows, with the columns x and name
  std::string graph;               // of a graph
  std::string ontology;            // of an ontology
  std::string text;                // of a text
  std::string file;                // path of a small file of RDF
  std::string examples;            // path of a folder of SHACL SPARQL examples
  std::string registry;            // key of what was read from there
  std::string endpoint;            // a name in it
  std::string tasks;               // key of the tasks that were made of it
  std::string description_file;    // path of a service description
  std::string description;         // key of it
  std::vector<std::string> items;  // of the memory
};

class CallMaker {
 public:
  CallMaker(const toolkit::Registry& registry, KnownThings known, std::uint64_t seed)
      : registry_(registry), known_(std::move(known)), random_(seed) {}

  // Of every kind that many, and the examples of the tool.
  std::vector<MadeCall> calls_of(const toolkit::Tool& tool, int each);
  MadeCall right(const toolkit::Tool& tool);
  MadeCall borderline(const toolkit::Tool& tool);
  MadeCall wrong(const toolkit::Tool& tool);
  MadeCall hostile(const toolkit::Tool& tool);

  // A value that the parameter takes and that fits the graph.
  JsonValue right_value(const toolkit::Tool& tool, const toolkit::Parameter& parameter);
  // The call of an example, with handles that live.
  JsonValue with_living_handles(const toolkit::Tool& tool, const JsonValue& arguments) const;

 private:
  std::size_t below(std::size_t count) { return random_() % count; }
  bool is_chosen(std::size_t one_in) { return below(one_in) == 0; }
  template <typename T>
  const T& any_of(const std::vector<T>& all) {
    return all[below(all.size())];
  }
  const std::string& handle_for(const toolkit::Tool& tool) const;
  const std::string& path_for(const toolkit::Tool& tool) const;
  JsonValue right_text(const toolkit::Tool& tool, const toolkit::Parameter& parameter);
  JsonValue edge_value(const toolkit::Parameter& parameter);
  JsonValue wrong_value(const toolkit::Parameter& parameter);
  std::string hostile_text();
  JsonValue budget();

  const toolkit::Registry& registry_;
  KnownThings known_;
  std::mt19937_64 random_;
};

}  // namespace helve::proofs
