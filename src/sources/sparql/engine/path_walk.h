// PathWalk: which nodes a property path reaches from a node, each once. What closures need; the
// paths that count their ways (sequences, alternatives) are joins and unions made by the planner.
// https://www.w3.org/TR/sparql11-query/#PropertyPathPatterns
#pragma once

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/memory_budget.h"
#include "base/paced_check.h"
#include "sources/sparql/algebra/pattern.h"
#include "sources/sparql/engine/node_set.h"
#include "sources/sparql/engine/operator.h"
#include "sources/sparql/engine/row_table.h"
#include "sources/sparql/engine/triple_scan.h"

namespace helve::sparql {

// A path with the ids of its IRIs.
struct ResolvedPath {
  Path::Kind kind = Path::Kind::Iri;
  Id iri;
  std::vector<ResolvedPath> parts;
  // NegatedSet: predicates that do not match, each way; a way that the set does not speak of is not
  // taken at all.
  std::vector<Id> not_forward;
  std::vector<Id> not_backward;
  bool goes_forward = false;
  bool goes_backward = false;
};
Result<ResolvedPath> resolve_path(const Path& path, RunState& run);

enum class Way : std::uint8_t { Forward, Backward };
inline Way reversed(Way way) { return way == Way::Forward ? Way::Backward : Way::Forward; }

// Run and scope must outlive it.
class PathWalk {
 public:
  PathWalk(const GraphScope& scope, const RunState& run);

  // Appends the nodes that the path reaches to a table of one column; some may come twice.
  Result<void> step(const ResolvedPath& path, Id from, Way way, RowTable& reached);
  // A node of the active graph: subject or object of some triple.
  bool is_node(Id id) const;
  // All of them.
  Result<void> add_nodes(NodeSet& nodes);

 private:
  // Nodes of one closure or sequence. Kept, for their memory, by how deep it is nested.
  struct Level {
    explicit Level(MemoryBudget& budget)
        : nodes(budget, "path closure"), found(1, budget, "path closure") {}
    NodeSet nodes;
    RowTable found;
  };
  class BorrowedLevel;

  Result<void> scan(Id subject, Id predicate, Id object, Part wanted, RowTable& reached);
  Result<void> step_negated(const std::vector<Id>& excluded, Id from, Way way, RowTable& reached);
  Result<void> step_sequence(const ResolvedPath& path, Id from, Way way, RowTable& reached);
  Result<void> step_closure(const ResolvedPath& path, Id from, Way way, RowTable& reached);
  // Adds to `nodes` what the path reaches from one of them.
  Result<void> expand(const ResolvedPath& path, Id from, Way way, RowTable& found, NodeSet& nodes);
  // The same for all nodes from `first` on, and those that are added, over one predicate: many are
  // looked up at once.
  Result<void> expand_all(Id predicate, Way way, std::uint32_t first, NodeSet& nodes);

  const GraphScope& scope_;
  const RunState& run_;
  PacedCheck& pace_;
  TripleScan scan_;
  QuadBatch found_;
  std::array<std::unique_ptr<Lookup>, 2> lookups_;  // by way
  Matches matches_;
  std::vector<std::unique_ptr<Level>> levels_;
  std::size_t depth_ = 0;
};

}  // namespace helve::sparql
